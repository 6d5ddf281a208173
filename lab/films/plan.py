"""What a film made up by seed shows: everything drawn from the seed, and the boards of its game."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import Rng
from lab.simulated.tiles import handfuls, has_tiles
from rules import AnyGame, Step, figures_of, worth_trying
from rules.turns import carry_out

Sway = Literal["stand", "leaning", "held"]

GAMES: tuple[tuple[str, dict[str, str]], ...] = (
    ("nine_mens_morris", {"flying": "true"}),
    ("reversi", {}),
    ("double_double_dominoes", {}),
    ("co_ganh", {}),
    ("gomoku", {}),
    ("chess", {}),
    ("go", {"size": "9"}),
    ("draughts", {}),
)
"""All games with their rule options; each eight seeds in a row have every game once."""
LARGE_GO = 0.25
"""Share of games of go on 13 lines."""
SIZES_PX = ((640, 480), (640, 480), (640, 480), (800, 600), (800, 600), (960, 720), (1280, 720))
LARGE_PX = ((960, 720), (960, 720), (1280, 720))
"""Pictures of boards with many cells."""
MANY_CELLS = ("double_double_dominoes", "gomoku")
STEEPEST_DEG = {"double_double_dominoes": 40.0, "chess": 55.0}
"""Greatest tilt of the camera from straight above where tiles or tall men could not be read at 65 degrees."""
TILT_DEG = 65.0
SWAYS: tuple[Sway, ...] = ("stand", "leaning", "held")
SWAY_ROOM = 0.05
"""Share of a picture that is seen beyond each of its edges, so that a camera that sways sees the table there too."""


@dataclasses.dataclass(frozen=True)
class FilmPlan:
    """Everything about one film that is drawn from its seed before a picture is made."""

    seed: int
    attempt: int
    """Counted from 0: films on which nobody could read the board are drawn again."""
    game: str
    rules: dict[str, str]
    plies: int
    size_px: tuple[int, int]
    fps: int
    tilt_deg: float
    """Angle of the camera from straight above."""
    azimuth_deg: float
    fill: float
    """Share of the picture that the board spans on its tighter side."""
    sway: Sway
    recorded_sway: bool
    """Whether a recorded way is followed, where there is one, instead of a random one like it."""
    nudge_mm: float
    """Millimetres, standard deviation of the board's shift at a move."""
    start_s: float
    """Seconds that the start is free."""
    free_s: tuple[float, float]
    """Least and greatest seconds that another board is free."""
    drift: float
    """Share by which the exposure drifts."""
    breathing: float
    """Greatest blur by a focus that hunts, as a share of the picture's width."""
    codec: Literal["jpeg", "video"]
    quality: int
    """JPEG quality."""
    noise: float
    """Standard deviation of the sensor's noise, in grey values."""
    seats_deg: tuple[float, float]
    """Where both players sit: 0 at the lower edge of the picture, 90 at its right."""
    pace: float
    """Speed of the hands, 1 for unhurried ones."""
    second_hand: float
    """Share of moves at which a second hand lies at the board's edge."""
    resting: float
    """Share of moves after which the hand rests at the board's edge, or over the board, for some seconds."""
    halves: float
    """Share of turns of several steps that are made in two goes, with half a turn on the board for a while."""
    on_corner: bool
    """Whether something lies over a corner of the board's margin."""

    @property
    def name(self) -> str:
        return f"film_{self.seed:04d}"

    @property
    def traced_px(self) -> tuple[int, int]:
        """Width and height of the pictures of the table: those of a swaying camera go beyond the film's."""
        room = 1.0 if self.sway == "stand" else 1 + 2 * SWAY_ROOM
        return round(self.size_px[0] * room), round(self.size_px[1] * room)

    def words(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "fps": self.fps,
            "sway": self.sway,
            "above": f"{90 - self.tilt_deg:.0f}°",
            "size": f"{self.size_px[0]}x{self.size_px[1]}",
            "free": f"{self.free_s[0]:.1f}-{self.free_s[1]:.1f} s",
            "codec": f"jpeg {self.quality}" if self.codec == "jpeg" else "video",
        }

    def rng(self, part: str) -> Rng:
        """Chance for one part of the film, independent of all others."""
        return np.random.default_rng([self.seed, self.attempt, *part.encode()])


