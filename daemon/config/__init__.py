"""The settings, checked, and what follows from them: seats and names of players."""
