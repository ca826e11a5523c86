"""Looking ahead in any game: what house bots choose by, and what an analysis is told.

`search` looks for the best action, `evaluation` says how good a position is. What a position is
worth at first sight is in each game's package. No time, no I/O, and chance only by seeds.
"""
