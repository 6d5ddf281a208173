"""The trained networks' answers: raw, or the best one that the rules allow."""

from __future__ import annotations

import abc
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks import CHOICES, DESIGNS, POINTS
from agents.morris_networks.good_moves import States
from system.weights import MODELS, find_weights

if TYPE_CHECKING:
    import onnxruntime

FILES = {"ours": ("neural_morris",), "paper": ("neural_morris_to", "neural_morris_from", "neural_morris_remove")}
"""Manifest entries by design; the paper's in the order of the choices."""
BATCH = 256
Floats = NDArray[np.float32]
Moves = NDArray[np.intp]


@dataclasses.dataclass(frozen=True)
class Choice:
    row: int
    probability: float
    """Its probability according to the networks, before masking."""
    masked: int
    """Illegal choices that the networks preferred and that were skipped."""


class Networks(abc.ABC):
    """One or more networks that choose TO, FROM and REMOVE."""

    def answers(self, states: States) -> Moves:
        """(n, 3): the raw answers, legal or not."""
        parts = [self._best(states.rows(slice(start, start + BATCH))) for start in range(0, len(states), BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, 3), dtype=np.intp)

    @abc.abstractmethod
    def _best(self, states: States) -> Moves:
        """The same for at most BATCH states."""

    @abc.abstractmethod
    def choose(self, state: States, legal: Moves) -> Choice:
        """The best of the (m, 3) legal moves of one state."""

    @abc.abstractmethod
    def probabilities(self, state: States, legal: Moves) -> Floats:
        """(m,): probability of each legal move of one state; they sum to 1."""


def load_networks(design: str, folder: Path = MODELS) -> Networks:
    """The shipped networks, or those of another folder. Raises ValueError if they are missing or changed."""
    if design not in FILES:
        raise ValueError(f"there is no design {design!r} of networks; the designs are {', '.join(DESIGNS)}")
    sessions = [_session(find_weights(name, folder).path) for name in FILES[design]]
    return AllAtOnce(sessions[0]) if design == "ours" else _OneByOne(*sessions)


def _session(path: Path) -> onnxruntime.InferenceSession:
    import onnxruntime  # imported here because every worker offers this player, and few play it

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class AllAtOnce(Networks):
    """Our design: one network gives the log probabilities of all moves, (n, 24, 25, 25)."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session

    def choose(self, state: States, legal: Moves) -> Choice:
        all_moves = self.all_moves(state)[0]
        scores = all_moves[tuple(legal.T)]
        row = int(scores.argmax())
        preferred = int((all_moves > scores[row]).sum())
        return Choice(row, float(np.exp(scores[row])), preferred)

    def probabilities(self, state: States, legal: Moves) -> Floats:
        return _shares(self.all_moves(state)[0][tuple(legal.T)])

    def _best(self, states: States) -> Moves:
        flat = self.all_moves(states).reshape(len(states), -1).argmax(axis=1)
        return np.stack(np.unravel_index(flat, (POINTS, CHOICES, CHOICES)), axis=1)

    def all_moves(self, states: States) -> Floats:
        """(n, 24, 25, 25) log probabilities by TO, FROM and REMOVE; at most BATCH states at a time."""
        return _run(self._session, states)


class _OneByOne(Networks):
    """The paper's design: three networks; each gets the choices of those before it as input."""

    def __init__(self, *sessions: onnxruntime.InferenceSession) -> None:
        self._to, self._origin, self._removed = sessions

    def choose(self, state: States, legal: Moves) -> Choice:
        """Chooses TO, FROM and REMOVE in turn; masks illegal choices and takes the next best."""
        left, earlier, probability, masked = np.arange(len(legal)), np.empty(0, dtype=np.intp), 1.0, 0
        for column, session in enumerate((self._to, self._origin, self._removed)):
            scores = _run(session, state, *(earlier[number : number + 1] for number in range(column)))[0]
            allowed = legal[left, column]
            best = int(allowed[scores[allowed].argmax()])
            masked += int((scores > scores[best]).sum())
            probability *= float(np.exp(scores[best]))
            left, earlier = left[allowed == best], np.append(earlier, best)
        return Choice(int(left[0]), probability, masked)

    def probabilities(self, state: States, legal: Moves) -> Floats:
        many = state.rows(np.zeros(len(legal), dtype=np.intp))
        to, origin, removed = legal.T
        rows = np.arange(len(legal))
        scores = _run(self._to, state)[0][to]
        scores = scores + _run(self._origin, many, to)[rows, origin]
        return _shares(scores + _run(self._removed, many, to, origin)[rows, removed])

    def _best(self, states: States) -> Moves:
        to = _run(self._to, states).argmax(axis=1)
        origin = _run(self._origin, states, to).argmax(axis=1)
        return np.stack([to, origin, _run(self._removed, states, to, origin).argmax(axis=1)], axis=1)


def _run(session: onnxruntime.InferenceSession, states: States, *earlier: NDArray[np.integer]) -> Floats:
    inputs = {"cells": states.cells.astype(np.int64), "counts": states.counts.astype(np.int64)}
    inputs |= {name: choice.astype(np.int64) for name, choice in zip(("to", "origin"), earlier, strict=False)}
    answer: Floats = session.run(None, inputs)[0]
    return answer


def _shares(scores: Floats) -> Floats:
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum(), dtype=np.float32)
