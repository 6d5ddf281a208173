"""The running program: from a frame to a move that is judged, recorded, published and said."""

__version__ = "0.2.0"
