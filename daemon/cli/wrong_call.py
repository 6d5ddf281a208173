"""How a command ends that was called wrongly: one line on standard error, exit status 2."""

from __future__ import annotations

import sys

import typer


def stop(command: str, error: object) -> typer.Exit:
    """Says in one line what is wrong with the call; returns the exit to raise, status 2."""
    sys.stderr.write(f"kibitzer {command}: {error}\n")
    return typer.Exit(2)
