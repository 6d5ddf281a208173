"""A window on the daemon's own screen, if it has one.

The window is a separate process, so that a missing or vanishing display ends the window and not the game.
"""

from __future__ import annotations

import collections
import contextlib
import logging
import os
import struct
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO

import numpy as np

from system.processes import Process
from vision.frame import Image

_log = logging.getLogger(__name__)

PROCESS = (sys.executable, "-I", str(Path(__file__).with_name("window_process.py")))
MAX_KEYS = 16
END_S = 2.0


def display_fault(environment: Mapping[str, str] = os.environ) -> str:
    """Why no window can be shown here; empty if one can."""
    if environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"):
        return ""
    return "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); use the page instead"


class Window:
    """Shows pictures. Every method is thread-safe, and none blocks; the newest picture wins."""

    def __init__(self, title: str = "Kibitzer", process: Sequence[str] = PROCESS) -> None:
        """Opens the window, or does nothing if there is no display; `status` says which."""
        self._image: Image | None = None
        self._keys: collections.deque[str] = collections.deque(maxlen=MAX_KEYS)
        self._changed = threading.Condition()
        self._closing = False
        self._process: Process | None = None
        self._reason = display_fault()
        if self._reason:
            _log.info("no window: %s", self._reason)
            return
        try:
            self._process = Process([*process, title], stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        except OSError as error:
            self._reason = f"the window cannot be opened: {error}"
            _log.warning("%s", self._reason)
            return
        assert self._process.stdout is not None
        self._threads = [
            threading.Thread(target=self._send, args=(self._process,), name="window", daemon=True),
            threading.Thread(target=self._listen, args=(self._process.stdout,), name="window keys", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_open(self) -> bool:
        """Whether the window is open; if not, no picture needs to be drawn."""
        return not self._reason and not self._closing

    def show(self, image: Image) -> None:
        """Shows a picture, uint8 (height, width, 3) BGR; the caller must not modify it afterwards."""
        if self.is_open:
            with self._changed:
                self._image = image
                self._changed.notify_all()

    def keys(self) -> list[str]:
        pressed = []
        with contextlib.suppress(IndexError):
            while True:
                pressed.append(self._keys.popleft())
        return pressed

    def status(self) -> dict[str, object]:
        """`ok` (a missing window is not a fault) and a `text`."""
        return {"ok": True, "text": self._reason or ("closed" if self._closing else "open")}

    def close(self) -> None:
        """Closes the window; may be called twice."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        process, self._process = self._process, None
        if process is None:
            return
        process.end()
        for thread in self._threads:
            thread.join(END_S)

    def _send(self, process: Process) -> None:
        """The thread that sends the newest picture and notices when the window ends."""
        assert process.stdin is not None
        try:
            with process.stdin as pipe:
                while (image := self._next()) is not None:
                    height, width = image.shape[:2]
                    pipe.write(struct.pack("<II", width, height) + np.ascontiguousarray(image).tobytes())
                    pipe.flush()
        except OSError:
            pass  # the window is gone; the other thread reports it
        except Exception:  # noqa: BLE001 - the top of the thread
            _log.exception("the window gets no more pictures")

    def _next(self) -> Image | None:
        with self._changed:
            self._changed.wait_for(lambda: self._image is not None or self._closing or self._reason)
            image, self._image = self._image, None
            return None if self._closing or self._reason else image

    def _listen(self, keys: IO[bytes]) -> None:
        try:
            with keys:
                while line := keys.readline(64):
                    self._keys.append(line.decode(errors="replace").rstrip("\n"))
            process = self._process
            status = process.wait(END_S) if process is not None else 0
            if not self._closing:
                reason = "closed by hand" if status == 0 else f"the display cannot be used (status {status})"
                _log.warning("the window is gone: %s", reason)
                self._reason = reason
        except Exception:  # noqa: BLE001 - the top of the thread
            _log.exception("the window is not heard any more")
        finally:
            with self._changed:
                self._reason = self._reason or "closed"
                self._changed.notify_all()
