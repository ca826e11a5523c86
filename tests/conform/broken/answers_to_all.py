"""Takes every answer for an answer to its request."""

import plain_client


class Broken(plain_client.Client):
    async def handle(self, message):
        if message["type"] in ("ok", "error") and message["id"] not in self.asked:
            raise plain_client.Fault(f"{message} answers nothing")
        await super().handle(message)


plain_client.main(Broken)
