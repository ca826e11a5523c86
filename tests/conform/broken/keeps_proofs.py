"""Sends the last proof that it was given, also with a later place that came without."""

import plain_client


class Broken(plain_client.Client):
    kept = None

    async def join(self):
        self.kept = self.proof = self.proof or self.kept
        await super().join()


plain_client.main(Broken)
