"""Gives up when its first connection is refused."""

import plain_client
from websockets.exceptions import InvalidHandshake


class Broken(plain_client.Client):
    async def connect(self):
        try:
            return await super().connect()
        except InvalidHandshake as refused:
            raise plain_client.Fault(str(refused)) from None


plain_client.main(Broken)
