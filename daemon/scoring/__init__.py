"""Scores dominoes games from photos, one photo per tile: orders, reads, scores and compares them."""
