"""Feeds everything that Kibitzer reads with what nobody would write: `python -m tests.fuzz --help`."""
