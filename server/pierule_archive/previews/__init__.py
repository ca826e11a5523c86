"""What a chat or a social network shows of a link to a game or a player (SPEC 29)."""
