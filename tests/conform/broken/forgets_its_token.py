"""Is a new guest on each connection."""

import plain_client


class Broken(plain_client.Client):
    async def connect(self):
        self.token = None
        await super().connect()


plain_client.main(Broken)
