"""Plays two players or programs against each other at equal processor time, whatever else the machine does.

    kibitzer bench duel alphabeta external:engine=stockfish --game chess --seconds 0.1

A player is one word, as in `kibitzer arena`, without limits: both get the same mean processor time a move, over all
moves of all games. A program's is what the system says that it and its children used, also in the other's time, but not
to start: it is asked for one move that does not count, and waited for until it is idle. Ours is this process's.

Programs can only be told seconds of a clock, those of NBoard plies, and some of GTP nothing. So each is told what
brings its mean to --seconds, by what it used until now, and whoever is easier to steer is given what the other really
used. A busy machine slows a duel, not one side. Where means differ by more than a tenth the result says so.

Openings are random plies, or a file's, and each is played twice with the sides exchanged, which balances them; the
standard error is that of such pairs.

An earlier version of Kibitzer is a program too: a table [engines.NAME] whose command is its `kibitzer engine`.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from agents import arena_cli, players
from agents.agent import Limits
from agents.command_line import EnginesOption, GameOption, RuleOption, refusing, use_engines


def main(
    a: Annotated[str, typer.Argument(help="The first player.", metavar="A")],
    b: Annotated[str, typer.Argument(help="The second player.", metavar="B")],
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    seconds: Annotated[float, typer.Option(min=0.001, max=600, help="Processor time of a move, in the mean.")] = 0.1,
    games: Annotated[int, typer.Option(min=2, max=1_000_000, help="Games at most, an even number.")] = 40,
    sprt: Annotated[
        str | None, typer.Option(help="Stop when it is decided: elo0,elo1 of a sequential test, such as 0,20.")
    ] = None,
    opening_plies: Annotated[
        int | None, typer.Option(min=0, max=60, help="Random plies that open each game. Default: the game's own.")
    ] = None,
    openings: Annotated[Path | None, typer.Option(help="File of openings, one line of moves each.")] = None,
    engines: EnginesOption = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Random seed for openings and players' choices.")] = 1,
    out: Annotated[Path | None, typer.Option(help="File for finished games; those in it are not played again.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    with refusing("bench duel", OSError):
        use_engines(engines)
        pair = [at_processor_time(text, seconds) for text in (a, b)]
        common = arena_cli.Common(opening_plies, openings, seed, out=out, as_json=as_json)
        arena_cli.match(pair[0], pair[1], game=game, rule=rule, games=games, sprt=sprt, common=common)


def at_processor_time(text: str, seconds: float) -> str:
    """The word of that player with so much processor time a move. Raises ValueError where it has limits."""
    spec = players.parse(text)
    if spec.limits != Limits() or spec.processor_s is not None:
        raise ValueError(f"{text!r} has limits of its own: in a duel --seconds is the only one")
    return dataclasses.replace(spec, processor_s=seconds).text
