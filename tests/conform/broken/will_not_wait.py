"""Comes back to a busy node before its Retry-After."""

import plain_client


class Broken(plain_client.Client):
    def turned_away(self, response):
        super().turned_away(response)
        self.busy = {}


plain_client.main(Broken)
