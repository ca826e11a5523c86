"""Writes `protocol/vectors` from the real code, always alike: `python -m support.vectors`."""
