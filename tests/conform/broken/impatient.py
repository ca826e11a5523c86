"""Takes every pause for the connection's end."""

import asyncio

import plain_client


class Broken(plain_client.Client):
    async def receive(self):
        return await asyncio.wait_for(self.socket.recv(), 2 * self.ping_seconds)


plain_client.main(Broken)
