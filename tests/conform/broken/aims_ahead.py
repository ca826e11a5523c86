"""Aims its acts at the next turn."""

import plain_client


class Broken(plain_client.Client):
    async def ask(self, kind, **fields):
        if kind == "act":
            fields["turn"] += 1
        await super().ask(kind, **fields)


plain_client.main(Broken)
