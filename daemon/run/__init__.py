"""The daemon itself: session, loop, services, and what the page and window show."""
