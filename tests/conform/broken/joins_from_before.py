"""Sends a join again as it was, though its place has changed."""

import asyncio

import plain_client


class Broken(plain_client.Client):
    async def ask_later(self, request, seconds):
        socket = self.socket
        await asyncio.sleep(seconds)
        if socket is self.socket:
            await self.ask(request.pop("type"), **request)


plain_client.main(Broken)
