"""The running program: from a frame to a move that is judged, recorded, published and said."""
