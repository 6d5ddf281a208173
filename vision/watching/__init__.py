"""From frame to frame: where the board has gone, whether a hand is over it, and when it may be read."""
