"""What the command line shows and how it listens: drawing, prompts, keyboard, identity.

No command enters here, and nothing here knows the rules: boards are drawn from plain fields.
"""
