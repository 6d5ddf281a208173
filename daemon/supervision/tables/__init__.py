"""Several tables under one parent: a process for each, so that none takes another along when it fails."""
