"""The recipe for gomoku's evaluation: play by the network that is there, and fit another to the games.

A game begins with a few random stones that a search calls even; searches of three lengths play it, and now and then a
stone is laid at random. What a position is worth is told by its search's score and, after the last random stone, by the
game's result. Positions in which a win by fours is on the board are left out: searches see those.
"""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from torch import nn

import games
from agents.jobs import Backend
from agents.jobs.running import run_jobs
from games import gomoku
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.board import count_in
from games.gomoku.kernel.by_threats import ThreatSearch
from games.gomoku.kernel.negamax import OWN_FOURS, has_fours
from games.gomoku.kernel.patterns import write_patterns
from games.gomoku.kernel.prover import write_stones
from games.gomoku.kernel.weights import NAME, exchanged, rows_of
from lab.train.pattern_fit import HELD_OUT
from lab.train.search_fit import FORCED, think
from rules.turns import cells_of
from system.weights import find_weights, write_entry

U = np.uint64
Stored = Mapping[str, NDArray[Any]]
EPOCHS = 4
"""Passes over the positions."""
NODES, EVEN = 6000, 90
"""Positions of a search of middle length, and the score below which a beginning counts as even: 1.3 logits."""
STONES, NEAR, ASTRAY = (1, 7), 2, 0.06
"""Random stones that begin a game, how far from others, and the share of later stones that are random."""
RESULT = 0.35
"""The result's share of what a position is worth; the rest is its search's score."""
NO_MOVE = 255
MOST_PLIES, TABLE_MB, GAMES_A_CHUNK = 120, 8, 50
LOGIT, CHOICE = 70, 40
"""A search's score for one logit of winning; a move's order for one logit of being chosen."""
BATCH, RATES = 256, [2e-3, 6e-3]
"""Positions of a step; largest steps of the rows, and of all else."""
STEP, AVERAGED = 1 / 512, 15
"""Stored rows are in these steps; totals count in this many of a cell's numbers."""


class Positions(NamedTuple):
    boards: NDArray[np.uint8]
    """(positions, cells): 0 empty, 1 the mover's, 2 the enemy's."""
    worth: NDArray[np.float32]
    """The mover's chance of winning."""
    move: NDArray[np.uint8]
    """The cell that a search of at least middle length chose; NO_MOVE after a shorter one."""
    game: NDArray[np.int32]
    """Number of the position's game."""


def plain_game() -> gomoku.Gomoku:
    game: Any = games.load("gomoku")
    assert isinstance(game, gomoku.Gomoku)
    return game


def kinds() -> NDArray[np.int64]:
    """(CONTENTS,): for each row, what both colours' stones would make there, or 256 or 257 for a stone.

    Rows of a kind are learnt together first.
    """
    memory, contents = np.zeros(int(layout.PATTERN_TABLE) + 2**14, np.uint64), rows_of()[1]
    memory[layout.REACH] = 4
    write_patterns(memory, (False, False))
    made = memory[int(layout.PATTERN_TABLE) :].view(np.uint8)[contents & 255 | contents >> 10 << 8]
    return np.where(contents >> 8 & 3, 255 + (contents >> 8 & 3), made)


