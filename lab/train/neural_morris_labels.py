"""Labels positions near those of the good moves with moves from our own search and endgame tables.

As many as wanted. Each begins with a state of the training data, continues by up to three random moves, and is answered
by `alphabeta`, which uses the tables where it has them. Half of them are by the rules of the good moves, half by
those of Preda's thesis (docs/results.md): no flying, mills not protected. A state does not show the rules: answers that
are illegal by the rules of the good moves are dropped, and so are positions by the thesis' rules in which the other
rules let a side fly. States of a class that is held out, or by which the recipes were chosen, are left out.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

import games
from agents.agent import Limits
from agents.alphabeta import AlphaBeta
from agents.jobs import ALONE, Backend
from agents.jobs.running import run_jobs
from agents.morris_networks.good_moves import GoodMoves, States, as_rows, held_out, join_states, position_of, state_of
from agents.morris_networks.legality import is_legal
from games.nine_mens_morris import MIN_MEN, NineMensMorris, Position
from lab.simulated.arrays import BoolArray

RULES: tuple[dict[str, object], ...] = ({"flying": True, "mill_protected": True}, {})
"""Rules of the good moves, and of Preda's thesis."""
MAX_PLIES = 3
CHUNK = 2000
"""Positions labelled between two saves."""


class Labels:
    def __init__(self, learnt: States, seed: int, nodes: int, size: int = CHUNK) -> None:
        """Starts from states of `learnt`; `seed` is the split's, `nodes` the positions searched for each answer."""
        self._seed, self._limits, self._size = seed, Limits(nodes=nodes), size
        self._learnt = learnt.rows(~self._apart(learnt))
        self._games = [_morris(rules) for rules in RULES]

    def chunk(self, number: int, stop: threading.Event | None = None) -> GoodMoves:
        """A chunk's positions, at most `size`: all randomness comes from the seed and the chunk's number."""
        stop = stop or threading.Event()
        chance = random.Random(f"{self._seed} {number}")
        drawn = [self._draw(chance) for _ in range(self._size)]
        positions = [(which, position) for which, position in drawn if position is not None]
        states = join_states([state_of(self._games[which], position) for which, position in positions])
        kept = ~self._apart(states)
        engines = [_engine(game) for game in self._games]  # new ones, which remember nothing of other chunks
        moves = [
            as_rows([engines[which].choose(position, self._limits, stop).move])[0]
            for (which, position), keep in zip(positions, kept, strict=True)
            if keep
        ]
        found = GoodMoves(states.rows(kept), np.array(moves, dtype=np.int8).reshape(-1, 3))
        return found.rows(is_legal(found.states, found.moves))

    def _apart(self, states: States) -> BoolArray:
        return held_out(states, self._seed) | held_out(states, self._seed + 1)

    def _draw(self, chance: random.Random) -> tuple[int, Position | None]:
        """Index of the rules, and a position; None if the random moves led to one that is over or may not be used."""
        which = chance.randrange(len(RULES))
        game, position = self._games[which], position_of(self._learnt, chance.randrange(len(self._learnt)))
        for _ in range(chance.randint(0, MAX_PLIES)):
            moves = game.legal_moves(position)
            if not moves:
                break
            position = game.apply(position, chance.choice(moves))
        flies = not any(position.hands) and min(men.bit_count() for men in position.men) <= MIN_MEN
        if (which and flies) or game.outcome(position) is not None:
            return which, None
        return which, position


def labelled(
    learnt: States,
    count: int,
    seed: int,
    nodes: int,
    kept: Path,
    progress: Callable[[int, int], None],
    *,
    backend: Backend = ALONE,
    size: int = CHUNK,
) -> GoodMoves:
    """So many labelled positions; earlier ones are in `kept`, and a stopped run continues. Raises OSError, JobsError.

    The backend searches in parallel, a chunk of `size` positions at a time; which one it is changes nothing but the
    time, if all its computers have the same endgame tables.
    """
    found, done = _read(kept, seed, nodes)
    if len(found) < count:
        chunk = Labels(learnt, seed, nodes, size).chunk
        with contextlib.closing(run_jobs(chunk, itertools.count(done), backend, in_order=True)) as following:
            for number, labels in following:
                found = found.and_those_of(labels)
                _write(kept, found, number + 1, seed, nodes)
                progress(min(len(found), count), count)
                if len(found) >= count:
                    break
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


def _engine(game: NineMensMorris) -> AlphaBeta:
    """A search with its kernel compiled: until then it would answer by plain Python."""
    AlphaBeta.warm_up(game)
    return AlphaBeta(game)


def _morris(rules: dict[str, object]) -> NineMensMorris:
    game = games.load(NineMensMorris.name, rules)
    assert isinstance(game, NineMensMorris)
    return game
