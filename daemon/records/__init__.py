"""What is kept of every game: the journal, what is written into it and what is read out of it."""
