"""What a bundle holds: one zip file with a manifest, the pictures as they came, and the table's profile.

    manifest.json       what this module describes
    frames/000000.jpg   the pictures, in order
    profile.npz         the table's profile, where it has one

It may come from a stranger: every field has a bound.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from daemon.game.effects import Announcement
from daemon.i18n.translation import in_words

FORMAT: Literal["kibitzer-bundle"] = "kibitzer-bundle"
VERSION: Literal[1] = 1
MANIFEST, PROFILE = "manifest.json", "profile.npz"
MAX_FRAMES = 20_000
MAX_MOVES = 4096
REJECTED = ("illegal", "desync", "unclear", "ambiguous", "board_lost")
"""Codes of announcements of which each keeps a bundle by itself."""
STANDING = (*REJECTED, "unfinished")
"""Codes that stand until the board has changed, and are not said again meanwhile."""
ASIDE = ("trouble",)
"""Codes that no picture alone decides: the record's troubles are announced so, too."""

Code = Annotated[str, Field(pattern=r"^[a-z_]{0,32}$")]
Word = Annotated[str, Field(max_length=64)]
Sentence = Annotated[str, Field(max_length=1024)]
Cell = Annotated[int, Field(ge=0, le=1024)]
Number = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]


class BundleError(ValueError):
    """A bundle that cannot be made, read or played; the message says why."""


class Part(BaseModel):
    """Base of all parts; fields that a newer program adds are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Said(Part):
    """An announcement that a picture led to."""

    code: Code
    ply: int = Field(ge=0, le=MAX_MOVES)
    move: Word = ""
    cells: tuple[Cell, ...] = Field(default=(), max_length=1024)
    """Indices of the cells that are meant."""
    rule: Code = ""
    board: str = Field(default="", max_length=1024)
    text: Sentence = ""

    @property
    def verdict(self) -> tuple[str, str, tuple[int, ...]]:
        """What must be the same when it is played again: code, move and cells."""
        return self.code, self.move, self.cells


class Declared(Part):
    """An end that the board does not show."""

    winner: Literal[0, 1] | None
    reason: Code


class GameState(Part):
    """What the referee believed at one moment."""

    start: str = Field(default="", max_length=4096)
    """The position from which the game began, as the game writes it."""
    moves: tuple[Word, ...] = Field(default=(), max_length=MAX_MOVES)
    known: tuple[Code, ...] = Field(default=(), max_length=MAX_MOVES)
    """How the mover of each is known."""
    agent_move: Word = ""
    """The agent's move that waited to be carried out."""
    verdict: Code = "start"
    declared: Declared | None = None
    paused: bool = False


class SceneFrame(Part):
    """One picture that the pipeline was given."""

    time_s: Number
    """On the source's own clock, to the last digit."""
    name: Annotated[str, Field(max_length=256)] = ""
    settled: bool = False
    """Whether the picture stood still and free of hands."""
    commands: tuple[dict[Word, str | int | tuple[Word, ...] | None], ...] = Field(default=(), max_length=64)
    """What people said before this picture, as `parse_command` takes it."""
    told: int | None = Field(default=None, ge=0, lt=MAX_FRAMES)
    """Number of the game state that people or agents had brought about before this picture; None: the one it had."""
    said: tuple[Said, ...] = Field(default=(), max_length=64)


class Place(Part):
    """Where the board was in the first picture."""

    image_from_board: tuple[Number, ...] = Field(min_length=9, max_length=9)
    """Homography, row by row: board millimetres to pixels."""
    error_px: Number = 0.0
    quality: Number = Field(default=1.0, ge=0, le=1)


class Eyes(Part):
    """Settings of the pipeline."""

    settle_s: float = Field(ge=0.1, le=10)
    readings: int = Field(ge=1, le=10)
    lost_s: float = Field(ge=0.1, le=60)


class Manifest(Part):
    """All of a bundle but its pictures and the profile."""

    format: Literal["kibitzer-bundle"] = FORMAT
    version: Literal[1] = VERSION
    created: Annotated[str, Field(max_length=40)]
    """ISO 8601, UTC."""
    reason: Code
    """`asked`, or the code of the announcement that kept it."""
    note: Sentence = ""
    table: Word = ""
    game: Code
    rules: dict[Word, bool | int | Word] = Field(default_factory=dict, max_length=64)
    agents: tuple[Word | None, Word | None] = (None, None)
    seats: tuple[Word, Word] = ("", "")
    """Sides of the board at which the players sit."""
    eyes: Eyes
    shape: dict[Word, Number] = Field(default_factory=dict, max_length=64)
    """The board's shape as it was measured."""
    place: Place | None = None
    """None where the board was not in sight."""
    states: tuple[GameState, ...] = Field(min_length=1, max_length=MAX_FRAMES)
    """The first is the one at the first picture."""
    standing: Said | None = None
    """The complaint that stood then."""
    frames: tuple[SceneFrame, ...] = Field(min_length=1, max_length=MAX_FRAMES)
    encoded_here: bool = False
    """Whether the camera sent no JPEG, so that the pictures were compressed for the bundle: they differ a little."""
    left_out: int = Field(default=0, ge=0)
    """Pictures that the pipeline saw and that could not be kept."""
    adapted: bool = False
    """Whether the eyes had learnt at this table since; that is not in the bundle."""
    config: dict[str, Any] = Field(default_factory=dict, max_length=64)
    """The settings without anything that is secret or names a place."""
    versions: dict[Word, Annotated[str, Field(max_length=128)]] = Field(default_factory=dict, max_length=64)
    weights: dict[Word, Annotated[str, Field(max_length=128)]] = Field(default_factory=dict, max_length=64)
    """SHA-256 of every learnt file."""


def said_of(announcement: Announcement) -> Said:
    """The announcement as a bundle keeps it."""
    return Said(
        code=announcement.code,
        ply=min(announcement.ply, MAX_MOVES),
        move=announcement.move[:64],
        cells=announcement.cells,
        rule=announcement.rule[:32],
        board=announcement.board,
        text=in_words(*announcement.said)[:1024],
    )


def frame_name(number: int) -> str:
    """Where a picture lies in the file."""
    return f"frames/{number:06d}.jpg"
