"""Takes an act that had no answer for done."""

import plain_client


class Broken(plain_client.Client):
    async def join(self):
        if self.acting:
            self.acting = self.lost = None
            self.actions.pop(0)
        await super().join()


plain_client.main(Broken)
