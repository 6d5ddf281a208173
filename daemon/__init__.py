"""The running daemon: from a frame to a move that is judged, recorded, published and announced."""

__version__ = "0.2.0"
