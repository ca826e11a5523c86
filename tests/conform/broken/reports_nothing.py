"""Tells nobody that its board differs."""

import plain_client


class Broken(plain_client.Client):
    async def report(self, there, problem):
        pass


plain_client.main(Broken)
