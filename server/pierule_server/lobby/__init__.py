"""Everything that spans rooms: pairing, challenges, the lobby, a user's rooms, notices to users."""
