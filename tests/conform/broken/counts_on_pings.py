"""Takes `ping_seconds` 0 for a bound, and gives up."""

import asyncio

import plain_client


class Broken(plain_client.Client):
    async def answered(self, request, ok):
        await super().answered(request, ok)
        if request["type"] == "hello":
            self.silence = 2 * ok["welcome"]["limits"]["ping_seconds"] + 0.2

    async def receive(self):
        return await asyncio.wait_for(self.socket.recv(), self.silence or 10)


plain_client.main(Broken)
