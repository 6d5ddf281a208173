"""Speech and listening, in processes and on servers that may hang or die."""

from __future__ import annotations

STOP_S = 0.1
"""Seconds until a wait notices the stop signal."""


class VoiceError(RuntimeError):
    """Nothing was made, played or understood; `.lasting` if nothing will be until somebody changes the machine."""

    def __init__(self, text: str, lasting: bool = False, shown: str = "") -> None:
        super().__init__(text)
        self.lasting = lasting
        self.shown = shown or text
        """What people read; the error's own text is for the log."""
