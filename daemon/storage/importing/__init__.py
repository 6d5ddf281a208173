"""Recorded games from files: readers of every format that export writes, judged by the rules move by move."""
