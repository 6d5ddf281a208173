"""Fake process of a table; the name of its settings file selects the behaviour.

    fake_table.py run --config BEHAVIOUR.toml

`well` runs until it is told to end, `refuses` and `dies` end at once, `silent` reports that it is ready and then gives
no sign of life, `deaf` ignores the request to end. Received signals are written to a file beside the settings.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path

CONFIG = Path(sys.argv[sys.argv.index("--config") + 1])
BEHAVIOUR = CONFIG.stem.partition("_")[0]


def tell(text: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.sendto(text.encode(), os.environ["NOTIFY_SOCKET"])


def note(number: int, _frame: object) -> None:
    with CONFIG.with_suffix(".signals").open("a") as file:
        file.write(f"{signal.Signals(number).name}\n")
    if number == signal.SIGTERM and BEHAVIOUR != "deaf":
        sys.exit(0)


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, note)
    sys.stderr.write(f"I am {BEHAVIOUR}\n")
    if BEHAVIOUR == "refuses":
        sys.exit(2)
    if BEHAVIOUR == "dies":
        sys.exit(3)
    tell("READY=1\nSTATUS=playing")
    while True:
        time.sleep(0.05)
        if BEHAVIOUR != "silent":
            tell("WATCHDOG=1")


if __name__ == "__main__":
    main()
