"""Sends nothing again but acts."""

import plain_client


class Broken(plain_client.Client):
    async def ask_later(self, request, seconds):
        if request["type"] == "act":
            await super().ask_later(request, seconds)


plain_client.main(Broken)
