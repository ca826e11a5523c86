"""The command line: drawing, prompts, keyboard, and the user's identity."""
