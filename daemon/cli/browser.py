"""Opens a page in the browser, as `--open` asks: never waits for it, and says so where there is none."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser


def open_in_browser(address: str) -> None:
    """Opens the address; a terminal's browser, which would take the terminal, only if BROWSER names it."""
    threading.Thread(target=_open, args=(address,), name="browser", daemon=True).start()


def _open(address: str) -> None:
    shows = sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")))
    try:
        opened = shows and webbrowser.open(address)
    except (OSError, webbrowser.Error):
        opened = False
    if not opened:
        sys.stderr.write(f"kibitzer: there is no browser to open here; the page is at {address}\n")
