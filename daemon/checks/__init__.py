"""Independent checks of what Kibitzer needs on this computer, each with advice if something is missing."""
