"""Keeps the daemon running: watchdog, heartbeat, camera, disk, logs, systemd, restarts."""
