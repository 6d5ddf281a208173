"""The course of a game: line of play, clocks, and the effects that change and announce it."""
