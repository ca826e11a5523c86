"""Asks for a path of its own."""

from urllib.parse import urljoin

import plain_client


class Broken(plain_client.Client):
    def __init__(self, urls, *others):
        super().__init__([urljoin(url, "/game") for url in urls], *others)


plain_client.main(Broken)
