"""Compares descriptors by how well they tell cells apart, as Preda's thesis (docs/results.md) did to choose its own."""
