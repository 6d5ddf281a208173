"""Search benchmark: the engine, plain alpha-beta and plain minimax side by side, playouts, perft and endgames.

All search the same positions in the same process, in turns, to the same depth and with the same heuristic, so that
other load on the machine affects all alike. Time is processor time of this process. Their scores must be equal.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agents import heuristics, kernels, players
from agents import perft as plain_perft
from agents.agent import Limits
from agents.arena import openings
from agents.plain_search import PlainSearch
from agents.players import Player
from rules import AnyGame

SEED = 1
"""Seed that draws the positions."""
ENDGAMES = 3
"""Endgames that are solved."""
ENGINE_NODES = 1_000_000
"""Node limit for each position; the depth reached is reported."""
SIMULATIONS = (25, 50, 100, 200)
PERFT_S = 0.3
"""Processor seconds; perft goes deeper until it takes this long."""
EMPTIES, PLAIN_EMPTIES = 18, 8
"""Empty squares of the reversi endgames that the solver and plain alpha-beta, respectively, search to the end."""
DISCS_AT_START = 4


@dataclasses.dataclass(frozen=True)
class Cost:
    what: str
    nodes: int
    """Positions visited; leaves for perft, playouts for mcts."""
    seconds: float
    """Processor seconds."""
    depth: int | None = None

    @property
    def per_second(self) -> float:
        return self.nodes / self.seconds if self.seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "per_second": round(self.per_second)}


@dataclasses.dataclass(frozen=True)
class GameCost:
    game: str
    heuristic: str
    positions: int
    exact: tuple[Cost, ...]
    """Minimax at every depth up to the last, then plain alpha-beta and the kernel at the last."""
    scores_equal: bool
    """Whether all searches to the last depth found the same scores."""
    engine: Cost
    """The engine with its own evaluation and a node limit."""
    mcts: tuple[Cost, ...]
    """Cost of one move for each number of simulations."""
    perft: tuple[Cost, ...]
    endgames: tuple[Cost, ...]
    """Reversi only."""

    @property
    def ratios(self) -> dict[str, float]:
        by_name = {cost.what: cost for cost in self.exact if cost.depth == self.exact[-1].depth}
        ours, full, plain = self.exact[-1], by_name["minimax"], by_name["plain alphabeta"]
        found = {"minimax nodes / plain alphabeta nodes": full.nodes / plain.nodes}
        found["minimax seconds / plain alphabeta seconds"] = full.seconds / plain.seconds
        if ours is not plain:
            found["minimax seconds / kernel seconds"] = full.seconds / ours.seconds
            found["plain alphabeta seconds / kernel seconds"] = plain.seconds / ours.seconds
            found["engine nodes/s / plain alphabeta nodes/s"] = self.engine.per_second / plain.per_second
        for name, costs in (("perft leaves/s", self.perft), ("endgame nodes/s", self.endgames)):
            if len(costs) == 2:
                found[f"{name}: kernel / plain"] = costs[0].per_second / costs[1].per_second
        return {name: round(value, 2) for name, value in found.items()}

    def as_json(self) -> dict[str, Any]:
        found = dataclasses.asdict(self)
        for name in ("exact", "mcts", "perft", "endgames"):
            found[name] = [cost.as_json() for cost in getattr(self, name)]
        return {**found, "engine": self.engine.as_json(), "ratios": self.ratios}


class _Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def time(self, work: Callable[[], Any]) -> Any:
        began_s = time.process_time()
        result = work()
        self.seconds += time.process_time() - began_s
        return result


def measure(game: AnyGame, progress: Callable[[str], None] = lambda _text: None) -> GameCost:
    """All figures of a game; `progress` is called with a description of each next step. Takes seconds to a minute."""
    name = next(iter(heuristics.of(game)))
    depths = heuristics.depths_of(game)
    depth, drawn = depths.measured, openings.drawn(game, depths.opening, SEED, depths.positions)
    positions = [opening.position(game) for opening in drawn]
    progress("the kernel is fetched or compiled")
    Player(players.parse("alphabeta:nodes=1000,book=false"), game).choose(positions[0])
    progress(f"the same search to depth {depth}")
    exact, equal = _exact(game, positions, name, depth)
    progress("the engine")
    engine = _engine(game, positions)
    progress("playouts")
    mcts = tuple(_mcts(game, positions[0], count) for count in SIMULATIONS)
    progress("perft")
    counts = tuple(_perft(game))
    progress("endgames")
    return GameCost(game.name, name, len(positions), exact, equal, engine, mcts, counts, tuple(_endgames(game)))


Search = Callable[[], tuple[float | None, int]]
"""Runs a prepared search and returns its score and nodes."""


def _exact(game: AnyGame, positions: Sequence[Any], name: str, depth: int) -> tuple[tuple[Cost, ...], bool]:
    """Times the same search by every method, position by position."""
    ways: list[tuple[str, int, Callable[[Any], Search]]] = [
        ("minimax", plies, functools.partial(_asked, game, f"minimax:heuristic={name}", plies))
        for plies in range(1, depth + 1)
    ]
    ways.append(("plain alphabeta", depth, functools.partial(_plain, game, name, depth)))
    if kernels.search(game, 1, 0, name) is not None:
        ways.append(("kernel alphabeta", depth, functools.partial(_asked, game, f"alphabeta:heuristic={name}", depth)))
    clocks, nodes, equal = [_Clock() for _ in ways], [0] * len(ways), True
    for position in positions:
        scores = set()
        for number, (_, plies, prepare) in enumerate(ways):
            score, visited = clocks[number].time(prepare(position))
            nodes[number] += visited
            scores |= {score} if plies == depth else set()
        equal = equal and len(scores) == 1
    return tuple(Cost(way[0], nodes[at], clocks[at].seconds, way[1]) for at, way in enumerate(ways)), equal


def _asked(game: AnyGame, text: str, depth: int, position: Any) -> Search:
    player = Player(players.parse(f"{text},depth={depth}"), game)

    def ask() -> tuple[float | None, int]:
        answer = player.choose(position)
        return answer.score, answer.nodes

    return ask


def _plain(game: AnyGame, name: str, depth: int, position: Any) -> Search:
    def search() -> tuple[float, int]:
        plain = PlainSearch(game, heuristics.of(game)[name])
        plain.begin(position, None, exact=True)
        found = [plain.deepen(plies) for plies in range(1, depth + 1)][-1]
        return float(found.score), found.nodes

    return search


def _engine(game: AnyGame, positions: Sequence[Any]) -> Cost:
    """The engine's cost; without a kernel it gets a hundredth of the nodes, which would otherwise take minutes."""
    limit = ENGINE_NODES if kernels.supports(game) else ENGINE_NODES // 100
    clock, nodes, depths = _Clock(), 0, 0
    for position in positions:
        player = Player(dataclasses.replace(players.parse("alphabeta:book=false"), limits=Limits(nodes=limit)), game)
        answer = clock.time(functools.partial(player.choose, position))
        nodes, depths = nodes + answer.nodes, depths + answer.depth
    return Cost("engine", nodes, clock.seconds, round(depths / len(positions)))


