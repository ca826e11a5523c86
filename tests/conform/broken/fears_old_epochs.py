"""Takes an event of an older epoch for a fork."""

import plain_client


def is_seen(state, event):
    if event["epoch"] < state["epoch"]:
        return False
    return SEEN(state, event)


SEEN, plain_client.is_seen = plain_client.is_seen, is_seen
plain_client.main()
