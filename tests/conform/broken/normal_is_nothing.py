"""Takes 1000 for a lost connection."""

import plain_client

plain_client.FINAL = plain_client.FINAL - {1000}
plain_client.main()
