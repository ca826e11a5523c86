"""Names an epoch that never was."""

import plain_client


class Broken(plain_client.Client):
    async def ask(self, kind, **fields):
        await super().ask(kind, **fields, **({"epoch": 99} if kind == "act" else {}))


plain_client.main(Broken)
