"""Play without a camera: moves are told, the daemon deals, and everything else is as with a board in view."""
