"""What a table needs on this machine, each checked by itself, with what to do where it lacks."""
