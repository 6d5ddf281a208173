"""Monte Carlo tree search with random playouts: in compiled code for go, in plain Python for the other games.

The plain search is UCT, upper confidence bounds applied to trees; its options `c`, `child`, `playout_plies`, `bias` and
`heuristic` ask for it in every game.

A child is worth `w/(n+e) + C sqrt(ln(N+e)/(n+e))` to the side that moves into it, with its wins `w` (a draw is half of
one), its playouts `n` and its parent's playouts `N`; children without playouts go first. Kocsis and Szepesvári, 2006;
the final choice rules, and the bias by knowledge, are from Chaslot et al., "Progressive strategies for Monte-Carlo tree
search", 2008.
"""

from __future__ import annotations

import dataclasses
import math
import random
import threading
from collections.abc import Sequence
from typing import Any

from agents import heuristics, kernels, loading
from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.move_request import Luck, MoveRequest, as_seen, imagined
from rules import AnyGame, HiddenHands, RandomPlay, Side, worth_trying
from rules.options import rule

SIMULATIONS = 100
"""Playouts per move without any limit: as in the original program (docs/results.md)."""
CHILDREN = ("max", "robust", "max_robust", "secure")
"""Final choice rules: the highest mean, the most playouts, both, the highest lower bound."""
EPSILON = 1e-6
CAUTION = 1.0
"""How far below its mean the lower bound of a child lies after one playout, for `secure`."""
PATIENCE = 10
"""Times the requested playouts, at most, that `max_robust` may take until one child is best in playouts and mean."""
PLAIN = ("c", "child", "playout_plies", "bias", "heuristic")
"""Options of the plain search alone."""
TREE_MB = 128
"""Mebibytes that the compiled search's tree may grow to."""
AT_ONCE = 16
"""Playouts of the compiled search between two looks at the clock: on 19 lines they take a few milliseconds."""


@dataclasses.dataclass(frozen=True)
class MctsOptions:
    simulations: int = rule(
        0,
        "playouts a move; 0 is a hundred, or as time and nodes allow where they are limited",
        minimum=0,
        maximum=10**9,
    )
    c: str = rule("sqrt2", "how much is explored: a number of at least 0, or sqrt2")
    child: str = rule(
        "max",
        "the move taken: with the highest mean (of equal ones that with the fewest replies), the most playouts, "
        "both, or the highest lower bound",
        choices=CHILDREN,
    )
    playout_plies: int = rule(
        0, "plies after which a playout is judged by the heuristic; 0 plays to the end", minimum=0, maximum=10**6
    )
    keep_tree: bool = rule(True, "goes on from the playouts of earlier moves")
    bias: int = rule(0, "percent by which the heuristic biases what is explored", minimum=0, maximum=1000)
    heuristic: str = rule("", "name of the heuristic for bias and playouts cut short; empty is the game's usual one")
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    seed: int = rule(0, "the same seed plays the same; 0 plays differently every time", minimum=0, maximum=2**31)


