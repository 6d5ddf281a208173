"""Positions with the move that our own search and endgame tables find: as many as wanted, near those of the good moves.

Each begins with a state that is learnt from, goes on by none to three moves by chance, and is answered by `alphabeta`,
which asks the tables where it has them. Half of them are by the rules of the good moves, half by the original's: no
flying, mills not protected; of those with three men, for whom that decides all, only the first kind is taken, since a
state does not tell the rules. States of a class that is held out, or that a trial of a recipe measures on, are left
out.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import games
from agents.agent import Limits
from agents.alphabeta import AlphaBeta
from agents.morris_networks.good_moves import GoodMoves, States, held_out
from agents.morris_networks.rows import as_rows, position_of, state_of
from games.nine_mens_morris import LEAST_MEN, NineMensMorris, Position

RULES: tuple[dict[str, object], ...] = ({"flying": True, "mill_protected": True}, {})
"""Of the good moves, and the original's."""
MOST_PLIES = 3
CHUNK = 2000
"""Positions that are labelled between two savings."""


class Labels:
    """Draws positions and has them answered."""

    def __init__(self, learnt: States, seed: int, nodes: int) -> None:
        """Begins with states of `learnt`; `seed` is that of the split, `nodes` what is searched for each answer."""
        self._seed, self._limits = seed, Limits(nodes=nodes)
        self._learnt = learnt.rows(~self._apart(learnt))
        self._games = [_morris(rules) for rules in RULES]
        self._engines = [AlphaBeta(game) for game in self._games]

    def chunk(self, number: int) -> GoodMoves:
        """CHUNK labelled positions at most: all chance comes from the seed and the chunk's number."""
        chance = random.Random(f"{self._seed} {number}")
        drawn = [self._draw(chance) for _ in range(CHUNK)]
        positions = [(which, position) for which, position in drawn if position is not None]
        states = _joined([state_of(self._games[which], position) for which, position in positions])
        kept = ~self._apart(states)
        moves = [self._answer(which, position) for (which, position), keep in zip(positions, kept, strict=True) if keep]
        return GoodMoves(states.rows(kept), np.array(moves, dtype=np.int8).reshape(-1, 3))

    def _apart(self, states: States) -> NDArray[np.bool_]:
        return held_out(states, self._seed) | held_out(states, self._seed + 1)

    def _draw(self, chance: random.Random) -> tuple[int, Position | None]:
        """By which rules, and a position that is not over; None where chance led to one that is, or may not be used."""
        which = chance.randrange(len(RULES))
        game, position = self._games[which], position_of(self._learnt, chance.randrange(len(self._learnt)))
        for _ in range(chance.randint(0, MOST_PLIES)):
            moves = game.legal_moves(position)
            if not moves:
                break
            position = game.apply(position, chance.choice(moves))
        flies = not any(position.hands) and min(men.bit_count() for men in position.men) <= LEAST_MEN
        if (which and flies) or game.outcome(position) is not None:
            return which, None
        return which, position

    def _answer(self, which: int, position: Position) -> Any:
        answer = self._engines[which].choose(position, self._limits, threading.Event())
        return as_rows([answer.move])[0]


def labelled(
    learnt: States, count: int, seed: int, nodes: int, kept: Path, told: Callable[[int, int], None]
) -> GoodMoves:
    """So many labelled positions; those made before lie in `kept`, and what was stopped goes on. Raises OSError."""
    labels = Labels(learnt, seed, nodes)
    found, chunks = _read(kept, seed, nodes)
    while len(found) < count:
        found = _both(found, labels.chunk(chunks))
        chunks += 1
        _write(kept, found, chunks, seed, nodes)
        told(min(len(found), count), count)
    return found.rows(slice(0, count))


def _read(kept: Path, seed: int, nodes: int) -> tuple[GoodMoves, int]:
    if kept.is_file():
        with np.load(kept) as file:
            if (int(file["seed"]), int(file["nodes"])) == (seed, nodes):
                return GoodMoves(States(file["cells"], file["counts"]), file["moves"]), int(file["chunks"])
    empty = (np.empty((0, width), dtype=np.int8) for width in (24, 4, 3))
    return GoodMoves(States(next(empty), next(empty)), next(empty)), 0


def _write(kept: Path, found: GoodMoves, chunks: int, seed: int, nodes: int) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    beside = kept.with_suffix(".part.npz")
    states = found.states
    np.savez_compressed(
        beside, cells=states.cells, counts=states.counts, moves=found.moves, chunks=chunks, seed=seed, nodes=nodes
    )
    beside.replace(kept)


def _both(first: GoodMoves, second: GoodMoves) -> GoodMoves:
    return GoodMoves(_joined([first.states, second.states]), np.concatenate([first.moves, second.moves]))


def _joined(states: list[States]) -> States:
    return States(np.concatenate([one.cells for one in states]), np.concatenate([one.counts for one in states]))


def _morris(rules: dict[str, object]) -> NineMensMorris:
    game = games.load(NineMensMorris.name, rules)
    assert isinstance(game, NineMensMorris)
    return game
