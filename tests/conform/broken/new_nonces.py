"""Makes a new nonce for each try."""

import random

import plain_client


class Broken(plain_client.Client):
    async def join(self):
        self.nonce = f"{random.getrandbits(64):x}"
        await super().join()


plain_client.main(Broken)
