"""What is said, in words and aloud; the voice is a process that may hang."""
