"""What operators see and do: health, logs, administration, moderation, house bots."""
