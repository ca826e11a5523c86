"""Knows the first node only."""

import plain_client


class Broken(plain_client.Client):
    async def connect(self):
        self.urls = sorted(self.urls, key=self.first.index)
        await super().connect()

    def __init__(self, urls, *others):
        self.first = urls
        super().__init__(urls, *others)


plain_client.main(Broken)
