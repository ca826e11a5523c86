"""Looking ahead in any game, for house bots and for analyses.

`search` looks for the best action, and `evaluation` says how good a position is. Each game's
package has the evaluation of a single position. No time and no I/O enter here, and chance comes
only from seeds.
"""
