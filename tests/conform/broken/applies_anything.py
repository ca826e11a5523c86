"""Applies whatever comes, in the order in which it comes."""

import plain_client


class Broken(plain_client.Client):
    async def event(self, event):
        self.change(plain_client.apply(self.state, event))


plain_client.main(Broken)
