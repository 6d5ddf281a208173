"""Recipes that made the weights; nothing outside this folder imports them, and only they need torch."""