def draw_plan(seed: int, attempt: int = 0) -> FilmPlan:
    """The film of a seed; the same for all times."""
    turn = np.random.default_rng([seed // len(GAMES), 0]).permutation(len(GAMES))
    game, rules = GAMES[int(turn[seed % len(GAMES)])]
    rng = np.random.default_rng([seed, 1])
    if game == "go" and rng.random() < LARGE_GO:
        rules = {"size": "13"}
    rng = np.random.default_rng([seed, 2, attempt])
    many = game in MANY_CELLS or rules.get("size") == "13"
    sizes = LARGE_PX if many else SIZES_PX
    sway = SWAYS[int(rng.choice(3, p=[0.4, 0.35, 0.25]))]
    least_s = float(np.round(rng.uniform(0.8, 2.5), 1))
    return FilmPlan(
        seed=seed,
        attempt=attempt,
        game=game,
        rules=rules,
        plies=int(rng.integers(10, 15)),
        size_px=sizes[int(rng.integers(len(sizes)))],
        fps=int(rng.choice([3, 5, 8, 10, 15, 24, 30], p=[0.06, 0.12, 0.12, 0.2, 0.3, 0.1, 0.1])),
        tilt_deg=_tilt(rng, STEEPEST_DEG.get(game, TILT_DEG)),
        azimuth_deg=float(rng.normal(0, 12)),
        fill=float(rng.uniform(0.7, 0.93) if sway != "held" else rng.uniform(0.65, 0.82)),
        sway=sway,
        recorded_sway=bool(rng.random() < 0.5),
        nudge_mm=float(rng.choice([0.0, 0.5, 1.5, 3.0], p=[0.45, 0.25, 0.2, 0.1])),
        start_s=float(rng.uniform(3, 6)),
        free_s=(least_s, float(np.round(rng.uniform(least_s, 4.0), 1))),
        drift=float(rng.choice([0.0, rng.uniform(0.03, 0.2)])),
        breathing=float(rng.choice([0.0, rng.uniform(0.0005, 0.002)], p=[0.7, 0.3])),
        codec="jpeg" if rng.random() < 0.75 else "video",
        quality=int(rng.integers(30, 96)),
        noise=float(rng.uniform(0.8, 4.0)),
        seats_deg=_seats(rng),
        pace=float(rng.uniform(0.75, 1.5)),
        second_hand=float(rng.choice([0.0, 0.3], p=[0.7, 0.3])),
        resting=float(rng.choice([0.0, 0.25], p=[0.6, 0.4])),
        halves=float(rng.choice([0.0, 0.6], p=[0.6, 0.4])),
        on_corner=bool(rng.random() < 0.2),
    )


def _tilt(rng: Rng, most_deg: float) -> float:
    """Mostly a camera that looks down at an angle, seldom one straight above."""
    return float(rng.uniform(0, 10) if rng.random() < 0.15 else rng.uniform(10, most_deg))


def _seats(rng: Rng) -> tuple[float, float]:
    """Mostly opposite each other, near and far; sometimes left and right, or round a corner."""
    pairs = ((0.0, 180.0), (180.0, 0.0), (90.0, 270.0), (270.0, 90.0), (0.0, 90.0), (270.0, 0.0))
    first, second = pairs[int(rng.choice(len(pairs), p=[0.3, 0.2, 0.15, 0.15, 0.1, 0.1]))]
    return first + float(rng.normal(0, 8)), second + float(rng.normal(0, 8))


KEENNESS = 0.5
"""Share of moves that take, turn over or castle where that is possible, so that there is more to see."""
NEARNESS = 0.6
"""Share of stones that are laid beside another."""
FEWEST = 10
"""Plies that a game has at least."""


@dataclasses.dataclass(frozen=True)
class Board:
    cells: str
    ply: int | None
    """Number of plies played; None for half a turn."""
    side: int = 0
    """The side whose hand made it."""
    move: str = ""
    steps: tuple[tuple[Step, ...], ...] = ()
    """What the hand does to the board before it, one handful after the other."""
    figures: str = ""
    """As `cells`, with the kinds of chess men."""


def play(game: AnyGame, template: BoardTemplate, plies: int, halves: float, rng: Rng) -> list[Board]:
    """The boards of a random game of so many plies, the start first.

    `halves` is the share of turns of several steps that are made in two goes.
    """
    while True:
        boards = _play_once(game, template, plies, halves, rng)
        if (boards[-1].ply or 0) >= FEWEST:
            return boards


def _play_once(game: AnyGame, template: BoardTemplate, plies: int, halves: float, rng: Rng) -> list[Board]:
    position = game.initial(int(rng.integers(2**31)))
    boards = [Board(game.board(position), 0, figures=figures_of(game, position))]
    for ply in range(1, plies + 1):
        if game.outcome(position) is not None:
            break
        move = choose(game, position, rng)
        if move is None:
            break  # nobody says a pass in a film
        after = game.apply(position, move)
        text, figures = game.format_move(position, move), figures_of(game, after)
        whole = Board(game.board(after), ply, game.to_move(position), text, figures=figures)
        boards += _shown(whole, boards[-1], game.steps(position, move), template, halves, rng)
        position = after
    return boards


def _shown(
    whole: Board, before: Board, steps: tuple[Step, ...], template: BoardTemplate, halves: float, rng: Rng
) -> list[Board]:
    """The board after a turn; sometimes half the turn first."""
    groups = tuple(handfuls(template, steps))
    if len(groups) < 2 or has_tiles(template) or rng.random() >= halves:
        return [dataclasses.replace(whole, steps=groups)]
    done = 1 if len(groups) == 2 else int(rng.integers(1, len(groups)))
    half_steps = [step for group in groups[:done] for step in group]
    cells = carry_out(before.cells, half_steps)
    if cells in (before.cells, whole.cells):
        return [dataclasses.replace(whole, steps=groups)]
    figures = carry_out(before.figures, [_with_figure(step, before.figures) for step in half_steps])
    half = Board(cells, None, whole.side, "", groups[:done], figures)
    return [half, dataclasses.replace(whole, steps=groups[done:])]


def _with_figure(step: Step, figures: str) -> Step:
    return step if step.origin is None else dataclasses.replace(step, piece=figures[step.origin])


def choose(game: AnyGame, position: Any, rng: Rng) -> Any:
    """A random sensible move that is seen on the board; None where there is only a pass."""
    moves = [(move, game.steps(position, move)) for move in worth_trying(game, position)]
    seen = [(move, steps) for move, steps in moves if steps]
    if not seen:
        return None
    lively = [(move, steps) for move, steps in seen if _is_lively(game, steps)]
    if lively and rng.random() < KEENNESS:
        seen = lively
    elif rng.random() < NEARNESS:
        seen = _near(game, position, seen) or seen
    return seen[int(rng.integers(len(seen)))][0]


def _is_lively(game: AnyGame, steps: Sequence[Step]) -> bool:
    """Whether a move takes pieces or, where it need not turn any over, moves two."""
    return len(steps) > 1 and any(step.kind in ("remove", "move") for step in steps)


def _near(
    game: AnyGame, position: Any, moves: Sequence[tuple[Any, tuple[Step, ...]]]
) -> list[tuple[Any, tuple[Step, ...]]]:
    """The stones that are laid beside a stone, on boards of rows and columns that start empty."""
    side = round(len(game.cells) ** 0.5)
    if game.name not in ("go", "gomoku"):
        return []
    board = game.board(position)
    taken = [divmod(cell, side) for cell, letter in enumerate(board) if letter != "."]
    return [
        (move, steps)
        for move, steps in moves
        if any(max(abs(steps[0].cell // side - row), abs(steps[0].cell % side - column)) == 1 for row, column in taken)
    ]
