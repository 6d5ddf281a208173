"""The referee: decides on explained readings, told moves, corrections and gaps."""
