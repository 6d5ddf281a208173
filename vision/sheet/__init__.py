"""Boards printed on paper: the drawing, and the files and pictures made of it."""
