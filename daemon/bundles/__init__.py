"""Scenes that failed, kept as files that can be played again: pictures with their times, and what was made of them."""
