"""What spans rooms: finding an opponent, the lobby, one's own rooms, and what users are told."""
