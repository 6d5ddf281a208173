"""Recorded games in the formats of their fields, as JSON, and as pictures."""
