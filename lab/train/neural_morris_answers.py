"""Positions near those of the good moves, answered by our own search or by our networks, for others to learn from.

Each walk begins with a state of the training data. States of a class that is held out, or by which the recipes were
chosen, are left out.

- `labelled`: up to three random moves, then one answer of `alphabeta`, which uses the endgame tables where it has them.
  Half of the positions are by the rules of the good moves, half by those of Preda's thesis (docs/results.md): no
  flying, mills not protected. A state does not show the rules: answers that are illegal by the rules of the good moves
  are dropped, and so are positions by the thesis' rules in which the other rules let a side fly.
- `taught_by_ours`: the public good moves are too few for networks that do not know the board's symmetries; a network
  that has learnt from them with the symmetries built in can answer as many positions as wanted, with the shares of all
  choices (Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network", 2015). Walks go on by moves that
  the teacher finds likely, and by others. The teacher has learnt from the same split.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import random
import threading
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import games
from agents.agent import Limits
from agents.alphabeta import AlphaBeta
from agents.jobs import ALONE, Backend
from agents.jobs.running import run_jobs
from agents.morris_networks import NONE
from agents.morris_networks.good_moves import GoodMoves, States, as_rows, held_out, join_states, position_of, state_of
from agents.morris_networks.legality import is_legal, legal_from, legal_remove, legal_to
from agents.morris_networks.networks import BATCH, FILES, AllAtOnce, load_networks
from games.nine_mens_morris import MIN_MEN, NineMensMorris, Position
from lab.simulated.arrays import BoolArray, Float32Array, Rng
from system.weights import MODELS

Shares = NDArray[np.float16]
Progress = Callable[[int, int], None]
"""Called with the positions there and those wanted."""


@dataclasses.dataclass(frozen=True)
class Taught:
    """States with a TO and a FROM each, and the teacher's probability of every choice."""

    states: States
    moves: NDArray[np.int8]
    """(n, 3): TO, FROM, REMOVE."""
    to: Shares
    """(n, 24); zero for what the rules forbid."""
    origin: Shares
    """(n, 25) after that TO."""
    removed: Shares
    """(n, 25) after that TO and FROM."""

    def __len__(self) -> int:
        return len(self.moves)

    def rows(self, index: NDArray[np.generic] | slice) -> Taught:
        return Taught(self.states.rows(index), *(array[index] for array in _arrays(self).values()))


Answers = TypeVar("Answers", GoodMoves, Taught)


def _arrays(answers: GoodMoves | Taught) -> dict[str, Any]:
    return {field.name: getattr(answers, field.name) for field in dataclasses.fields(answers)[1:]}


def _joined(parts: Sequence[Answers]) -> Answers:
    arrays = zip(*(_arrays(part).values() for part in parts), strict=True)
    states = join_states([part.states for part in parts])
    return type(parts[0])(states, *(np.concatenate(array) for array in arrays))


def _answers(
    kind: type[Answers],
    chunk: Callable[[int, threading.Event | None], Answers],
    count: int,
    folder: Path,
    progress: Progress,
    backend: Backend,
) -> Answers:
    """The first `count` answers of the chunks 0, 1, ...; those in the folder are not made again."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for path in sorted(folder.glob("[0-9]*.npz")):
        with np.load(path) as file:
            arrays = dict(file)
            found.append(kind(States(arrays.pop("cells"), arrays.pop("counts")), **arrays))
    done = sum(map(len, found))
    if done < count:
        with contextlib.closing(run_jobs(chunk, itertools.count(len(found)), backend, in_order=True)) as following:
            for number, part in following:
                beside = folder / f"part-{number:05d}.npz"
                np.savez_compressed(beside, cells=part.states.cells, counts=part.states.counts, **_arrays(part))
                beside.replace(folder / f"{number:05d}.npz")
                found.append(part)
                done += len(part)
                progress(min(done, count), count)
                if done >= count:
                    break
    return _joined(found).rows(slice(0, count))


def _apart(states: States, seed: int) -> BoolArray:
    return held_out(states, seed) | held_out(states, seed + 1)


RULES: tuple[dict[str, object], ...] = ({"flying": True, "mill_protected": True}, {})
"""Rules of the good moves, and of Preda's thesis."""
MAX_PLIES = 3
CHUNK = 2000
"""Positions labelled between two saves."""


