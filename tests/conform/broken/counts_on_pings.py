"""Takes `ping_seconds` 0 for a bound."""

import plain_client


class Broken(plain_client.Client):
    async def answered(self, request, ok):
        await super().answered(request, ok)
        if request["type"] == "hello":
            self.silence = 2 * ok["welcome"]["limits"]["ping_seconds"] + 0.001


plain_client.main(Broken)
