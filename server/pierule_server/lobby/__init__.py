"""What spans rooms: finding an opponent, the lobby, a user's own rooms, and notices to users."""
