"""Exports recorded games: field-specific formats, JSON and pictures."""
