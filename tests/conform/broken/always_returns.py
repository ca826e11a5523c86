"""Connects again whatever the close code."""

import plain_client

plain_client.FINAL = set()
plain_client.main()
