"""Asks again at once where it was told to wait."""

import plain_client


class Broken(plain_client.Client):
    async def ask_later(self, request, seconds):
        await super().ask_later(request, 0)

    def delay(self, attempt):
        return super().delay(attempt) / 10


plain_client.main(Broken)
