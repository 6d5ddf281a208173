"""Phones as cameras: a door over HTTPS for those who have scanned its code."""
