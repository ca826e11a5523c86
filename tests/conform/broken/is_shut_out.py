"""Tries for ever where the server has shut the door for good."""

import plain_client


class Broken(plain_client.Client):
    def turned_away(self, response):
        """Whatever it is, it passes."""


plain_client.main(Broken)
