"""Fails if its report is refused."""

import plain_client


class Broken(plain_client.Client):
    async def refused(self, request, error):
        if request["type"] == "board_mismatch":
            raise plain_client.Fault(f"my report was refused: {error['text']}")
        await super().refused(request, error)


plain_client.main(Broken)
