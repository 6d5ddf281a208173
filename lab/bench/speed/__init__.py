"""Benchmarks of the program's costs on this machine."""
