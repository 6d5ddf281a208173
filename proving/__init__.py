"""Tests the program on simulated tables: demo, soak, benchmarks. No other package imports it."""
