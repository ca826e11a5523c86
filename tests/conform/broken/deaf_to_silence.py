"""Waits forever."""

import plain_client


class Broken(plain_client.Client):
    async def receive(self):
        return await self.socket.recv()


plain_client.main(Broken)
