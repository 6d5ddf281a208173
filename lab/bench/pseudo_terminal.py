"""`kibitzer play` in a pseudo-terminal, typed at as a person would."""

from __future__ import annotations

import codecs
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lab.bench.daemons import ROOT

DEADLINE_S = 90.0
CODES = re.compile(r"\x1b\[\d*m")
PROMPT = "> "


class Terminal:
    def __init__(self, journal: Path, *words: str) -> None:
        self._descriptor, theirs = pty.openpty()
        command = [sys.executable, "-m", "daemon.cli", "play", *words, "--journal", str(journal)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
        os.close(theirs)
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def type(self, line: str) -> None:
        """Types a line and Enter."""
        os.write(self._descriptor, f"{line}\n".encode())

    def until(self, *wanted: str) -> str:
        """Waits for the first of these texts; returns the output up to and including it. Raises as `_shown`."""
        return self._shown(lambda text: min((text.find(one) + len(one) for one in wanted if one in text), default=0))

    def prompted(self) -> str:
        """Waits until a line is asked for; returns the output since, with the prompt. Raises as `_shown`."""
        return self._shown(lambda text: len(text) if text.endswith(PROMPT) else 0)

    def say(self, line: str, *wanted: str) -> str:
        """Types a line and waits for one of these texts, or for the next prompt."""
        self.type(line)
        return self.until(*wanted) if wanted else self.prompted()

    def end(self) -> int:
        """Waits for the end; returns the exit status."""
        return self.process.wait(30)

    def close(self) -> None:
        """Ends the program if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._descriptor)

    def _shown(self, length: Callable[[str], int]) -> str:
        """The output, as much of it as `length` says, once that is not 0.

        Raises TimeoutError where it stays 0, OSError where the program has ended.
        """
        deadline_s = time.monotonic() + DEADLINE_S
        while not (found := length(self._text)):
            if time.monotonic() > deadline_s:
                raise TimeoutError(self._text)
            if select.select([self._descriptor], [], [], 1.0)[0]:
                more = self._decoder.decode(os.read(self._descriptor, 65536))
                self._text = CODES.sub("", self._text + more).replace("\r\n", "\n")
        shown, self._text = self._text[:found], self._text[found:]
        return shown
