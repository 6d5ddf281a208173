"""From frames to readings of the board, handed to the match."""
