"""Asks why its action may be illegal, of a server that does not know the question."""

import plain_client


class Broken(plain_client.Client):
    async def act(self):
        if self.state and not self.acting:
            await self.ask("legal", room=self.room, turn=0, action="pass")
        await super().act()


plain_client.main(Broken)
