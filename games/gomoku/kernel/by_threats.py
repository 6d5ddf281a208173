"""`agents.search.Search` for gomoku with the engine's own evaluation: proofs first, then alpha-beta by patterns."""

from __future__ import annotations

import numpy as np

from agents.kernels.memory import BEST_MOVE, BEST_SCORE, HINT, HISTORY, NODES, STOP, Word, begin_search
from agents.kernels.negamax import LIMIT, NegamaxSearch
from agents.search import MAX_DEPTH, WIN, Iteration
from games.gomoku import Choice, Gomoku, Move, Position
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.board import allocate, lift, place
from games.gomoku.kernel.negamax import DECIDED, DOUBT, SURE, negamax, write_moves
from games.gomoku.kernel.prover import Proof, write_stones
from rules.turns import cells_of

OPENINGS = (((0, 0), (1, 4), (3, -3)), ((-4, 2), (3, 4), (-1, -3)), ((5, 5), (-4, 5), (0, -5)))
"""Swap2 openings in rows and columns from the middle: black, white, black, neither colour being much better."""
FIRST_FOURS = 20_000
"""Most positions of a search for a win by fours, which precedes every other search."""
CAREFUL_DEPTH = 3
"""Depth from which the best move is checked for a win by threats of the enemy."""
NARROW_DEPTH, NARROW = 4, 50
"""Depth from which scores are searched so near the previous depth's."""
MAX_REFUSED = 20
"""Most moves banned at the root."""
MIN_THREATS = 2000
"""Fewest positions allowed to a search for a win by threats."""


