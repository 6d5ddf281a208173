"""Where the board is in one picture, which board it is and how sure that is; and if none is seen, why."""
