"""`kibitzer tell`: says to the running daemon what the board does not show."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from daemon.commands import Command, Mover, Pass, Undo, as_object
from daemon.config import SHIPPED, ConfigError, PageSection, load_config

ANSWER_S = 10.0
LOOK_S = 2.0
MOST_BYTES = 1 << 20
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""This computer needs no proxy."""

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Tell the running daemon what the board does not show: who passed, and who made a move. "
    "Exit status: 0 accepted, 1 refused, 2 no daemon or wrong usage.",
)
ConfigOption = Annotated[Path, typer.Option("--config", help="Settings of the daemon: where its page is.")]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Its page's port; 0: as configured.")]


@app.callback()
def tell() -> None:
    """Tell the running daemon what the board does not show: who passed, and who made a move.

    Only for games whose men belong to nobody, such as dominoes. Exit status: 0 accepted, 1 refused, 2 no daemon.
    """


@app.command("pass")
def say_pass(config: ConfigOption = SHIPPED, port: PortOption = 0) -> None:
    """The side to move passes, or ends its turn after a double.

    Example: kibitzer tell pass
    """
    _tell(Pass(), config, port, "pass")


@app.command("undo")
def undo(config: ConfigOption = SHIPPED, port: PortOption = 0) -> None:
    """The pass told last was none.

    Example: kibitzer tell undo
    """
    _tell(Undo(), config, port, "undo")


@app.command("mover")
def mover(
    side: Annotated[str, typer.Argument(help="Who made the move: a side's name, such as green.")],
    move: Annotated[
        int, typer.Option("--move", min=0, max=10_000, help="Its number, counted without passes; 0: the last.")
    ] = 0,
    config: ConfigOption = SHIPPED,
    port: PortOption = 0,
) -> None:
    """A move was made by that side: passes and points are worked out again from there.

    Example: kibitzer tell mover green --move 7
    """
    _tell(Mover(side.lower(), move or None), config, port, "mover")


def _tell(command: Command, config: Path, port: int, name: str) -> None:
    """Sends a command, prints what became of it, and exits."""
    try:
        page = load_config(config).page
    except ConfigError as error:
        _fail(name, str(error))
    status, text = send(address_of(page, port), command)
    if status == 0:
        _fail(name, text)
    (sys.stdout if status == 200 else sys.stderr).write(text + "\n")
    raise typer.Exit({200: 0, 409: 1}.get(status, 2))


def address_of(page: PageSection, port: int = 0) -> str:
    """Where this computer reaches the page, such as http://127.0.0.1:8765."""
    host = "127.0.0.1" if page.host in ("0.0.0.0", "::", "localhost") else page.host
    return f"http://{f'[{host}]' if ':' in host else host}:{port or page.port}"


def playing(page: PageSection) -> str:
    """The id of the game that a daemon plays now; empty where none runs."""
    try:
        with OPENER.open(f"{address_of(page)}/state", timeout=LOOK_S) as response:
            return str(json.loads(response.read(MOST_BYTES))["game_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def send(address: str, command: Command) -> tuple[int, str]:
    """The HTTP status and text with which the daemon at `http://host:port` answers; status 0 where there is none."""
    request = urllib.request.Request(
        f"{address}/tell", json.dumps(as_object(command)).encode(), {"Content-Type": "application/json"}
    )
    try:
        with OPENER.open(request, timeout=ANSWER_S) as response:
            return response.status, _text(response.read(MOST_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _text(error.read(MOST_BYTES))
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", error)
        return 0, f"no daemon answers at {address} ({why}); start `kibitzer run`, or name its settings with --config"


def _text(body: bytes) -> str:
    try:
        return str(json.loads(body)["text"])
    except (ValueError, KeyError, TypeError):
        return "what answers there is no Kibitzer"


def _fail(name: str, text: str) -> NoReturn:
    sys.stderr.write(f"kibitzer tell {name}: {text}\n")
    raise typer.Exit(2)
