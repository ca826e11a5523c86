"""`pierule archive`: backs up, publishes, imports and checks an archive."""
