"""How a command ends that was called wrongly: one line on standard error, exit status 2."""

from __future__ import annotations

import sys

import typer

from wording.outside import visible_lines


def stop(command: str, error: object) -> typer.Exit:
    """Says in one line what is wrong with the call; returns the exit to raise, status 2.

    The error may quote a file or an address from elsewhere.
    """
    sys.stderr.write(f"kibitzer {command}: {visible_lines(str(error))}\n")
    return typer.Exit(2)
