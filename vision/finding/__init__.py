"""Finds the board in one picture: where it is, which board, how sure that is, and, if none is seen, why."""
