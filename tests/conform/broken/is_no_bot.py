"""Never says that it is a bot."""

import plain_client


class Broken(plain_client.Client):
    async def ask(self, kind, **fields):
        fields.pop("bot", None)
        await super().ask(kind, **fields)


plain_client.main(Broken)
