"""Identifies clients: tokens, the operators' own identity provider, bans, and what names may look
like."""