class ThreatSearch(NegamaxSearch):
    """A search over one flat array. In renju it excludes fouls at the root, and claims no win of black except five."""

    def __init__(self, game: Gomoku, table_mb: int, seed: int) -> None:
        self.game = game
        rules = game.rules
        memory = allocate(game.size, (rules.exact_five or rules.renju, rules.exact_five), table_mb)
        super().__init__(lambda *window: negamax(memory, Word(self._colour), *window[1:]), memory, seed)
        self._opening = OPENINGS[seed % len(OPENINGS)]
        if rules.renju:
            self.memory[w.CLAIMS] = 2

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Loads the position. Tables stay, unless `exact` asks for a search that always gives the same result."""
        memory = self.memory
        self._position, self._colour = position, self.game.colour(position)
        self._moves = self.game.legal_moves(position)
        begin_search(memory, nodes or 0)
        memory[HINT] = 0
        history = memory[int(HISTORY) : int(HISTORY) + 2 * w.CELLS].view(np.int64)
        history //= 2
        if exact:
            history[:] = 0
            memory[int(w.STACK) : int(w.HELD)] = 0
            memory[int(memory[w.FAILED]) :] = 0
        memory[int(w.STACK) : int(w.REPLIES)] = 0
        write_stones(memory, self.game.size, position.stones)
        self._banned = memory[int(w.BANNED) : int(w.LOG)]
        self._banned[:] = 0
        for index in cells_of(self.game.fouls(position)):
            self._banned[w.cell_of(index, self.game.size)] = 1
        self._proof = Proof(memory, self._colour)
        self._spent = self._last = 0
        self._refused: dict[int, tuple[int, ...]] = {}
        self._checked: dict[int, int] = {}
        self._lost = False

    def deepen(self, depth: int) -> Iteration:
        """Searches for a forced win, longer at each depth, then searches all promising lines to the depth."""
        memory, position = self.memory, self._position
        if position.count < (3 if position.stage == "lay" else 1):
            move = self._lay()
            return Iteration(True, move, 0, (move,), int(memory[NODES]), final=True)
        if self._wins(depth):
            line = self._proof.line
            return self._found(line, WIN - len(line), final=True)
        best = self._search(depth)
        while best and depth >= CAREFUL_DEPTH and not memory[STOP] and self._refutes(best):
            best = self._search(depth)
        if self._refused and (not best or self._score() < -DECIDED) and not memory[STOP]:
            return self._longest_loss(best)
        memory[HINT] = best or memory[HINT]
        line = tuple(self._line())
        return self._found(line if best and line[:1] == (best,) else (best,), self._score())

    def _search(self, depth: int) -> int:
        """The best cell by alpha-beta; 0 if no move was searched to the end."""
        memory, low, high = self.memory, -LIMIT, LIMIT
        if depth >= NARROW_DEPTH and memory[HINT] and abs(self._last) < DECIDED:
            low, high = self._last - NARROW, self._last + NARROW
        memory[[BEST_MOVE, BEST_SCORE]] = 0
        while True:
            score = self._negamax(memory, 0, min(depth, MAX_DEPTH), low, high)
            if memory[STOP] or low < score < high:
                break
            if score <= low:
                low = -LIMIT
                memory[[BEST_MOVE, BEST_SCORE]] = 0
            else:
                high = LIMIT
        self._last = score
        if depth == 1 and not memory[BEST_MOVE] and write_moves(memory, Word(self._colour), Word(0), Word(1), Word(0)):
            return int(memory[w.MOVES] & w.CELL)
        return int(memory[BEST_MOVE])

    def _claims(self, colour: int) -> bool:
        """Whether a colour's wins by threats are certain."""
        return bool(int(self.memory[w.CLAIMS]) >> colour & 1)

    def _refutes(self, cell: int) -> bool:
        """Whether the enemy wins by threats after this move, which is then banned at the root.

        Checks again only with at least twice the last budget.
        """
        memory, enemy = self.memory, 1 - self._colour
        budget = max(MIN_THREATS, int(memory[NODES]) // 6)
        decided = abs(self._score()) > DECIDED
        if decided or not self._claims(enemy) or budget < 2 * self._checked.get(cell, 0):
            return False
        self._checked[cell] = budget
        place(memory, Word(cell), Word(self._colour))
        proof = Proof(memory, enemy)
        lost = proof.by_fours(FIRST_FOURS) or proof.by_threats(budget)
        lift(memory)
        if lost:
            self._refused[cell] = (cell, *proof.line)
            self._banned[cell] = len(self._refused) <= MAX_REFUSED
            memory[HINT] = 0
        return lost

    def _longest_loss(self, best: int) -> Iteration:
        """If every move tried loses: the one that loses last, among the refused ones and the best of the others."""
        line = max(self._refused.values(), key=len)
        score = len(line) - WIN + (0 if self._last < -SURE else DOUBT)
        if best and self._score() > score:
            return self._found((best,), self._score())
        return self._found(line, score)

    def _wins(self, depth: int) -> bool:
        """Whether a win is proven; spends up to a third of all positions on proofs."""
        memory, proof = self.memory, self._proof
        if not self._claims(self._colour):
            return False
        if depth == 1:
            proof.by_fours(FIRST_FOURS)
        elif not proof.hopeless and not proof.line:
            before = int(memory[NODES])
            proof.by_threats(max(MIN_THREATS, (before - 3 * self._spent) // 2))
            self._spent += int(memory[NODES]) - before
        return bool(proof.line)

    def _found(self, line: tuple[int, ...], score: int, final: bool = False) -> Iteration:
        """An iteration from a line of cells; (0,) is no line. Chooses black in swap2 if that is better than a stone."""
        game, memory = self.game, self.memory
        whole = final or not memory[STOP]
        if whole:
            self._lost = score < -SURE
        elif score < -SURE and not self._lost:
            score += DOUBT  # a move that was not searched any more may be better
        moves: tuple[Move | Choice, ...] = tuple(Move(w.index_of(cell, game.size)) for cell in line if cell)
        if moves and self._position.stage == "choose" and score < 0:
            moves, score = (Choice("black"), *moves), -score
        if moves and moves[0] not in self._moves:
            # Every stone that stops the loss is forbidden: any legal one will do.
            moves = tuple(self._moves[:1])
        moves = self._legal(moves)
        return Iteration(whole, moves[0] if moves else None, score, moves, int(memory[NODES]), final)

    def _legal(self, moves: tuple[Move | Choice, ...]) -> tuple[Move | Choice, ...]:
        """The line as far as it is legal: the search only estimates fouls, and forgets the opening after a move."""
        position = self._position
        for number, move in enumerate(moves):
            if self.game.fouls(position) and move not in self.game.legal_moves(position):
                return moves[:number]
            position = self.game.apply(position, move)
        return moves

    def _lay(self) -> Move:
        """An opening move without a search: the middle, or our swap2 opening's, or any legal stone if that is not."""
        size, middle = self.game.size, self.game.size // 2
        row, column = self._opening[self._position.count] if self._position.stage == "lay" else (0, 0)
        move = Move((middle + row) * size + middle + column)
        return move if move in self._moves else next(other for other in self._moves if isinstance(other, Move))
