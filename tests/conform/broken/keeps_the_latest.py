"""Ignores a snapshot of an earlier place than its own."""

import plain_client


class Broken(plain_client.Client):
    async def snapshot(self, state):
        if not self.state or plain_client.place(state) >= plain_client.place(self.state):
            await super().snapshot(state)


plain_client.main(Broken)
