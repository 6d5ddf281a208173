"""Sentences in the players' language, and their translations."""
