"""The recipes that made the weights; nothing outside this folder imports it, and only it needs torch."""
