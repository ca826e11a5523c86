"""What the command line shows and how it reads input: drawing, prompts, keyboard, identity."""
