"""Takes every seat with the same nonce, in every process."""

import plain_client


class Broken(plain_client.Client):
    async def join(self):
        self.nonce = "always-the-same"
        await super().join()


plain_client.main(Broken)
