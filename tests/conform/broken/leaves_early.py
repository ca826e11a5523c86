"""Leaves when it has seen enough."""

import sys

import plain_client


class Broken(plain_client.Client):
    def change(self, state):
        super().change(state)
        if state["ply"] == 7:
            sys.exit(0)


plain_client.main(Broken)