class Labels:
    def __init__(self, learnt: States, seed: int, nodes: int, size: int = CHUNK) -> None:
        """Starts from states of `learnt`; `seed` is the split's, `nodes` the positions searched for each answer."""
        self._seed, self._limits, self._size = seed, Limits(nodes=nodes), size
        self._learnt = learnt.rows(~_apart(learnt, seed))
        self._games = [_morris(rules) for rules in RULES]

    def chunk(self, number: int, stop: threading.Event | None = None) -> GoodMoves:
        """A chunk's positions, at most `size`: all randomness comes from the seed and the chunk's number."""
        chance = random.Random(f"{self._seed} {number}")
        drawn = [self._draw(chance) for _ in range(self._size)]
        positions = [(which, position) for which, position in drawn if position is not None]
        states = join_states([state_of(self._games[which], position) for which, position in positions])
        kept = ~_apart(states, self._seed)
        for game in self._games:
            AlphaBeta.warm_up(game)  # until its kernel is compiled it would answer by plain Python
        engines = [AlphaBeta(game) for game in self._games]  # new ones, which remember nothing of other chunks
        moves = [
            as_rows([engines[which].choose(position, self._limits, stop or threading.Event()).move])[0]
            for (which, position), keep in zip(positions, kept, strict=True)
            if keep
        ]
        found = GoodMoves(states.rows(kept), np.array(moves, dtype=np.int8).reshape(-1, 3))
        return found.rows(is_legal(found.states, found.moves))

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


def _morris(rules: dict[str, object]) -> NineMensMorris:
    game = games.load(NineMensMorris.name, rules)
    assert isinstance(game, NineMensMorris)
    return game


def labelled(
    learnt: States,
    count: int,
    seed: int,
    nodes: int,
    work: Path,
    progress: Progress,
    *,
    backend: Backend = ALONE,
    size: int = CHUNK,
) -> GoodMoves:
    """So many labelled positions; those made earlier are read from a folder of `work`. Raises OSError, JobsError.

    The backend searches in parallel, a chunk of `size` positions at a time; which one it is changes nothing but the
    time, if all its computers have the same endgame tables.
    """
    chunk = Labels(learnt, seed, nodes, size).chunk
    return _answers(GoodMoves, chunk, count, work / f"own-{seed}-{nodes}", progress, backend)


TEACHER = "ours"
STATES_A_WALK = 4
WALKS = 2500
"""Walks in a chunk."""
EXPLORED = 0.25
"""Share of arrivals and origins drawn from all legal ones: a pupil's preferences must be answered too."""


class Teacher:
    """Walks from states of the training data, and answers the states on the way."""

    def __init__(self, learnt: States, seed: int, walks: int = WALKS) -> None:
        self._seed, self._walks = seed, walks
        self._learnt = learnt.rows(~_apart(learnt, seed))

    def chunk(self, number: int, _stop: threading.Event | None = None) -> Taught:
        """The states of so many walks: all randomness comes from the seed and the chunk's number."""
        chance = np.random.default_rng((self._seed, number))
        states = self._learnt.rows(chance.integers(0, len(self._learnt), self._walks))
        found = []
        for _ in range(STATES_A_WALK):
            states = states.rows(_goes_on(states))
            parts = [states.rows(slice(start, start + BATCH)) for start in range(0, len(states), BATCH)]
            answered = [_answered(part, chance) for part in parts]
            found += answered
            states = join_states([after(part.states, part.moves) for part in answered])
        taught = _joined(found)
        return taught.rows(~_apart(taught.states, self._seed))


