"""Boards and marks as pictures, SVG and text."""
