"""Acts again at once on the state that was stale."""

import plain_client


class Broken(plain_client.Client):
    async def refused(self, request, error):
        await super().refused(request, error)
        self.known, self.outdated = (0, 0), None


plain_client.main(Broken)
