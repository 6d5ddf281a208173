"""Photos of dominoes games, one a tile: put in order, read together, scored and compared."""
