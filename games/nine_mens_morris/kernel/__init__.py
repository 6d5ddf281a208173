"""The compiled search for nine men's morris, with endgame tables; `supports` names the rules that it knows."""

from __future__ import annotations

from agents.kernels.memory import SALT, STATE, Word, trained, write
from agents.kernels.negamax import NegamaxSearch
from agents.search import Iteration
from agents.tables import endgames, files, first_use
from games.nine_mens_morris import Move, NineMensMorris, Position
from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel.negamax import negamax
from games.nine_mens_morris.kernel.weights import NAMED, OWN, PATTERNS

HAND = int(layout.NONE)
WINDOW = 100
"""Hundredths of a logit on each side of the expected score."""


def supports(game: NineMensMorris) -> bool:
    """Whether the search knows all rules of the game: those for which the endgame tables hold."""
    return files.hold(game)


class MorrisSearch(NegamaxSearch):
    """With the engine's own evaluation (heuristic ""), it uses the endgame tables that exist.

    The small ones are built in another process during the game when first needed. A named heuristic uses no tables.
    """

    window = WINDOW, 2, 3
    selective = 0xA5C3 << 48
    """Exact searches must not find scores from endgame tables."""

    def __init__(self, game: NineMensMorris, table_mb: int, seed: int, heuristic: str = "") -> None:
        super().__init__(negamax, layout.allocate(game, table_mb), seed)
        self.game = game
        for phase, weights in enumerate(NAMED[heuristic] if heuristic else OWN):
            write(self.memory, layout.WEIGHTS + Word(16 * phase), weights)
        if heuristic == "" and game.mills == NineMensMorris().mills:
            self.memory[int(layout.PATTERNS) : int(layout.PATTERNS_END)] = trained(PATTERNS)
            self.memory[layout.JUDGE] = 1
        self._tables = files.root() if heuristic == "" else None
        self._endgames: endgames.Endgames | None = None
        self._known: Iteration | None = None

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Sets the position with its history, and looks it up in the endgame tables."""
        self._position = position
        super().begin(position, nodes, exact)
        self._know_endgames(exact)

    def _place(self, position: Position) -> None:
        # Without the draw by quiet moves a game may exceed the array; single repetitions are then lost.
        earlier = [self._relative(key) for key in position.earlier[: layout.MAX_KEYS]]
        write(self.memory, layout.KEYS, earlier)
        self.memory[SALT] = self._salt(earlier, self.game.rules.repetition - 1)
        mine, theirs = position.men[position.side], position.men[1 - position.side]
        hands = position.hands[position.side], position.hands[1 - position.side]
        write(self.memory, STATE, (mine, theirs, *hands, position.quiet, 0, len(earlier), 0))

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

    def deepen(self, depth: int) -> Iteration:
        """A position in an endgame table is answered at once."""
        return super().deepen(depth) if self._known is None else self._known

    def _decode(self, code: int) -> Move:
        to, origin, removed = code & 31, code >> 5 & 31, code >> 10 & 31
        return Move(to, None if origin == HAND else origin, None if removed == HAND else removed)


SEARCH = MorrisSearch