class Mcts(GameAgent):
    name = "mcts"
    Options = MctsOptions

    def __init__(self, game: AnyGame, options: MctsOptions | None = None) -> None:
        super().__init__(game, options)
        self._c = _exploration(self.options.c)
        self._heuristic = heuristics.named(game, self.options.heuristic)
        self._random = random.Random(self.options.seed or None)
        self._root: Node | None = None
        self._compiled: kernels.Playouts | None = None
        self._luck = Luck(self.options.seed, self.options.error_percent)
        self._is_plain = any(getattr(self.options, name) != getattr(MctsOptions(), name) for name in PLAIN)

    @classmethod
    def warm_up(cls, game: AnyGame) -> None:
        if kernels.by_playouts(game):
            loading.begin(game.name).join()

    def prepare(self, stop: threading.Event) -> None:
        """Waits for the compiled search, as `agents.loading` allows."""
        if self._compiled is None and not self._is_plain and kernels.by_playouts(self.game):
            loading.wait(self.game.name, stop)
            if not loading.is_pending(self.game.name):
                self._compiled = kernels.playouts(self.game, TREE_MB, self.options.seed)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The move selected by the option `child`, after as many playouts as the limits allow.

        The score runs from -1, a sure loss, to 1. Raises ValueError where the game is over.
        """
        self.prepare(stop)
        request = MoveRequest(self.game, position, limits, stop)
        moves = request.moves
        if self._luck.errs():
            return request.answer(self._luck.error_of(request))
        if self._compiled is not None:
            return self._chosen(self._compiled, request)
        known = HiddenHands.of(self.game).view(position, self.game.to_move(position))
        root = self._rooted(known)
        count = self._simulate(root, known, request)
        if not any(child.playouts for child in root.children.values()):
            return request.answer(self._random.choice(moves), nodes=0)
        chosen = choice(root, self.options.child, self.game)
        move = as_seen(self.game, position, known, chosen)
        return request.answer(move, 2 * root.children[chosen].mean - 1, count, 1)

    def _chosen(self, search: kernels.Playouts, request: MoveRequest) -> Answer:
        """The move that the compiled search finds."""
        search.begin(request.position)
        most, count = self._most(request.limits), 0
        while (most is None or count < most) and not request.is_over():
            count += search.run(AT_ONCE if most is None else min(AT_ONCE, most - count))
        if count == 0:
            return request.answer(self._random.choice(request.moves), nodes=0)
        move, score = search.best()
        return request.answer(move, score, count, 1)

    def _most(self, limits: Limits) -> int | None:
        """Playouts at most; None where time alone limits them."""
        most = self.options.simulations or (None if limits.time_s else SIMULATIONS)
        return limits.nodes if limits.nodes is not None else most

    @property
    def standing(self) -> tuple[float, int]:
        """The mean of the last position, from -1, a sure loss of the side to move, to 1; and its number of playouts."""
        if self._compiled is not None:
            return self._compiled.standing
        root = self._root
        return (0.0, 1) if root is None or not root.playouts else (1 - 2 * root.mean, root.playouts)

    def _rooted(self, known: Any) -> Node:
        found = Node(known, 1 - self.game.to_move(known))
        if self.options.keep_tree and self._root is not None and not isinstance(self.game, HiddenHands):
            level = [self._root]
            for _ in range(3):
                found = next((node for node in level if node.position == known), found)
                level = [child for node in level for child in node.children.values()]
        self._root = found
        return found

    def _simulate(self, root: Node, known: Any, request: MoveRequest) -> int:
        limits = request.limits
        most = self._most(limits)
        patience = PATIENCE if self.options.child == "max_robust" and limits.nodes is None else 1
        patient = None if most is None else most * patience
        count = 0
        while patient is None or count < patient:
            if most is not None and count >= most and max_robust(root) is not None:
                break
            if request.is_over():
                break
            if isinstance(self.game, HiddenHands):
                self._simulate_dealt(root, known)
            else:
                self._simulate_open(root)
            count += 1
        return count

    def _simulate_open(self, root: Node) -> None:
        game, node, path = self.game, root, [root]
        while True:
            if node.untried is None:
                self._expand(node)
            if node.untried:
                move = node.untried.pop()
                child = node.children.get(move)
                if child is None:
                    child = Node(game.apply(node.position, move), game.to_move(node.position))
                    node.children[move] = child
                path.append(child)
                node = child
                break
            if not node.children:
                break
            node = most_promising(node, list(node.children.values()), self._c, self.options.bias / 100)
            path.append(node)
        add_playout(path, self._play_out(node.position))

    def _expand(self, node: Node) -> None:
        """Lists a new node's moves, to be tried in random order or in the heuristic's."""
        moves = list(worth_trying(self.game, node.position))
        self._random.shuffle(moves)
        if self.options.bias and moves:
            side = self.game.to_move(node.position)
            for move in moves:
                node.children[move] = Node(self.game.apply(node.position, move), side)
            values = [self._value(child.position, side, move) for move, child in node.children.items()]
            least, span = min(values), (max(values) - min(values)) or 1
            for child, value in zip(node.children.values(), values, strict=True):
                child.bias = (value - least) / span
            moves.sort(key=lambda move: node.children[move].bias)
        node.untried = moves

    def _simulate_dealt(self, root: Node, known: Any) -> None:
        """One playout from a random deal of everything hidden; all deals share one tree, keyed by moves."""
        game, node, path = self.game, root, [root]
        position = imagined(game, known, self._random.randrange(2**30))
        while moves := game.legal_moves(position):
            side = game.to_move(position)
            fresh = [move for move in moves if move not in node.children]
            if fresh:
                move = self._random.choice(fresh)
                node.children[move] = node = Node(None, side)
                position = game.apply(position, move)
                path.append(node)
                break
            there = {id(node.children[move]): move for move in moves}
            best = most_promising(node, [node.children[move] for move in moves], self._c, 0.0)
            position = game.apply(position, there[id(best)])
            node = best
            path.append(node)
        add_playout(path, self._play_out(position))

    def _play_out(self, position: Any) -> float:
        """The result of a random playout for the first side: 1 won, 0.5 drawn, 0 lost."""
        game, draw = self.game, self._random.random
        if (
            not self.options.playout_plies
            and (ended := RandomPlay.of(game).roll_out(position, self._random.randrange(2**30))) is not None
        ):
            return ended
        plies, last = self.options.playout_plies or math.inf, None
        while moves := game.legal_moves(position):
            if plies <= 0 and heuristics.is_quiet(game, position):
                value = self._value(position, 0, last)
                return 0.5 if not value else float(value > 0)
            last = moves[int(draw() * len(moves))]
            position = game.apply(position, last)
            plies -= 1
        outcome = game.outcome(position)
        return 0.5 if outcome is None or outcome.winner is None else float(outcome.winner == 0)

    def _value(self, position: Any, side: Side, last: Any) -> int:
        """The heuristic's value for one side; finished games lie beyond all other values."""
        if (outcome := self.game.outcome(position)) is not None:
            return 0 if outcome.winner is None else 10**6 if outcome.winner == side else -(10**6)
        value = self._heuristic(self.game, position, last)
        return value if self.game.to_move(position) == side else -value


