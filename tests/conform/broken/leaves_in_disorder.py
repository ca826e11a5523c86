"""Stops without closing its connection in good order."""

import plain_client


class Broken(plain_client.Client):
    async def follow(self):
        try:
            await super().follow()
        except plain_client.Fault:
            await self.socket.close(1001)
            raise


plain_client.main(Broken)
