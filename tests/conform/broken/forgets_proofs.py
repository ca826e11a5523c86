"""Never sends a proof back."""

import plain_client


class Broken(plain_client.Client):
    async def join(self):
        self.proof = None
        await super().join()


plain_client.main(Broken)
