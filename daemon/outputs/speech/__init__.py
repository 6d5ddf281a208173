"""The voice: a process of its own, that may hang."""
