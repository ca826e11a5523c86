"""Knows the close codes of an older SPEC: a ban is none of them."""

import plain_client

plain_client.FINAL = plain_client.FINAL - {4005}
plain_client.main()
