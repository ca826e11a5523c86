"""Does not wait for news after a stale."""

import plain_client

plain_client.STALE = 0
plain_client.main()
