"""Takes every pause for the connection's end."""

import asyncio

import plain_client


class Broken(plain_client.Client):
    async def receive(self):
        return await asyncio.wait_for(self.socket.recv(), self.silence or 10)


plain_client.main(Broken)
