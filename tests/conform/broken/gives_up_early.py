"""Takes the first mismatch for a fault."""

import plain_client


class Broken(plain_client.Client):
    async def distrust(self, event, problem=None):
        self.mended = True
        await super().distrust(event, problem)


plain_client.main(Broken)
