"""Never joins from where it is: always for a snapshot."""

import plain_client


class Broken(plain_client.Client):
    async def join(self):
        self.state = None
        await super().join()


plain_client.main(Broken)
