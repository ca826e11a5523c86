"""Believes every digest."""

import plain_client


class Broken(plain_client.Client):
    def fits(self, after, event):
        return True


plain_client.main(Broken)
