"""Looks at no chain."""

import plain_client


class Broken(plain_client.Client):
    def follows(self, state, event):
        return event["seq"] == state["seq"] + 1


plain_client.main(Broken)
