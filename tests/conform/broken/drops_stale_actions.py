"""Takes an action that was refused as stale for played."""

import plain_client


class Broken(plain_client.Client):
    async def refused(self, request, error):
        if error["code"] == "stale":
            self.actions.pop(0)
        await super().refused(request, error)


plain_client.main(Broken)