def taught_by_ours(
    learnt: States,
    count: int,
    seed: int,
    work: Path,
    progress: Progress,
    *,
    backend: Backend = ALONE,
    walks: int = WALKS,
) -> Taught:
    """So many states with the teacher's answers; chunks made earlier are read from a folder of `work`.

    Raises ValueError if the teacher is absent or was taught by another split, JobsError, OSError.
    """
    entry = tomllib.loads((MODELS / "manifest.toml").read_text(encoding="utf-8")).get(FILES[TEACHER][0], {})
    if entry.get("split_seed") != seed:
        raise ValueError(
            f"the networks of {TEACHER} in {MODELS} have learnt from another fifth than that of --seed {seed}: "
            f"first kibitzer train neural-morris --design {TEACHER} --seed {seed}"
        )
    folder = work / f"taught-{seed}-{entry['sha256'][:12]}"
    return _answers(Taught, Teacher(learnt, seed, walks).chunk, count, folder, progress, backend)


def after(states: States, moves: NDArray[np.int8]) -> States:
    """The states after a move each, from the other side's view. The reference rules are in `games.nine_mens_morris`."""
    to, origin, removed = moves.astype(np.intp).T
    rows = np.arange(len(states))
    cells = np.concatenate([states.cells, np.zeros((len(states), 1), dtype=np.int8)], axis=1)
    cells[rows, origin] = cells[rows, removed] = 0
    cells[rows, to] = 1
    counts = states.counts.copy()
    laid, taken = (origin == NONE).astype(np.int8), (removed != NONE).astype(np.int8)
    counts[:, 0] -= laid
    counts[:, 2] += laid
    counts[:, 3] -= taken
    swapped = np.array([0, 2, 1], dtype=np.int8)[cells[:, :NONE]]
    return States(swapped, counts[:, [1, 0, 3, 2]])


def _goes_on(states: States) -> BoolArray:
    """(n,): whether both sides have enough men, and the side to move can move."""
    men = states.counts[:, :2] + states.counts[:, 2:]
    return np.asarray((men >= MIN_MEN).all(axis=1) & legal_to(states).any(axis=1))


def _answered(states: States, chance: Rng) -> Taught:
    rows = np.arange(len(states))
    log_shares = _teacher().all_moves(states)
    to_shares = _legal_shares(_log_sum(log_shares.reshape(len(states), NONE, -1)), legal_to(states))
    to = _drawn(to_shares, chance)
    log_shares = log_shares[rows, to]
    origin_shares = _legal_shares(_log_sum(log_shares), legal_from(states, to))
    origin = _drawn(origin_shares, chance)
    removed_shares = _legal_shares(log_shares[rows, origin], legal_remove(states, to, origin))
    removed = _drawn(removed_shares, chance)
    moves = np.stack([to, origin, removed], axis=1).astype(np.int8)
    half = (shares.astype(np.float16) for shares in (to_shares, origin_shares, removed_shares))
    return Taught(states, moves, *half)


@functools.cache
def _teacher() -> AllAtOnce:
    networks = load_networks(TEACHER)
    assert isinstance(networks, AllAtOnce)
    return networks


def _log_sum(values: Float32Array) -> Float32Array:
    most = values.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(values - most).sum(axis=-1)) + most[..., 0])


def _legal_shares(log_shares: Float32Array, allowed: BoolArray) -> Float32Array:
    """Shares of the allowed choices, which sum to 1."""
    masked = np.where(allowed, log_shares, -np.inf)
    shares = np.exp(masked - masked.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float32)


def _drawn(shares: Float32Array, chance: Rng) -> NDArray[np.intp]:
    """(n,): a random choice each, mostly with the teacher's probabilities; a share EXPLORED from all allowed ones."""
    allowed = shares > 0
    explored = chance.random((len(shares), 1)) < EXPLORED
    weights = np.where(explored, allowed / allowed.sum(axis=1, keepdims=True), shares).cumsum(axis=1)
    return np.asarray((weights <= chance.random((len(shares), 1)) * weights[:, -1:]).sum(axis=1))
