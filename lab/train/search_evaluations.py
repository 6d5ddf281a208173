"""The evaluations that searches judge by, as features to count and weights to fit.

An evaluation is an integer matrix of weights, (groups, features): morris and draughts have other weights in each phase
of the game, the others one group. The value of a position for the side to move is its features times its group's
weights.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import games.chess.kernel.memory as chess_layout
import games.chess.kernel.weights as chess_weights
import games.co_ganh.kernel.memory as ganh_layout
import games.co_ganh.kernel.weights as ganh_weights
import games.draughts.kernel.memory as draughts_layout
import games.draughts.kernel.weights as draughts_weights
import games.nine_mens_morris.kernel.memory as morris_layout
import games.nine_mens_morris.kernel.weights as morris_weights
from agents.kernels.memory import STATE
from agents.kernels.negamax import LIMIT
from games import nine_mens_morris
from games.chess import Chess
from games.chess import Position as ChessPosition
from games.chess.kernel import ChessSearch
from games.chess.kernel import evaluation as chess_evaluation
from games.chess.kernel import place as place_chess
from games.chess.kernel.negamax import quiesce
from games.co_ganh import CoGanh
from games.co_ganh import Position as GanhPosition
from games.co_ganh.kernel import GanhSearch
from games.co_ganh.kernel.evaluation import evaluate as ganh_value
from games.draughts import Draughts
from games.draughts import Position as DraughtsPosition
from games.draughts.kernel import DraughtsSearch
from games.draughts.kernel import place as place_draughts
from games.draughts.kernel.evaluation import evaluate as draughts_value
from games.draughts.kernel.evaluation import phase_of
from games.nine_mens_morris.kernel import MorrisSearch
from games.nine_mens_morris.kernel.evaluation import EARLY
from games.nine_mens_morris.kernel.evaluation import evaluate as morris_value
from lab.train import chess_features
from rules import AnyGame

U = np.uint64
Weights = NDArray[np.int64]
"""(groups, features)"""
TABLE_MB = 8


class Counted(NamedTuple):
    group: int
    features: NDArray[np.int64]
    """The mover's count minus the enemy's, for features that both sides have."""


class Evaluation(abc.ABC):
    """The evaluation of a game under some rules."""

    groups: tuple[str, ...] = ("always",)
    features: tuple[str, ...]
    fewest, most = -1000, 1000
    """Least and greatest value of a weight."""
    games, nodes = 2000, 1000
    """Default number of games that the recipe plays, and of positions searched for each of their moves."""
    plies = 200
    """Plies after which an unfinished game counts as a draw."""
    opening = (2, 10)
    """Fewest and most random moves at the start of a game."""
    astray = 0.05
    """Share of the games' moves that are random."""
    scale: int
    """Weight of one logit of winning."""
    strength = 0.1
    """scikit-learn's C, for features of mean square 1: the greater, the less the weights are drawn towards 0."""
    spread = 0.0
    """Standard deviation of the weights around the shipped ones, to which they are drawn; 0: they are drawn to 0."""
    every = 1
    """Of so many positions that follow each other one is learnt from."""
    where: str
    """The source to paste the weights over."""
    game: AnyGame

    @abc.abstractmethod
    def shipped(self) -> Weights:
        """The kernel's present weights."""

    @abc.abstractmethod
    def search(self, weights: Weights, seed: int) -> Any:
        """A search that judges by these weights and uses no endgame tables."""

    @abc.abstractmethod
    def counted(self, position: Any) -> Counted | None:
        """The features of a position that is not over; None if no search would judge it by these weights."""

    def random_moves(self, position: Any) -> Sequence[Any]:
        """Legal moves that are not obviously senseless."""
        return self.game.legal_moves(position)

    @abc.abstractmethod
    def text(self, weights: Weights) -> str:
        """The weights as source text for the kernel's module."""


def _wrapped(entries: Iterable[str], width: int = 110) -> str:
    """The entries in indented lines of at most that width, each followed by a comma."""
    lines = [""]
    for entry in entries:
        if lines[-1] and len(lines[-1]) + len(entry) + 6 > width:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{entry},"
    return "\n".join(f"    {line}" for line in lines)


BOTH_FLY = morris_weights.OWN[3]


