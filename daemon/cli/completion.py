"""Shell completion: offers all commands as one group, but imports only the one that was typed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

NAME = "kibitzer"
VARIABLE = "_KIBITZER_COMPLETE"
OPTIONS = ("--install-completion", "--show-completion")


def is_asked(arguments: Sequence[str]) -> bool:
    """Whether a shell asks for completions, or the user asks to install or show them."""
    return VARIABLE in os.environ or bool(arguments and arguments[0] in OPTIONS)


def answer(arguments: Sequence[str], summaries: Mapping[str, str], load: Callable[[str], typer.Typer]) -> None:
    """Answers and ends the process. `summaries` has one line per command; `load` imports a command."""

    class Commands(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(summaries)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return TyperCommand(cmd_name, help=summaries[cmd_name])

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            name, *rest = args
            if name not in summaries:
                return None, None, rest
            made = get_command(load(name))
            return name, made.commands.get(name, made) if isinstance(made, TyperGroup) else made, rest

    app = typer.Typer(cls=Commands)
    app.callback()(lambda: None)
    get_command(app).main(list(arguments), prog_name=NAME)
