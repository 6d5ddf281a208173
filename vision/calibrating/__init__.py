"""Calibrates a table: judges pictures, fits and validates heads, guides lessons, learns from confirmed cells."""
