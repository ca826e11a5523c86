"""Sends again whatever was refused, for whatever reason."""

import plain_client


class Broken(plain_client.Client):
    async def refused(self, request, error):
        await super().refused(request, {**error, "code": "unavailable"})


plain_client.main(Broken)
