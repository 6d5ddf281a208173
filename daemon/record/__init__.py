"""Game storage: the journal, pictures, export and import formats, ranking."""
