"""`kibitzer tell`: tells the running daemon what the board does not show, and what people want."""

from __future__ import annotations

import dataclasses
import sys
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from daemon.cli.options import PortOption
from daemon.cli.wrong_call import settings_of, stop
from daemon.commands.command import DECLARED, Command
from daemon.commands.declaration import Argument, Declaration
from daemon.commands.page_client import address_of, send
from daemon.config.settings import DEFAULT

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
ConfigOption = Annotated[Path, typer.Option("--config", help="The daemon's settings; they say where its page is.")]


@app.callback()
def tell() -> None:
    """Tell the running daemon what the board does not show, and what you want.

    The result is printed here and said at the table. Exit status: 0 accepted, 1 refused, 2 no daemon or wrong usage.

    Example: kibitzer tell undo
    """


def _offer(declared: Declaration) -> None:
    name = declared.name.replace("_", "-")
    typed = {one.typed.name or one.name: one for one in declared.arguments.values() if one.typed is not None}

    def run(config: Path, port: int, **given: Any) -> None:
        values = {one.name: one.typed.read(given[word]) for word, one in typed.items() if one.typed is not None}
        _tell(declared.kind(**values), config, port, name)

    own = [_parameter(word, one) for word, one in typed.items()]
    more = [
        Parameter("config", Parameter.KEYWORD_ONLY, default=DEFAULT, annotation=ConfigOption),
        Parameter("port", Parameter.KEYWORD_ONLY, default=0, annotation=PortOption),
    ]
    run.__signature__ = Signature([*own, *more])  # type: ignore[attr-defined]
    app.command(name, help=declared.help)(run)


def _parameter(word: str, one: Argument) -> Parameter:
    assert one.typed is not None
    default = one.default if one.typed.default is None else one.typed.default
    kind: Any = one.typed.kind or one.kind.__origin__
    return Parameter(
        word,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if default in (..., dataclasses.MISSING) else default,
        annotation=Annotated[kind, one.typed.info],
    )


def _tell(command: Command, config: Path, port: int, name: str) -> None:
    status, text = send(address_of(settings_of(f"tell {name}", config).page, port), command)
    if status == 0:
        raise stop(f"tell {name}", text)
    (sys.stdout if status == 200 else sys.stderr).write(text + "\n")
    raise typer.Exit({200: 0, 409: 1}.get(status, 2))


for known in DECLARED.values():
    _offer(known)
