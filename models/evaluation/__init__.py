"""How well descriptors tell cells apart: the comparison by which the thesis chose its own."""
