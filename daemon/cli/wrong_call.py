"""How a command ends that cannot do what it is asked: one line on standard error, and an exit status."""

from __future__ import annotations

import sys

import typer

from wording.outside import visible_lines

REFUSED, BLOCKED = 2, 75
"""Exit statuses: the call or the settings are wrong, so a restart does not help; something else is in the way, so one
may."""


def stop(command: str, error: object, status: int = REFUSED) -> typer.Exit:
    """Says in one line what is wrong, which may quote a file or an address; returns the exit to raise."""
    sys.stderr.write(f"kibitzer {command}: {visible_lines(str(error))}\n")
    return typer.Exit(status)
