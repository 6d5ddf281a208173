"""Spoken commands: what a recogniser has written down, as a command for the present position, or nothing."""
