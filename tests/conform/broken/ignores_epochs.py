"""Takes every number that it has seen for a duplicate, whatever the epoch."""

import plain_client


class Broken(plain_client.Client):
    async def event(self, event):
        if event["seq"] > self.state["seq"]:
            await super().event(event)


plain_client.main(Broken)
