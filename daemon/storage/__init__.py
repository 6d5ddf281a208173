"""Records: the journal, pictures, formats in and out, ranking."""
