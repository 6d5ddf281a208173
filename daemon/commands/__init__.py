"""Requests from people, by page, key or `kibitzer tell`: commands, set-up requests, choices of a game."""
