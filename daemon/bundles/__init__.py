"""Recordings of misjudged scenes, kept as replayable files: timed pictures and what the daemon concluded from them."""