def _exploration(text: str) -> float:
    try:
        value = math.sqrt(2) if text == "sqrt2" else float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise AgentError(f"mcts: option c is a number of at least 0, or sqrt2, not {text!r}")
    return value


class Node:
    """A position in the tree, or in games with hidden hands all positions that the same moves lead to."""

    __slots__ = ("bias", "children", "mover", "playouts", "position", "untried", "wins")

    def __init__(self, position: Any, mover: Side) -> None:
        self.position = position
        self.mover = mover
        """Side that moved here; `wins` counts for it."""
        self.children: dict[Any, Node] = {}
        self.untried: list[Any] | None = None
        """Moves without a playout, the next one last; None before the first visit."""
        self.playouts = 0
        self.wins = 0.0
        self.bias = 0.0
        """The heuristic's value relative to the siblings, 0 to 1."""

    @property
    def mean(self) -> float:
        """Wins per playout, for the side that moved here; needs at least one playout."""
        return self.wins / self.playouts


def most_promising(node: Node, children: Sequence[Node], c: float, bias: float) -> Node:
    """The child with the highest bound, the first of equals; all have playouts. `bias` is the weight of knowledge."""
    log = math.log(node.playouts + EPSILON)
    best, most = children[0], -math.inf
    for child in children:
        n = child.playouts + EPSILON
        bound = child.wins / n + c * math.sqrt(log / n)
        if bias:
            bound += bias * child.bias / (n + 1)
        if bound > most:
            best, most = child, bound
    return best


def add_playout(path: Sequence[Node], first: float) -> None:
    """Counts a playout at every node of the path; `first` is its value for the first side, 0 to 1."""
    for node in path:
        node.playouts += 1
        node.wins += first if node.mover == 0 else 1 - first


def choice(root: Node, kind: str, game: AnyGame) -> Any:
    """The move to play by one of CHILDREN. At least one child must have playouts."""
    tried = _tried(root)
    if kind == "robust":
        return max(tried, key=lambda move: (tried[move].playouts, tried[move].mean))
    if kind == "secure":
        return max(tried, key=lambda move: tried[move].mean - CAUTION / math.sqrt(tried[move].playouts))
    if kind == "max_robust" and (both := max_robust(root)) is not None:
        return both

    def replies(move: Any) -> int:
        """Children tried so far if the node has no position, otherwise legal moves."""
        node = tried[move]
        return len(node.children if node.position is None else game.legal_moves(node.position))

    most = max(child.mean for child in tried.values())
    equal = [move for move, child in tried.items() if child.mean == most]
    return equal[0] if len(equal) == 1 else min(equal, key=replies)


def max_robust(root: Node) -> Any:
    """The move with the most playouts if its mean is also the highest; otherwise None."""
    tried = _tried(root)
    if not tried:
        return None
    robust = max(tried, key=lambda move: (tried[move].playouts, tried[move].mean))
    return robust if tried[robust].mean == max(child.mean for child in tried.values()) else None


def _tried(root: Node) -> dict[Any, Node]:
    return {move: child for move, child in root.children.items() if child.playouts}


AGENT = Mcts
