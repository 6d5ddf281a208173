"""Recorded games as files: each module reads and writes one format; `formats` lists them."""
