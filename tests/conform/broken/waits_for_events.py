"""Does not act after a join that resumes without an event, though it is its turn."""

import plain_client


class Broken(plain_client.Client):
    quiet = False

    async def answered(self, request, ok):
        await super().answered(request, ok)
        self.quiet = request["type"] == "join" and bool(ok.get("resumed"))

    def change(self, state):
        self.quiet = False
        super().change(state)

    async def act(self):
        if not self.quiet:
            await super().act()


plain_client.main(Broken)