def _mcts(game: AnyGame, position: Any, simulations: int) -> Cost:
    clock, player = _Clock(), Player(players.parse(f"mcts:simulations={simulations},seed=1"), game)
    clock.time(functools.partial(player.choose, position))
    return Cost("mcts", simulations, clock.seconds)


def _perft(game: AnyGame) -> Iterator[Cost]:
    """Perft by the kernel, if there is one, then by the rules; each goes deeper until it takes PERFT_S."""
    if kernels.perft(game, game.initial(), 1) is None:
        return
    for what, count in (("kernel perft", kernels.perft), ("plain perft", plain_perft.perft)):
        for depth in itertools.count(1):
            clock = _Clock()
            leaves = clock.time(functools.partial(count, game, game.initial(), depth))
            if clock.seconds >= PERFT_S:
                yield Cost(what, leaves, clock.seconds, depth)
                break


def _endgames(game: AnyGame) -> Iterator[Cost]:
    """Reversi to the last square: by the solver with many empty squares, by plain alpha-beta with few."""
    if game.name != "reversi" or game.name not in kernels.names():
        return
    from agents.endgames import Solver  # loads reversi's kernel, which the other games do not need

    solver = Solver()
    squares = len(game.cells) - DISCS_AT_START
    clock, nodes = _Clock(), 0
    for opening in openings.drawn(game, squares - EMPTIES, SEED, ENDGAMES):
        nodes += clock.time(functools.partial(solver.solve, opening.position(game))).nodes
    yield Cost("solver", nodes, clock.seconds, EMPTIES)
    clock, nodes = _Clock(), 0
    for opening in openings.drawn(game, squares - PLAIN_EMPTIES, SEED, ENDGAMES):
        # Twice as many plies as squares, so that passes cannot keep it from reaching the end.
        nodes += clock.time(_plain(game, "coin_parity", 2 * PLAIN_EMPTIES, opening.position(game)))[1]
    yield Cost("plain alphabeta", nodes, clock.seconds, PLAIN_EMPTIES)


def lines_of(found: GameCost) -> list[str]:
    lines = [f"{found.game}: {found.positions} positions, heuristic {found.heuristic}"]
    lines.append(f"  {'':<28}{'nodes':>12}{'seconds':>10}{'nodes/s':>12}")
    lines += [_row(f"{cost.what}, depth {cost.depth}", cost) for cost in found.exact]
    lines.append(_row(f"engine, mean depth {found.engine.depth}", found.engine))
    lines += [_row(f"mcts, {cost.nodes} simulations", cost) for cost in found.mcts]
    lines += [_row(f"{cost.what}, depth {cost.depth}", cost) for cost in found.perft]
    lines += [_row(f"{cost.what}, {cost.depth} empty squares", cost) for cost in found.endgames]
    lines.append(f"  scores at the same depth {'equal' if found.scores_equal else 'DIFFERENT'}")
    return [*lines, *(f"  {name}: {value:g}" for name, value in found.ratios.items())]


def _row(name: str, cost: Cost) -> str:
    return f"  {name:<28}{cost.nodes:>12}{cost.seconds:>10.4f}{cost.per_second:>12.0f}"
