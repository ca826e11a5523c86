"""Takes a field that has become null for one that has not changed."""

import plain_client

apply = plain_client.apply


def without_nulls(state, event):
    position = event["diff"].get("position", {})
    told = {name: value for name, value in position.items() if value is not None}
    return apply(state, {**event, "diff": {**event["diff"], "position": told}})


plain_client.apply = without_nulls
plain_client.main()
