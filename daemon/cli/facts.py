"""`kibitzer games facts`: how large a game is, by formula and by random games."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import statistics
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

import games
from daemon.cli.options import RuleOption
from daemon.cli.wrong_call import refusals
from rules import AnyGame
from rules.arrangements import Bound
from rules.options import rules_from_words

MAX_PLIES = 1000
"""Plies after which a random game is left; a game of go can go on for long."""
DEPTHS = (1, 2, 3)
"""Plies for which the thesis on cờ gánh gives the cost of minimax."""


@dataclasses.dataclass(frozen=True)
class Facts:
    game: str
    bound: Bound | None
    """None where the game's package computes none."""
    count: int
    """Random games."""
    seed: int
    positions: int
    """Positions in which a move was made."""
    branching: float
    """Legal moves in a position: the mean over the games of each one's mean."""
    error: float
    """Its standard error."""
    most: int
    """Most legal moves in one position."""
    plies: float
    """Mean length of a game."""
    left: int
    """Games left after `MAX_PLIES`."""

    def visited(self, depth: int) -> float:
        """Positions that minimax visits to that depth: 1 + b + ... + b^depth."""
        return sum(self.branching**ply for ply in range(depth + 1))

    @property
    def tree_digits(self) -> float:
        """Power of ten of the number of games: the branching to the power of the length."""
        return self.plies * math.log10(self.branching)


def facts(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game, by module or short name, such as ganh.")],
    rule: RuleOption = [],  # noqa: B006
    count: Annotated[int, typer.Option("--games", min=2, max=100_000, help="Random games to play.")] = 50,
    seed: Annotated[int, typer.Option(min=0, max=2**30, help="Same seed, same games.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tells how large a game is: a bound on its positions, legal moves a position, length, cost of a full search.

    The bound is computed by the formula beside it, where the game has one; all other figures are measured in games of
    random legal moves, and mean what they say of such games only.

    Example: kibitzer games facts ganh

    Example: kibitzer games facts morris --rule flying=true --games 200 --json
    """
    with refusals("games facts"):
        found = measured(games.load(game, rules_from_words(rule)), count, seed)
    if as_json:
        told = {**dataclasses.asdict(found), "bound": found.bound and found.bound._asdict()}
        told["visited"] = {str(depth): found.visited(depth) for depth in DEPTHS}
        sys.stdout.write(json.dumps(told) + "\n")
    else:
        sys.stdout.write("\n".join(lines_of(found)) + "\n")


def measured(game: AnyGame, count: int, seed: int) -> Facts:
    """Plays so many games of random legal moves. A dealt game gets a new deal each time."""
    part = games.part_of(game.name, "size")
    branchings = [list(_branchings(game, random.Random(f"facts {seed} {number}"))) for number in range(count)]
    means = [statistics.fmean(one) for one in branchings]
    return Facts(
        game=game.title,
        bound=None if part is None else part.bound(game),
        count=count,
        seed=seed,
        positions=sum(map(len, branchings)),
        branching=statistics.fmean(means),
        error=statistics.stdev(means) / math.sqrt(count),
        most=max(map(max, branchings)),
        plies=statistics.fmean(map(len, branchings)),
        left=sum(len(one) == MAX_PLIES for one in branchings),
    )


def _branchings(game: AnyGame, draw: random.Random) -> Iterator[int]:
    """The number of legal moves in each position of a random game."""
    position: Any = game.initial(draw.randrange(1, 2**30))
    for _ in range(MAX_PLIES):
        moves = list(game.legal_moves(position))
        if not moves:
            return
        yield len(moves)
        position = game.apply(position, draw.choice(moves))


def lines_of(found: Facts) -> Iterator[str]:
    yield found.game
    if found.bound is None:
        yield "  positions    no bound is computed"
    else:
        yield f"  positions    at most {found.bound.positions:.2e}: {found.bound.formula}"
    yield f"  measured     {found.positions} positions of {found.count} random games, seed {found.seed}"
    yield f"  legal moves  {found.branching:.1f} a position (standard error {found.error:.1f}), {found.most} at most"
    left = f"; {found.left} games left after {MAX_PLIES}" if found.left else ""
    yield f"  length       {found.plies:.0f} plies{left}"
    costs = "; ".join(f"{found.visited(depth):,.0f}" for depth in DEPTHS)
    yield f"  full search  {costs} positions to depth {', '.join(map(str, DEPTHS))}: 1 + b + ... + b^depth"
    yield f"  whole tree   about 10^{found.tree_digits:.0f} games: b^length, b being the legal moves a position"
