"""Tracking from frame to frame: where the board is, whether a hand is over it, and when it may be read."""
