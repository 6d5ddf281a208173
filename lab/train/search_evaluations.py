"""The evaluations that searches judge by, as features to count and weights to fit.

An evaluation is an integer matrix of weights, (groups, features): morris and draughts have other weights in each phase
of the game, the others one group. The value of a position for the side to move is its features times its group's
weights.
"""

from __future__ import annotations

import abc
import itertools
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
from agents.kernels.negamax import LIMIT
from games import gomoku, nine_mens_morris
from games.chess import Chess
from games.chess import Position as ChessPosition
from games.chess.kernel import ChessSearch
from games.chess.kernel import evaluation as chess_evaluation
from games.chess.kernel.negamax import quiesce
from games.chess.kernel.placing import place as place_chess
from games.co_ganh import CoGanh
from games.co_ganh import Position as GanhPosition
from games.co_ganh.kernel import GanhSearch
from games.co_ganh.kernel.evaluation import evaluate as ganh_value
from games.draughts import Draughts
from games.draughts import Position as DraughtsPosition
from games.draughts.kernel import DraughtsSearch
from games.draughts.kernel.evaluation import evaluate as draughts_value
from games.draughts.kernel.evaluation import phase_of
from games.draughts.kernel.placing import place as place_draughts
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel import weights as kernel
from games.gomoku.kernel.by_threats import ThreatSearch
from games.gomoku.kernel.negamax import OWN_FOURS, has_fours
from games.gomoku.kernel.prover import write_stones
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
    starts_anew = False
    """Whether a random move decides so much that only the positions after it get the game's result."""
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


TRIPLES = tuple(
    triple
    for triple in itertools.product((8, 5, 4, 3, 2, 0), repeat=3)
    if triple[0] >= triple[1] >= triple[2] and triple[1] < 8 and triple[0]
)
"""The three best patterns of a cell, the best first, that are not fitted as a win."""
SPANS = tuple(len(bounds) + 1 for bounds in kernel.COUNTED)
"""Number of values of each part of a row of `weights.TURNS`."""
NEAR = 3
"""Lines from another stone within which a random stone is laid."""


