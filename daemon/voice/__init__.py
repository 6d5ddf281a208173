"""Speech output, in processes of its own that may hang without harm."""
