"""`kibitzer certify`: proves, line by line, which positions are puzzles."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Annotated, Any

import typer

import games
from agents import puzzles
from agents.command_line import GameOption, RuleOption, stop
from rules import AnyGame
from rules.options import rules_from_words

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
MAX_SEED = 2**31


@app.command("certify")
def certify(
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    nice: Annotated[int, typer.Option(min=0, max=19, help="How far other processes come first.")] = 0,
) -> None:
    """Answers each line of its input by one: is the position a puzzle, with exactly one winning move?

    A line is {"position": "..."} or {"seed": 7}, which plays a game and takes its first puzzle. An answer has
    `position` and `certificate`: move, plies, discs, proof (fours, exact, table, full_search), line, and others: every
    other move with its result, amount and reply. It is null where there is none. `kibitzer puzzles make` uses this.

    Example: echo '{"seed": 7}' | kibitzer certify --game reversi
    """
    try:
        the_game = games.load(game, rules_from_words(rule))
        os.nice(nice)
        ways = puzzles.certifiers(the_game)
        if not ways:
            raise ValueError(f"no puzzles can be proven in {the_game.title} under these rules")
    except ValueError as error:
        raise stop("certify", error) from None
    for line in sys.stdin:
        try:
            told = _answer(the_game, ways, json.loads(line))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            told = {"error": str(error)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def _answer(game: AnyGame, ways: list[puzzles.Certifier], asked: Any) -> dict[str, object]:
    """The answer to a line. Raises ValueError."""
    if "seed" in asked:
        seed = asked["seed"]
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise ValueError(f"seed is a whole number from 0 to {MAX_SEED - 1}, not {seed!r}")
        for position in puzzles.played(game, seed, threading.Event()):
            if (found := puzzles.certify(ways, position)) is not None:
                return {"position": game.format_position(position), "certificate": found.as_object()}
        return {"position": "", "certificate": None}
    position = game.parse_position(str(asked.get("position", "")))
    proven = None if game.outcome(position) is not None else puzzles.certify(ways, position)
    return {"position": game.format_position(position), "certificate": None if proven is None else proven.as_object()}
