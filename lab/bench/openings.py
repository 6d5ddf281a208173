"""Draws openings that a search calls even, for duels in games where random ones are lost or won.

    kibitzer bench openings --game gomoku --plies 5 --count 100 > openings.txt

Random legal moves are played, and kept if the player's search of --nodes positions gives each side about half the
point; after the moves come the mover's share and score. `kibitzer bench duel` and `kibitzer arena` read such a file.
"""

from __future__ import annotations

import itertools
import threading
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

import games
from agents import levels
from agents.agent import Limits
from agents.arena.openings import drawn
from agents.command_line import GameOption, RuleOption, refusing
from agents.registry import load_agent
from agents.values import value_of
from rules.options import rules_from_words

TRIES = 1000
"""Openings drawn for one that is even before the command gives up."""


def main(
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    plies: Annotated[int, typer.Option(min=0, max=60, help="Random plies of an opening.")] = 5,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Openings to find.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="Positions that the search visits.")] = 200_000,
    within: Annotated[float, typer.Option(min=0.001, max=0.5, help="Most by which a share differs from a half.")] = 0.1,
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Random seed.")] = 1,
) -> None:
    with refusing("bench openings"):
        the_game = games.load(game, rules_from_words(rule))
        scale = levels.scale(the_game.name)
        if scale.lead is None:
            raise ValueError(f"nobody has said what a score of {the_game.title} promises, so none is even")
        player, stop = load_agent("alphabeta", the_game, {"book": "false"}), threading.Event()
        found, seen = 0, set()
        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task("openings", total=count)
            for number in itertools.count():
                if number >= TRIES * (found + 1):
                    raise ValueError(f"of {number} openings {found} are even: allow more by --within, or other --plies")
                [opening] = drawn(the_game, plies, seed + number, 1)
                position = opening.position(the_game)
                key = the_game.format_position(position)
                if key in seen:
                    continue
                seen.add(key)
                answer = player.choose(position, Limits(nodes=nodes), stop)
                assert answer.score is not None  # alpha-beta has one
                chance = value_of(scale, answer.score).chance
                if abs(chance - 0.5) <= within:
                    print(*opening.moves, f"# {chance:.2f} {answer.score:+.0f}", flush=True)
                    found += 1
                    progress.update(task, completed=found)
                if found == count:
                    return
