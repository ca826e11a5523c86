"""Counts each `ok` as an action played, also the second one of the same act."""

import plain_client


class Broken(plain_client.Client):
    def is_acting(self, request):
        return True


plain_client.main(Broken)
