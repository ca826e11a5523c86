"""What requests do: one handler for each type, one file for each family of them."""
