"""`kibitzer rules`: a game's rules in short, for who has never played it."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import Console

import games
from daemon.cli.options import RuleOption
from daemon.cli.wrong_call import refusals
from daemon.drawing.text_board import TextBoard
from daemon.page.view import template_of
from daemon.words.translation import OPTION, alone, in_words, speak, worded
from rules import AnyGame, figures_of
from rules.options import described, named, rule_set_of, rules_from_words
from rules.turns import example_of

WIDTH = 88
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("rules")
def main(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game, by any usual name, such as morris.")] = "",
    rule: RuleOption = [],  # noqa: B006
    language: Annotated[str, typer.Option(help="en, ro, pl, vi or pt-br.")] = "en",
) -> None:
    """Explains a game: how it is played and won, with boards, its rule sets, and every rule option.

    Example: kibitzer rules morris

    Example: kibitzer rules gomoku --rule renju
    """
    with refusals("rules"):
        speak(language)
        played = games.load(game, rules_from_words(rule))
        sys.stdout.write("\n".join(_explained(played)) + "\n")


def _explained(game: AnyGame) -> Iterator[str]:
    called, by = named(game), rule_set_of(game)
    title = alone(called.kind, called.name)
    yield title[:1].upper() + title[1:]
    yield ""
    if by is not None and by.options:
        yield from _item(in_words(by.said))
    usual = games.load(game.name)
    for index, said in enumerate(game.about.in_short):
        yield from _item(in_words(said))
        if index in game.about.examples:
            yield ""
            yield from textwrap.indent(_shown(usual, index), "    ").splitlines()
            yield ""
    if game.about.rule_sets:
        yield from ("", worded("Rule sets (--rule NAME):"), "")
        for name, one in game.about.rule_sets.items():
            yield from _item(in_words(one.said), f"{name}{' *' if one is by else ''}")
    yield from ("", worded("Rule options (--rule NAME=VALUE):"), "")
    for option in described(type(game.rules)):
        yield from _item(_doc(option, getattr(game.rules, option["name"])), option["name"])


def _doc(option: dict[str, Any], value: object) -> str:
    """What the option does, with its value now and the others."""
    others = [one for one in option["choices"] or () if one != value]
    now = str(value).lower() if isinstance(value, bool) else str(value)
    text = alone(OPTION, option["doc"])
    return f"{text} [{now}{'; ' + ', '.join(others) if others else ''}]"


def _item(text: str, name: str = "") -> list[str]:
    head = f"  {name:<16} " if name else "- "
    return textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)


def _shown(game: AnyGame, rule: int) -> str:
    """The board after the move that shows a rule, with its cells marked, and the move."""
    before, move = example_of(game, rule)
    after = figures_of(game, game.apply(before, move))
    cells = [step.cell for step in game.steps(before, move)]
    board = TextBoard(template_of(game)).draw(after, cells, colour=Console().is_terminal)
    return f"{board}\n\n{game.format_move(before, move)}"
