"""`pierule serve --workers`: several nodes behind one port, and the supervisor that runs them."""
