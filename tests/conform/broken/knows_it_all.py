"""Ends at a message of a type that it does not know."""

import plain_client


class Broken(plain_client.Client):
    async def handle(self, message):
        if message["type"] not in ("ok", "error", "snapshot", "event", "presence"):
            raise KeyError(message["type"])
        await super().handle(message)


plain_client.main(Broken)
