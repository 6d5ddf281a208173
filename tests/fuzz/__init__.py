"""Fuzz tests for everything that Kibitzer reads: `python -m tests.fuzz --help`."""
