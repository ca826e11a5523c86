"""The operators' side: health, logs, traces, administration, moderation, house bots, the archive's
API."""
