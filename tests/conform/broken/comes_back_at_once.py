"""Waits only where a try has failed."""

import plain_client


class Broken(plain_client.Client):
    def delay(self, attempt):
        return 0 if attempt == 0 else super().delay(attempt)


plain_client.main(Broken)
