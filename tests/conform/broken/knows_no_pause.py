"""Acts in its turn, paused or not."""

import plain_client


class Broken(plain_client.Client):
    async def act(self):
        if self.state and self.state.get("clock"):
            self.state["clock"]["paused"] = None
        await super().act()


plain_client.main(Broken)
