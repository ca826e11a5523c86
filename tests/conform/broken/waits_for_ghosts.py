"""Waits for events of a room that is gone."""

import plain_client


class Broken(plain_client.Client):
    async def handle(self, message):
        if message.get("kind") != "room_gone":
            await super().handle(message)


plain_client.main(Broken)
