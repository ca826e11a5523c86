"""Keeps times in 32 bits, so that its chain comes out differently."""

import plain_client


class Broken(plain_client.Client):
    def follows(self, state, event):
        return super().follows(state, {**event, "at": event["at"] % 2**32})


plain_client.main(Broken)
