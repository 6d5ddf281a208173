"""Fits the evaluation of a search to the results of its own games."""
