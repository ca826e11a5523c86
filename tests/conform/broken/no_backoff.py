"""Connects again at once, always."""

import plain_client


class Broken(plain_client.Client):
    def delay(self, attempt):
        return 0


plain_client.main(Broken)
