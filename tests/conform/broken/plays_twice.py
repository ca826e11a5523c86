"""Plays an action that had no answer again, at the next turn that it has."""

import plain_client


class Broken(plain_client.Client):
    async def join(self):
        if self.acting:
            self.reached, self.acting, self.lost = self.acting["turn"] + 1, None, None
        await super().join()


plain_client.main(Broken)
