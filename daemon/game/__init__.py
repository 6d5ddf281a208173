"""A game as it went: the line of play, its clocks, and the effects that change and announce it."""