class GomokuEvaluation(Evaluation):
    """Counts of empty cells, by the three best of a colour's four patterns there; and the turn.

    What it is worth to be to move depends on the threats that both sides have on the board. For any rules but swap2,
    whose opening the evaluation does not cover.
    """

    features = (
        *map(str, TRIPLES),
        "wins",
        *(f"turn {row} {part} {value}" for row in (0, 1) for part, span in enumerate(SPANS) for value in range(span)),
    )
    fewest, most = 0, 120
    games, nodes, plies = 4000, 1000, 110
    opening = (1, 7)
    astray, starts_anew = 0.15, True
    scale, strength = 70, 0.003
    where = "games/gomoku/kernel/weights.py, TRIPLES, WINS and TURNS"
    game: gomoku.Gomoku

    def __init__(self, game: gomoku.Gomoku) -> None:
        """Raises ValueError for swap2."""
        if game.rules.swap2:
            raise ValueError("gomoku: rule option swap2 only changes the opening: train without swap2=true")
        self.game = game
        self._memory = self.search(self.shipped(), 0).memory

    def shipped(self) -> Weights:
        turns = (value for row in kernel.TURNS for part in row for value in part)
        return np.array([[*(kernel.TRIPLES.get(triple, 0) for triple in TRIPLES), kernel.WINS, *turns]], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        search = ThreatSearch(self.game, TABLE_MB, seed)
        memory, (triples, wins, turns) = search.memory, _parts(weights)
        judged = kernel.cell_values(triples, wins)
        memory[int(layout.JUDGED) : int(layout.JUDGED) + 2**13] = judged.view(np.uint64)
        memory[int(layout.TURNS) : int(layout.FOUR_CELLS)] = kernel.turn_values(turns).view(np.uint64)
        patterns = _empty_patterns(memory)
        memory[layout.SUMS] = int(judged[patterns & 0xFFFF].sum())
        memory[layout.SUMS + layout.Word(1)] = int(judged[patterns >> 16].sum())
        return search

    def counted(self, position: gomoku.Position) -> Counted | None:
        """Cells of each kind, the mover's minus the enemy's, and the parts of the turn; None if a move is forced."""
        memory, mover = self._memory, self.game.colour(position)
        write_stones(memory, self.game.size, position.stones)
        sets = memory[int(layout.SETS) : int(layout.ZOBRIST)].reshape(2, layout.SIDE_SETS, layout.SET_WORDS)
        own, enemy = np.bitwise_count(sets).sum(axis=2)[[mover, 1 - mover]].tolist()
        if own[layout.FIVE] or enemy[layout.FIVE] or own[layout.WINNING]:
            return None
        if has_fours(memory, U(mover), OWN_FOURS):
            return None
        patterns = _empty_patterns(memory)
        black, white = (_kinds(patterns >> shift & 0xFFFF) for shift in (0, 16))
        counts = (own[layout.FOUR], own[layout.THREE], enemy[layout.FOUR], enemy[layout.THREE])
        turn = np.zeros((2, sum(SPANS)), np.int64)
        start = 0
        for bounds, span, count in zip(kernel.COUNTED, SPANS, counts, strict=True):
            turn[int(enemy[layout.WINNING] > 0), start + int(np.digitize(count, bounds))] = 1
            start += span
        return Counted(0, np.concatenate([black - white if mover == 0 else white - black, turn.ravel()]))

    def random_moves(self, position: gomoku.Position) -> Sequence[Any]:
        size, stones = self.game.size, position.stones[0] | position.stones[1]
        taken = [divmod(cell, size) for cell in range(size * size) if stones >> cell & 1] or [(size // 2, size // 2)]
        near = {
            row * size + column
            for line, place in taken
            for row in range(line - NEAR, line + NEAR + 1)
            for column in range(place - NEAR, place + NEAR + 1)
            if 0 <= row < size and 0 <= column < size
        }
        legal = self.game.legal_moves(position)
        return [move for move in legal if isinstance(move, gomoku.Move) and move.cell in near] or legal

    def text(self, weights: Weights) -> str:
        triples, wins, turns = _parts(weights)
        lines = _wrapped(f"{triple}: {value}" for triple, value in triples.items() if value)
        rows = "\n".join(f"    {row}," for row in turns)
        return f"TRIPLES: Triples = {{\n{lines}\n}}  # fmt: skip\nWINS = {wins}\nTURNS: Turns = (\n{rows}\n)"


def _parts(weights: Weights) -> tuple[kernel.Triples, int, kernel.Turns]:
    """The weights as `weights.TRIPLES`, WINS and TURNS."""
    values = iter(weights[0].tolist())
    triples: kernel.Triples = {triple: next(values) for triple in TRIPLES}
    wins = next(values)
    return triples, wins, tuple(tuple(tuple(itertools.islice(values, span)) for span in SPANS) for _ in (0, 1))


def _empty_patterns(memory: NDArray[np.uint64]) -> NDArray[np.int64]:
    stones = memory[int(layout.STONES) : int(layout.STONES) + layout.CELLS]
    patterns = memory[int(layout.PATTERNS) : int(layout.PATTERNS) + layout.CELLS]
    found: NDArray[np.int64] = patterns[stones == 0].astype(np.int64)
    return found


def _kinds(patterns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of cells with each of TRIPLES as the three best of their four patterns, and of cells that win."""
    best = kernel.triple_of(patterns)
    counts = np.bincount((best[0] * 16 + best[1]) * 16 + best[2], minlength=16**3)
    found = [counts[(first * 16 + second) * 16 + third] for first, second, third in TRIPLES]
    return np.array([*found, np.count_nonzero(kernel.wins(best))], np.int64)


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
        memory, at = self._memory, chess_layout.POSITIONS
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
        memory, at = self._memory, draughts_layout.POSITIONS
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
    "gomoku": GomokuEvaluation,
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
