"""Listening: from a microphone's sound to the text of what somebody said at the table."""
