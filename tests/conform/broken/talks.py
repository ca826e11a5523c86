"""Writes other things than reports to standard output."""

import plain_client

print("connecting ...", flush=True)
plain_client.main()
