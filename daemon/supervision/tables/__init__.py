"""Several tables under one parent: one process each, so that a failing table does not affect the others."""
