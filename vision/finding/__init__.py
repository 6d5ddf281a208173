"""Finds the board in one picture: its place, which board it is, how sure that is, or why none is seen."""