def near_stones(game: gomoku.Gomoku, position: gomoku.Position, draw: random.Random) -> gomoku.Move:
    """A random empty cell within NEAR of a stone, or of the middle of an empty board."""
    size, taken = game.size, position.stones[0] | position.stones[1]
    around = [divmod(cell, size) for cell in cells_of(taken)] or [(size // 2, size // 2)]
    while True:
        row, column = (place + draw.randint(-NEAR, NEAR) for place in draw.choice(around))
        if 0 <= row < size and 0 <= column < size and not taken >> row * size + column & 1:
            return gomoku.Move(row * size + column)


def is_quiet(memory: NDArray[np.uint64], game: gomoku.Gomoku, position: gomoku.Position) -> bool:
    """Whether nobody can make five, and the mover has no win by fours."""
    write_stones(memory, game.size, position.stones)
    mover = U(game.colour(position))
    fives = count_in(memory, U(0), layout.FIVE) + count_in(memory, U(1), layout.FIVE)
    return not fives and not count_in(memory, mover, layout.WINNING) and not has_fours(memory, mover, OWN_FOURS)


def play_game(
    game: gomoku.Gomoku, searches: list[ThreatSearch], draw: random.Random
) -> Iterator[tuple[gomoku.Position, float, int]]:
    """The positions of one game, each with the mover's chance of winning and the cell chosen."""
    while True:
        position = game.initial()
        for _ in range(draw.randint(*STONES)):
            position = game.apply(position, near_stones(game, position, draw))
        if game.outcome(position) is None and abs(think(searches[0], position, NODES)[1]) < EVEN:
            break
    passed: list[tuple[gomoku.Position, float, int]] = []
    winner = None
    for _ in range(MOST_PLIES):
        if (over := game.outcome(position)) is not None:
            winner = over.winner
            break
        side = game.to_move(position)
        nodes = draw.choice((NODES // 3, NODES, 2 * NODES))
        move, score = think(searches[side], position, nodes)
        chosen = move.cell if isinstance(move, gomoku.Move) and nodes >= NODES else NO_MOVE
        passed.append((position, 1 / (1 + np.exp(-np.clip(score, -1000, 1000) / LOGIT)), chosen))
        if abs(score) > FORCED:
            winner = side if score > 0 else 1 - side
            break
        if move is None or draw.random() < ASTRAY:
            yield from passed
            passed, move = [], near_stones(game, position, draw)
        position = game.apply(position, move)
    for position, chance, chosen in passed:
        points = 0.5 if winner is None else float(winner == game.to_move(position))
        yield position, (1 - RESULT) * chance + RESULT * points, chosen


def play_chunk(seed: int, numbers: range, _stop: threading.Event | None = None) -> Positions:
    """Plays the games of those numbers; another process needs nothing else."""
    game = plain_game()
    searches = [ThreatSearch(game, TABLE_MB, 2 * (seed * 100_003 + numbers[0]) % 2**30 + side + 1) for side in (0, 1)]
    judge, rows = ThreatSearch(game, 1, 0).memory, list[tuple[NDArray[np.uint8], float, int, int]]()
    for number in numbers:
        for position, worth, chosen in play_game(game, searches, random.Random(f"gomoku {seed} {number}")):
            if is_quiet(judge, game, position):
                board = np.zeros(game.size**2, np.uint8)
                for colour, stones in enumerate(position.stones):
                    board[list(cells_of(stones))] = 1 + (colour ^ game.colour(position))
                rows.append((board, worth, chosen, number))
    return Positions(
        np.array([row[0] for row in rows], np.uint8).reshape(-1, game.size**2),
        np.array([row[1] for row in rows], np.float32),
        np.array([row[2] for row in rows], np.uint8),
        np.array([row[3] for row in rows], np.int32),
    )


def contents_of(boards: NDArray[np.uint8], size: int) -> NDArray[np.int64]:
    """(positions, cells, 4): the row's number for the nine cells around each cell in the four directions."""
    edge = 4
    padded = np.full((len(boards), size + 2 * edge, size + 2 * edge), 3, np.int64)
    padded[:, edge:-edge, edge:-edge] = boards.reshape(-1, size, size)
    found = np.zeros((len(boards), size, size, 4), np.int64)
    for direction, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (1, -1))):
        for place in range(-edge, edge + 1):
            row, column = edge + place * down, edge + place * right
            found[..., direction] |= padded[:, row : row + size, column : column + size] << 2 * (place + edge)
    return rows_of()[0][found.reshape(len(boards), size * size, 4)]


class Cells(nn.Module):
    """Numbers of every cell, above 0: half of them as the mover sees the board, half as the enemy does."""

    kinds: torch.Tensor
    enemys: torch.Tensor

    def __init__(self, half: int) -> None:
        super().__init__()
        self.by_kind = nn.Parameter(0.1 * torch.randn(258, half))
        self.by_row = nn.Parameter(torch.zeros(layout.CONTENTS, half))
        self.start = nn.Parameter(torch.full((half,), 0.1))
        self.register_buffer("kinds", torch.from_numpy(kinds()))
        self.register_buffer("enemys", torch.from_numpy(rows_of()[0][exchanged(rows_of()[1])]))

    def rows(self) -> torch.Tensor:
        found: torch.Tensor = self.by_kind[self.kinds] + self.by_row
        return found

    def forward(self, contents: torch.Tensor) -> torch.Tensor:
        rows = torch.cat([self.rows(), self.rows()[self.enemys]], dim=1)
        sums = nn.functional.embedding_bag(contents.reshape(-1, 4), rows, mode="sum")
        return nn.functional.relu(sums + self.start.repeat(2)).reshape(*contents.shape[:2], -1)


class Network(nn.Module):
    """The network of `games.gomoku.kernel.evaluation` in numbers that can be learnt."""

    empty: torch.Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.valued, self.guiding = Cells(layout.HIDDEN // 2), Cells(layout.GUIDING // 2)
        self.first = nn.Linear(layout.HIDDEN, layout.INNER)
        self.last = nn.Linear(layout.INNER - 1, 1, bias=False)
        self.guide = nn.Linear(layout.GUIDING, 1, bias=False)
        self.register_buffer("empty", torch.from_numpy(contents_of(np.zeros((1, size**2), np.uint8), size)))

    def forward(self, contents: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The mover's logits of winning, and of choosing each cell."""
        totals = self.valued(torch.cat([contents, self.empty])).sum(1) / AVERAGED
        inner = self.first(totals[:-1] - totals[-1])
        value: torch.Tensor = self.last(nn.functional.relu(inner[:, :-1]))[:, 0] + inner[:, -1]
        return value, self.guide(self.guiding(contents))[..., 0]

    def stored(self) -> Stored:
        """The arrays of the file; what every cell needs in whole numbers."""
        cells = self.valued, self.guiding
        return {
            "rows": whole(torch.cat([one.rows() for one in cells], dim=1), 1 / STEP),
            "start": whole(torch.cat([one.start for one in cells]), 1 / STEP),
            "guide": whole(self.guide.weight[0], STEP * CHOICE * 2**layout.GUIDE_BITS),
            "first": (self.first.weight.detach().T * STEP / AVERAGED).contiguous().numpy(),
            "added": self.first.bias.detach().numpy(),
            "last": LOGIT * np.append(self.last.weight.detach().numpy()[0], np.float32(1)),
        }


def whole(numbers: torch.Tensor, unit: float) -> NDArray[np.int16]:
    """The nearest whole numbers of 16 bits, times the unit."""
    most = np.iinfo(np.int16).max
    return np.rint(np.clip(numbers.detach().double().numpy() * unit, -most, most)).astype(np.int16)


class Fitted(NamedTuple):
    stored: Stored
    loss: float
    """Nats a held-out position, above what its worth itself leaves open."""
    accuracy: float
    """Share of held-out positions whose likelier winner is told."""
    chosen: float
    """Share of held-out searches whose move seems best."""


def fit(positions: Positions, epochs: int, seed: int, say: Callable[[int], object]) -> Fitted:
    torch.manual_seed(seed)
    torch.set_flush_denormal(True)  # moments of rows that no step touches fade
    draw, size = np.random.default_rng(seed), round(positions.boards.shape[1] ** 0.5)
    network, held = Network(size), positions.game % HELD_OUT == 0
    learnt, worth, moves = np.flatnonzero(~held), torch.from_numpy(positions.worth), torch.from_numpy(positions.move)
    slow = [cells.by_row for cells in (network.valued, network.guiding)]
    others = [part for name, part in network.named_parameters() if not name.endswith("by_row")]
    optimiser = torch.optim.Adam([{"params": slow}, {"params": others}])
    steps = epochs * (len(learnt) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATES, total_steps=max(steps, 1))
    logistic, choice = nn.functional.binary_cross_entropy_with_logits, nn.functional.cross_entropy

    def judged(rows: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits of winning; logits of the cells where a move is known, and that move."""
        value, guides = network(torch.from_numpy(contents_of(positions.boards[rows], size)))
        known = np.flatnonzero(positions.move[rows] != NO_MOVE)
        taken = torch.from_numpy(positions.boards[rows[known]] != 0)
        return value, guides[known].masked_fill(taken, -torch.inf), moves[rows[known]].long()

    for _ in range(epochs):
        order = draw.permutation(learnt)
        for begin in range(0, len(order) // BATCH * BATCH, BATCH):
            rows = order[begin : begin + BATCH]
            optimiser.zero_grad()
            value, guides, chosen = judged(rows)
            loss: Any = logistic(value, worth[rows]) + choice(guides, chosen, reduction="sum") / max(len(chosen), 1)
            loss.backward()
            optimiser.step()
            schedule.step()
        say(1)
    with torch.no_grad():
        apart = np.flatnonzero(held)
        parts = [judged(rows) for rows in np.array_split(apart, max(len(apart) // BATCH, 1))]
        logits, known = torch.cat([part[0] for part in parts]), worth[apart].clamp(1e-6, 1 - 1e-6)
        above = float(logistic(logits, known) - logistic(torch.logit(known), known))
        right = float(((logits > 0) == (known > 0.5)).float().mean())
        first = float(torch.cat([guides.argmax(1) == chosen for _, guides, chosen in parts]).float().mean())
    return Fitted(network.stored(), above, right, first)


def make_gomoku(out: Path, *, count: int, seed: int, backend: Backend, command: str) -> None:
    """Writes `gomoku_network.npz` and its manifest entry into the folder. Raises JobsError and WeightsError."""
    chunks = [range(first, min(first + GAMES_A_CHUNK, count)) for first in range(0, count, GAMES_A_CHUNK)]
    with Progress(console=Console(stderr=True)) as progress:
        task, played = progress.add_task("games", total=count), []
        for numbers, found in run_jobs(functools.partial(play_chunk, seed), chunks, backend, in_order=True):
            played.append(found)
            progress.advance(task, len(numbers))
        positions = Positions(*(np.concatenate(parts) for parts in zip(*played, strict=True)))
        task = progress.add_task(f"{len(positions.worth)} positions, fitting", total=EPOCHS)
        fitted = fit(positions, EPOCHS, seed, functools.partial(progress.advance, task))
    arrays: dict[str, Any] = dict(fitted.stored)
    np.savez_compressed(out / f"{NAME}.npz", **arrays)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (lab/train/gomoku.py)",
        "licence": "MIT",
        "command": command,
        "played_by": find_weights(NAME).sha256,
        "positions": len(positions.worth),
        "held_out_nats_above_the_least": round(fitted.loss, 4),
        "held_out_accuracy": round(fitted.accuracy, 4),
        "held_out_moves": round(fitted.chosen, 4),
    }
    write_entry(out, NAME, f"{NAME}.npz", facts)
