"""The compiled search for nine men's morris, with endgame tables; `supports` names the rules that it knows."""

from __future__ import annotations

from collections import Counter

import numpy as np

from agents.search import MAX_DEPTH, WIN, Iteration
from agents.tables import files, first_use
from games.nine_mens_morris import Move, NineMensMorris, Position
from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel.endgames import Endgames
from games.nine_mens_morris.kernel.moves import write_moves
from games.nine_mens_morris.kernel.negamax import negamax
from games.nine_mens_morris.kernel.weights import NAMED, OWN, patterns

LIMIT = 2 * WIN
"""Score beyond every real score."""
HAND = int(layout.NONE)
WINDOW = 100
"""Hundredths of a logit on each side of the expected score."""
OTHERWISE = 0xA5C3 << 48
"""Mixed into the stored keys of non-exact searches: exact searches must not find scores from endgame tables."""


def supports(game: NineMensMorris) -> bool:
    """Whether the search knows all rules of the game: those for which the endgame tables hold."""
    return files.hold(game)


class MorrisSearch:
    """`agents.search.Search` over one flat array.

    With the engine's own evaluation (heuristic ""), it uses the endgame tables that exist; the small ones are built in
    another process during the game when first needed. A named heuristic uses no tables.
    """

    def __init__(self, game: NineMensMorris, table_mb: int, seed: int, heuristic: str = "") -> None:
        self.game = game
        self.memory = layout.allocate(game, table_mb)
        self.memory[layout.NOISE] = seed
        for phase, weights in enumerate(NAMED[heuristic] if heuristic else OWN):
            start = int(layout.WEIGHTS) + 16 * phase
            self.memory[start : start + len(weights)] = np.array(weights, dtype=np.int64).astype(np.uint64)
        if heuristic == "" and game.mills == NineMensMorris().mills:
            self.memory[int(layout.PATTERNS) : int(layout.TABLE)] = patterns()
            self.memory[layout.JUDGE] = 1
        self._tables = files.root() if heuristic == "" else None
        self._endgames: Endgames | None = None
        self._known: Iteration | None = None
        self._position = game.initial()
        self._keys = 0
        self._scores: list[int] = []

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Sets the position with its history; the table stays, learnt move orders fade."""
        memory = self.memory
        self._position = position
        memory[[layout.STOP, layout.NODES, layout.HINT]] = 0
        memory[layout.NODE_LIMIT] = nodes or 0
        memory[layout.EXACT] = exact
        self._scores = []
        self._know_endgames(exact)
        memory[layout.GENERATION] = (int(memory[layout.GENERATION]) + 1) % 64
        memory[int(layout.HISTORY) : int(layout.KILLERS)] >>= np.uint64(3)
        memory[int(layout.KILLERS) : int(layout.KILLERS) + 2 * layout.MAX_PLY] = 0
        # Without the draw by quiet moves a game may exceed the array; single repetitions are then lost.
        earlier = [self._relative(key) for key in position.earlier[: layout.MAX_KEYS]]
        self._keys = len(earlier)
        memory[int(layout.KEYS) : int(layout.KEYS) + len(earlier)] = earlier
        memory[layout.SALT] = self._salt(earlier) ^ (0 if exact else OTHERWISE)

    def _know_endgames(self, exact: bool) -> None:
        """Opens the existing tables, requests the small ones, and looks the position up."""
        self._known = None
        self.memory[layout.ENDGAME_MEN] = 0
        if exact or self._tables is None:
            return
        if self._endgames is None or self._endgames.men < first_use.wanted(self.game):
            self._endgames = first_use.small_tables(self.game, self._tables)
            for (own, opp), address in self._endgames.addresses.items():
                self.memory[int(layout.ENDGAMES) + 16 * own + opp] = address
            self.memory[layout.ENDGAME_INDEX] = self._endgames.base
        self.memory[layout.ENDGAME_MEN] = self._endgames.men
        self._known = self._endgames.best_move(self._position)

    def _relative(self, key: int) -> int:
        """A position's key in the search's form: the mover's men first; the side is 0 if it is the root's."""
        light, dark, side = key & 0xFFFFFF, key >> 24 & 0xFFFFFF, key >> 48
        mine, theirs = (light, dark) if side == 0 else (dark, light)
        return mine | theirs << 24 | (side ^ self._position.side) << 48

    def _salt(self, earlier: list[int]) -> int:
        """Differs between histories in which different positions would be immediate draws by repetition."""
        least = self.game.rules.repetition - 1
        drawn = sorted(key for key, times in Counter(earlier).items() if times >= least)
        return hash(tuple(drawn)) & 0xFFFFFFFFFFFFFFFF if drawn else 0

    def deepen(self, depth: int) -> Iteration:
        """Runs one principal-variation full-window search; a position in an endgame table is answered at once."""
        memory, position = self.memory, self._position
        if self._known is not None:
            return self._known
        side, other = position.side, 1 - position.side
        memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
        own, theirs = np.uint64(position.men[side]), np.uint64(position.men[other])
        state = own, theirs, position.hands[side], position.hands[other], position.quiet, 0, self._keys, 0
        low, high = self._window(depth)
        negamax(memory, *state, min(depth, MAX_DEPTH), low, high, 0)
        if not low < int(memory[layout.BEST_SCORE].astype(np.int64)) < high and not memory[layout.STOP]:
            memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
            negamax(memory, *state, min(depth, MAX_DEPTH), -LIMIT, LIMIT, 0)
        best = int(memory[layout.BEST_MOVE])
        memory[layout.HINT] = best or memory[layout.HINT]
        self._scores.append(int(memory[layout.BEST_SCORE].astype(np.int64)))
        return Iteration(
            whole=not memory[layout.STOP],
            move=_decode(best) if best else None,
            score=int(memory[layout.BEST_SCORE].astype(np.int64)),
            pv=self._line(),
            nodes=int(memory[layout.NODES]),
        )

    def _window(self, depth: int) -> tuple[int, int]:
        """Bounds around the score of the search two plies before; none for exact searches."""
        if self.memory[layout.EXACT] or len(self._scores) < 2 or depth < 3 or abs(self._scores[-2]) > WIN // 2:
            return -LIMIT, LIMIT
        return self._scores[-2] - WINDOW, self._scores[-2] + WINDOW

    def _line(self) -> tuple[Move, ...]:
        length, start = int(self.memory[layout.PV_LENGTH]), int(layout.PV)
        return tuple(_decode(int(code)) for code in self.memory[start : start + length])

    def interrupt(self) -> None:
        """Interrupts a running search; the kernel checks the flag at every position."""
        self.memory[layout.STOP] = 1

    def moves(self, position: Position) -> set[Move]:
        """The moves that the search generates in a position that is not over."""
        side, other = position.side, 1 - position.side
        men = np.uint64(position.men[side]), np.uint64(position.men[other])
        count = int(write_moves(self.memory, *men, position.hands[side], np.uint64(0)))
        start = int(layout.MOVES)
        return {_decode(int(word) & 0x7FFF) for word in self.memory[start : start + count]}


def _decode(code: int) -> Move:
    to, origin, removed = code & 31, code >> 5 & 31, code >> 10 & 31
    return Move(to, None if origin == HAND else origin, None if removed == HAND else removed)


HEURISTICS: tuple[str, ...] = tuple(NAMED)
SEARCH = MorrisSearch
