"""From a picture to a board reading: cameras, alignment, gate, cells, settling; and the simulated table."""
