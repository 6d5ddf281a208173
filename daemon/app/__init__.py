"""The daemon itself: session, loop, services, and what page and window are shown."""
