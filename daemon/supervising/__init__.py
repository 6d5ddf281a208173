"""Keeps the daemon running: who is alive, what is slow, what is started again, what systemd and people are told."""
