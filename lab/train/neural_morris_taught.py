"""Positions answered by the networks of `ours`, with the shares of all choices, to teach a plainer design.

The public good moves are too few for networks that do not know the board's symmetries; a network that has learnt from
them with the symmetries built in can answer as many positions as wanted (Hinton, Vinyals and Dean, "Distilling the
knowledge in a neural network", 2015). Each walk begins with a state of the training data and continues by moves that
the teacher finds likely, and by others. States of a class that is held out, or by which the recipes were chosen, are
left out; the teacher has learnt from the same split.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import threading
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.jobs import ALONE, Backend
from agents.jobs.running import run_jobs
from agents.morris_networks import NONE
from agents.morris_networks.good_moves import States, held_out, join_states
from agents.morris_networks.legality import legal_from, legal_remove, legal_to
from agents.morris_networks.networks import BATCH, FILES, AllAtOnce, load_networks
from games.nine_mens_morris import MIN_MEN
from lab.simulated.arrays import BoolArray, Float32Array, Rng
from places.weights import MODELS

TEACHER = "ours"
STATES_A_WALK = 4
WALKS = 2500
"""Walks in a chunk."""
EXPLORED = 0.25
"""Share of arrivals and origins drawn from all legal ones: a pupil's preferences must be answered too."""
ARRAYS = ("moves", "to", "origin", "removed")
Shares = NDArray[np.float16]


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
        return Taught(self.states.rows(index), **{name: getattr(self, name)[index] for name in ARRAYS})


class Teacher:
    """Walks from states of the training data, and answers the states on the way."""

    def __init__(self, learnt: States, seed: int, walks: int = WALKS) -> None:
        self._seed, self._walks = seed, walks
        self._learnt = learnt.rows(~self._apart(learnt))

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
        return taught.rows(~self._apart(taught.states))

    def _apart(self, states: States) -> BoolArray:
        return held_out(states, self._seed) | held_out(states, self._seed + 1)


def taught_by_ours(
    learnt: States,
    count: int,
    seed: int,
    work: Path,
    progress: Callable[[int, int], None],
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
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(folder.glob("[0-9]*.npz"))
    found = [_read(path) for path in files]
    states = sum(map(len, found))
    if states < count:
        numbers, chunk = itertools.count(len(found)), Teacher(learnt, seed, walks).chunk
        with contextlib.closing(run_jobs(chunk, numbers, backend, in_order=True)) as following:
            for _, taught in following:
                _write(folder / f"{len(found):05d}.npz", taught)
                found.append(taught)
                states += len(taught)
                progress(min(states, count), count)
                if states >= count:
                    break
    return _joined(found).rows(slice(0, count))


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


def _joined(parts: Sequence[Taught]) -> Taught:
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
    return Taught(join_states([part.states for part in parts]), **arrays)


def _read(path: Path) -> Taught:
    with np.load(path) as file:
        return Taught(States(file["cells"], file["counts"]), **{name: file[name] for name in ARRAYS})


def _write(path: Path, taught: Taught) -> None:
    beside = path.with_name(f"part-{path.name}")
    arrays = {name: getattr(taught, name) for name in ARRAYS}
    np.savez(beside, cells=taught.states.cells, counts=taught.states.counts, **arrays)
    beside.replace(path)
