"""How a command ends that cannot do what it is asked: one line on standard error, and an exit status."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from daemon.config.settings import Config, ConfigError, load_config
from wording.outside import visible_lines

REFUSED, BLOCKED = 2, 75
"""Exit statuses: the call or the settings are wrong, so a restart does not help; something else is in the way, so one
may."""


LONG = re.compile(r"(\S{100})\S{20,}")
"""A name of which the first hundred letters tell enough."""


def stop(command: str, error: object, status: int = REFUSED) -> typer.Exit:
    """Says in one line what is wrong, which may quote a file or an address; returns the exit to raise."""
    text = LONG.sub(r"\1...", visible_lines(str(error)))
    sys.stderr.write(f"kibitzer {command}: {text}\n")
    return typer.Exit(status)


@contextlib.contextmanager
def refusals(command: str, *errors: type[Exception]) -> Iterator[None]:
    """Ends the command on these errors with one line; without any, on every ValueError."""
    refused = errors or (ValueError,)
    try:
        yield
    except refused as error:
        raise stop(command, error) from None


def settings_of(command: str, path: Path) -> Config:
    with refusals(command, ConfigError):
        return load_config(path)
