"""Imports recorded games: readers for every export format but pictures; each move is checked by the rules."""
