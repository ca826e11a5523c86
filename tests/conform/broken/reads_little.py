"""Reads no message of more than 20,000 bytes."""

from functools import partial

import plain_client

plain_client.connect = partial(plain_client.connect, max_size=20_000)
plain_client.main()
