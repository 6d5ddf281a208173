"""`python -m daemon.cli COMMAND` and the installed `kibitzer`: what must be done before the long imports."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # loads at once, without the enumerations of `signal`
import os


def run() -> None:
    """Runs the command line. Ctrl-C ends it quietly also while it still imports, when there is nothing to tidy up."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
        signal.signal(signal.SIGINT, _stop_at_once)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # ./kibitzer blocks it until Python is this far
    from daemon.cli import streams

    streams.prepare()
    from daemon.cli.main import run as run_command_line

    run_command_line()


def _stop_at_once(_number: int, _frame: object) -> None:
    os.write(2, b"kibitzer: stopped\n")
    os._exit(130)


if __name__ == "__main__":
    run()
