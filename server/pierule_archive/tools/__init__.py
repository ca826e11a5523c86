"""`pierule archive`: backs an archive up, publishes it, brings games in, and checks it."""
