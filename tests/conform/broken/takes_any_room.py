"""Takes what comes of other rooms for its own."""

import plain_client


class Broken(plain_client.Client):
    async def handle(self, message):
        if message["type"] == "event":
            message["room"] = self.room
        if message["type"] == "snapshot":
            message["state"]["room"] = self.room
        await super().handle(message)


plain_client.main(Broken)
