"""Typed lines, read without blocking: the caller has other work to do meanwhile."""

from __future__ import annotations

import os
import select

MAX_LINE_BYTES = 512
"""Bytes of the longest line; the rest is cut off."""
CHUNK = 4096


class TypedLines:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.interactive = os.isatty(descriptor)
        """Whether a person types them; otherwise they come from a pipe or a file."""
        self._pending = b""
        self.ended = False
        """Whether the input has ended."""

    def take(self, timeout_s: float) -> str | None:
        """The next line without its line end; None if no complete line has come within `timeout_s` seconds."""
        if b"\n" not in self._pending and not self.ended and select.select([self._descriptor], [], [], timeout_s)[0]:
            chunk = os.read(self._descriptor, CHUNK)
            self.ended = not chunk
            self._pending += chunk if chunk else b"\n" * bool(self._pending)
        line, end, rest = self._pending.partition(b"\n")
        if not end:
            self._pending = self._pending[:MAX_LINE_BYTES]
            return None
        self._pending = rest
        return line[:MAX_LINE_BYTES].decode(errors="replace").strip()
