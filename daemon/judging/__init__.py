"""The referee: decides on explained readings, spoken moves, corrections and gaps."""
