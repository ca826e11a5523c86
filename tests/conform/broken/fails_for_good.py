"""Takes a failure of the server for the end."""

import plain_client


class Broken(plain_client.Client):
    async def refused(self, request, error):
        if error["code"] == "internal":
            raise plain_client.Fault(error["text"])
        await super().refused(request, error)


plain_client.main(Broken)
