"""Compares descriptors by how well they tell cells apart, as the thesis did to choose its own."""
