"""Turns frames into board readings and hands them to the match."""
