"""The match: carries out what is decided, writes it first, then tells."""
