"""Draws what is on the board, and forgets cells that are not."""

import plain_client


class Broken(plain_client.Client):
    def fits(self, after, event):
        del after["position"]["cells"][after["position"]["size"] ** 2 :]
        return super().fits(after, event)


plain_client.main(Broken)
