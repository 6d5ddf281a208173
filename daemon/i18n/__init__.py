"""Sentences in the table's language, and their translations."""