class MorrisEvaluation(Evaluation):
    """Features of three phases; if both sides fly, the weights of `best` are kept."""

    groups = ("nine or more to lay", "fewer to lay", "all laid")
    features = tuple(name for name in morris_weights.Weights._fields if name != "last")
    nodes = 2000
    scale = 100
    where = "games/nine_mens_morris/kernel/weights.py, OWN"
    game: nine_mens_morris.NineMensMorris

    def __init__(self, game: nine_mens_morris.NineMensMorris) -> None:
        self.game = game
        self._memory = morris_layout.allocate(game, 1)

    def shipped(self) -> Weights:
        return np.array([_row(phase) for phase in morris_weights.OWN[: len(self.groups)]], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        # `best` asks for no tables; its weights are overwritten except for the phase in which both sides fly.
        search = MorrisSearch(self.game, TABLE_MB, seed, "best")
        for phase, row in enumerate(weights):
            _write_phase(search.memory, phase, 0, *row)
        _write_phase(search.memory, len(weights), BOTH_FLY.last, *_row(BOTH_FLY))
        return search

    def counted(self, position: nine_mens_morris.Position) -> Counted | None:
        """The position's features, each measured as its value with a weight of 1."""
        side, other, to_lay = position.side, 1 - position.side, sum(position.hands)
        if self.game.rules.flying and not to_lay and all(men.bit_count() == 3 for men in position.men):
            return None
        group = 0 if to_lay >= EARLY else 1 if to_lay else 2
        men = U(position.men[side]), U(position.men[other])
        found = []
        for unit in np.eye(len(self.features), dtype=np.int64):
            _write_phase(self._memory, group, 0, *unit)
            found.append(morris_value(self._memory, *men, position.hands[side], position.hands[other], 0))
        return Counted(group, np.array(found, np.int64))

    def text(self, weights: Weights) -> str:
        phases = [dict(zip(self.features, row, strict=True)) for row in weights.tolist()]
        lines = [
            f"    Weights({', '.join(f'{name}={value}' for name, value in phase.items() if value)}),"
            for phase in (*phases, BOTH_FLY._asdict())
        ]
        return "\n".join(("OWN: Phases = (", *lines, ")"))


def _row(phase: morris_weights.Weights) -> list[int]:
    return [getattr(phase, name) for name in MorrisEvaluation.features]


def _write_phase(memory: NDArray[np.uint64], phase: int, *values: int) -> None:
    """Writes the weights of a phase, `last` first, in the order of the kernel's `Weights`."""
    start = int(morris_layout.WEIGHTS) + 16 * phase
    memory[start : start + len(values)] = np.array(values, np.int64).view(np.uint64)


class GanhEvaluation(Evaluation):
    """All features of `games.co_ganh.kernel.evaluation`, the same for both sides' pieces, for one way to capture."""

    features = ("men", *(name for name in ganh_weights.NAMES if name not in ("own", "enemy", "looks")))
    scale = 500
    game: CoGanh

    def __init__(self, game: CoGanh) -> None:
        self.game = game
        self._name = "OWN_FLIPPING" if game.rules.flips else "OWN"
        self.where = f"games/co_ganh/kernel/weights.py, {self._name}"
        self._memory = ganh_layout.allocate(game, 1)
        self._units = [self._words(unit) for unit in np.eye(len(self.features), dtype=np.int64)]

    def _words(self, row: NDArray[np.int64]) -> NDArray[np.uint64]:
        values = {"looks": 1, **dict(zip(self.features, row.tolist(), strict=True))}
        values["own"] = values["enemy"] = values["men"]
        return np.array([values[name] for name in ganh_weights.NAMES], np.int64).view(np.uint64)

    def shipped(self) -> Weights:
        words = ganh_weights.of_heuristic("", self.game.rules.flips).view(np.int64)
        held = dict(zip(ganh_weights.NAMES, words.tolist(), strict=True))
        return np.array([[held["own" if name == "men" else name] for name in self.features]], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        search = GanhSearch(self.game, TABLE_MB, seed)
        _write_ganh(search.memory, self._words(weights[0]))
        return search

    def counted(self, position: GanhPosition) -> Counted | None:
        """The position's features, each measured as its value with a weight of 1."""
        men = U(position.men[position.side]), U(position.men[1 - position.side])
        found = []
        for words in self._units:
            _write_ganh(self._memory, words)
            found.append(ganh_value(self._memory, *men))
        return Counted(0, np.array(found, np.int64))

    def text(self, weights: Weights) -> str:
        values = dict(zip(self.features, weights[0].tolist(), strict=True))
        men = values.pop("men")
        kept = {"own": men, "enemy": men, "looks": 1, **{name: value for name, value in values.items() if value}}
        lines = _wrapped(f'"{name}": {value}' for name, value in kept.items())
        return f"{self._name}: dict[str, int] = {{\n{lines}\n}}  # fmt: skip"


def _write_ganh(memory: NDArray[np.uint64], words: NDArray[np.uint64]) -> None:
    memory[int(ganh_layout.WEIGHTS) : int(ganh_layout.WEIGHTS) + len(words)] = words


class ChessEvaluation(Evaluation):
    """Worth of pieces, places and all other features, each twice: by how much of the pieces is left, and is not.

    A value is `chess_evaluation.WHOLE` times hundredths of a pawn.
    """

    features = tuple(f"{phase} {name}" for phase in ("early", "late") for name in chess_features.NAMES)
    fewest, most = -2000, 2000
    games, nodes = 5000, 500
    opening, astray, plies = (4, 10), 0.0, 300
    scale, spread, every = 280 * chess_evaluation.WHOLE, 25, 2
    where = "games/chess/kernel/weights.py, OWN"
    game: Chess

    def __init__(self, game: Chess) -> None:
        self.game = game
        self._memory = self.search(self.shipped(), 0).memory
        self._words = [word for first, count in chess_weights.FEATURES.values() for word in range(first, first + count)]

    def shipped(self) -> Weights:
        return np.array([np.array(chess_features.listed(chess_weights.OWN)).T.ravel()], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        search = ChessSearch(self.game, TABLE_MB, seed)
        chess_weights.write(search.memory, self._unlisted(weights))
        return search

    def counted(self, position: ChessPosition) -> Counted | None:
        """The features of a position in which no capture is due, nor a check to be met, and that is no mere ending."""
        memory, at = self._memory, STATE
        place_chess(memory, position)
        value = chess_evaluation.evaluate(memory, at)
        plain = chess_evaluation.weigh(memory, at) // chess_evaluation.WHOLE
        if memory[at + chess_layout.CHECKERS] or plain != value or quiesce(memory, U(0), -LIMIT, LIMIT) != value:
            return None
        found = chess_features.pieces(position.board, position.side)
        nothing = int(chess_evaluation.features(memory, at))
        for word in self._words:
            kept = memory[word]
            memory[word] = kept + U(1)
            counted = int(chess_evaluation.features(memory, at)) - nothing
            found.append((counted + 2**63) % 2**64 - 2**63)
            memory[word] = kept
        early = chess_evaluation.phase(memory, at)
        counts = np.array(found, np.int64)
        return Counted(0, np.concatenate([counts * early, counts * (chess_evaluation.WHOLE - early)]))

    def text(self, weights: Weights) -> str:
        return chess_features.text_of(self._unlisted(weights))

    def _unlisted(self, weights: Weights) -> chess_weights.Weights:
        pairs = weights[0].reshape(2, -1).T.tolist()
        return chess_features.unlisted([(early, late) for early, late in pairs])


class DraughtsEvaluation(Evaluation):
    """Where men stand, and all other features of `games.draughts.kernel.evaluation`, in three phases."""

    groups = ("more than two thirds of the pieces", "more than one", "fewer")
    games, nodes = 3000, 1000
    scale = 60
    game: Draughts

    def __init__(self, game: Draughts) -> None:
        self.game, self._size = game, game.geometry.size
        self.features = (*game.cells, *draughts_weights.Phase._fields[1:])
        self._name = draughts_weights.name_of(self._size, game.rules.flying)
        self.where = f"games/draughts/kernel/weights.py, {self._name}"
        self._memory = draughts_layout.allocate(game, 1)
        self._units = [self._words(unit) for unit in np.eye(len(self.features), dtype=np.int64)]

    def _phase(self, row: NDArray[np.int64]) -> draughts_weights.Phase:
        values, cells = row.tolist(), len(self.game.cells)
        return draughts_weights.Phase(values[:cells], *values[cells:])

    def _words(self, row: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The memory's words where all phases have these weights."""
        draughts_weights.write(self._memory, self._size, (self._phase(row),) * len(self.groups))
        return self._memory[int(draughts_layout.WEIGHTS) : int(draughts_layout.END)].copy()

    def shipped(self) -> Weights:
        phases = draughts_weights.of(self._size, self.game.rules.flying)
        return np.array([[*phase.squares, *phase[1:]] for phase in phases], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        search = DraughtsSearch(self.game, TABLE_MB, seed)
        draughts_weights.write(search.memory, self._size, tuple(map(self._phase, weights)))
        return search

    def counted(self, position: DraughtsPosition) -> Counted | None:
        """The position's features, each measured as its value with a weight of 1; None where the mover must take."""
        memory, at = self._memory, STATE
        place_draughts(memory, self.game, position)
        if memory[at + draughts_layout.TAKERS]:
            return None
        group = phase_of(memory, memory[at + draughts_layout.MINE], memory[at + draughts_layout.THEIRS])
        found = []
        for words in self._units:
            memory[int(draughts_layout.WEIGHTS) : int(draughts_layout.END)] = words
            found.append(draughts_value(memory, at))
        return Counted(int(group), np.array(found, np.int64))

    def text(self, weights: Weights) -> str:
        lines = [f"{self._name}: Phases = ("]
        for squares, *others in map(self._phase, weights):
            named = zip(draughts_weights.Phase._fields[1:], others, strict=True)
            lines += ["    Phase(", "        (", _wrapped(map(str, squares)), "        ),"]
            lines += [_wrapped(f"{name}={value}" for name, value in named), "    ),"]
        return "\n".join((*lines, ")  # fmt: skip"))


EVALUATIONS: dict[str, Callable[[Any], Evaluation]] = {
    "nine_mens_morris": MorrisEvaluation,
    "co_ganh": GanhEvaluation,
    "chess": ChessEvaluation,
    "draughts": DraughtsEvaluation,
}


def evaluation_of(game: AnyGame) -> Evaluation:
    """The evaluation of a game under its rules. Raises ValueError if this recipe makes none for it."""
    if game.name not in EVALUATIONS:
        raise ValueError(f"{game.name} has no such evaluation; the games that have one are {', '.join(EVALUATIONS)}")
    return EVALUATIONS[game.name](game)
