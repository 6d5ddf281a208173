"""Learning during play: what the start of a game teaches, and what boards that play has confirmed add to it."""
