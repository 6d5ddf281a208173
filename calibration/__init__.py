"""Where the board is and what its pieces look like: board templates, table profiles, the guided routine."""
