"""Films of whole short games on a simulated table, with the truth about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from calibration.template import load_template
from lab.bench.speed.recording import encoded
from lab.films.plan import choose
from lab.simulated.arrays import Rng
from lab.simulated.phone import Phone, RandomWay
from lab.simulated.player import Ply, ScriptedPlayer
from lab.simulated.random_style import random_style
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import AnyGame, Counts, Outcome
from rules.options import switched_on

RATE_HZ = 10.0
PASS, RESIGNED = "pass", "resigned"
TRIES = 100
"""Random games of which the shortest is filmed: they end soon enough, and differently."""
LEANS = 0.2
"""Sway of a phone that leans on something."""
LEAD_S = AFTERWARDS_S = 1.0
"""Seconds of the first and of the last board, without a hand: repeated for as long as somebody waits."""


@dataclasses.dataclass(frozen=True)
class ShortGame:
    start: Any
    moves: tuple[str, ...]
    outcome: Outcome
    """Its reason is `RESIGNED` if it did not end in time."""


@dataclasses.dataclass(frozen=True, eq=False)
class ShortFilm:
    game: AnyGame
    pictures: tuple[bytes, ...]
    """JPEGs, `RATE_HZ` a second."""
    plies: tuple[Ply, ...]
    said: Mapping[int, int]
    """Passes that are said, by the number of pictures before: how many plies were made before."""
    outcome: Outcome


def short_game(game: AnyGame, seed: int, most: int) -> ShortGame:
    """The shortest of many random games; after `most` moves players say that they pass, or one resigns."""
    tried = (_random_game(game, np.random.default_rng([seed, number]), most) for number in range(TRIES))
    return min(tried, key=lambda one: (one.outcome.reason == RESIGNED, len(one.moves)))


def _random_game(game: AnyGame, rng: Rng, most: int) -> ShortGame:
    start = position = game.initial(int(rng.integers(2**31)))
    moves = list[str]()
    while game.outcome(position) is None:
        weary = len(moves) >= most
        move = None if weary else choose(game, position, rng)
        if move is None:
            move = _pass(game, position)
        if move is None or (weary and not game.about.passes_told):
            break  # a pass that nobody tells cannot be seen
        moves.append(game.format_move(position, move))
        position = game.apply(position, move)
    resigned = Outcome(1 - game.to_move(position), RESIGNED, Counts.of(game).scores(position))
    return ShortGame(start, tuple(moves), game.outcome(position) or resigned)


def _pass(game: AnyGame, position: Any) -> Any:
    texts = ((move, game.format_move(position, move)) for move in game.legal_moves(position))
    return next((move for move, text in texts if text.startswith(PASS)), None)


def film_of(game: AnyGame, played: ShortGame, seed: int, *, pace: float, think_s: float, chance: bool) -> ShortFilm:
    """A phone that leans on something films the game. With `chance` the seed draws another table, men and light."""
    template = load_template(game.name, switched_on(game))
    style = random_style(template, np.random.default_rng([seed, 4])) if chance else default_style()
    table = SimulatedTable(template, game.board(played.start), style, seed=seed)
    source = SimulatedSource(table, RATE_HZ, phone=Phone(RandomWay(seed, LEANS)))
    pictures, said = list[bytes](), dict[int, int]()

    def say_pass(ply: int) -> bool:
        said[len(pictures)] = ply
        return True

    player = ScriptedPlayer(
        game, table, frozenset((0, 1)), seed, think_s, pace, played.start, say_pass, moves=played.moves
    )

    def take(seconds: float) -> None:
        for _ in range(round(seconds * RATE_HZ)):
            frame = source.read(1.0)
            assert frame is not None
            pictures.append(encoded(frame.image))

    take(LEAD_S)
    while not player.finished:
        player.update()
        take(1 / RATE_HZ)
    take(AFTERWARDS_S)
    return ShortFilm(game, tuple(pictures), tuple(player.record), said, played.outcome)
