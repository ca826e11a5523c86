"""Waits for ever for the event after a stale."""

import plain_client


class Broken(plain_client.Client):
    async def catch_up(self, state):
        """It will come."""


plain_client.main(Broken)
