"""Classifies the cells of a rectified picture: patches, descriptors, heads, joint reading of all cells."""
