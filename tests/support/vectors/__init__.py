"""What writes `protocol/vectors`: `python -m support.vectors`, from the real code, always alike."""
