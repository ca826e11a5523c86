"""One client's connection: who it is, how much it may ask, its frames. Nothing here knows rooms."""
