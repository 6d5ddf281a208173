"""The format of a bundle: one zip file with a manifest, the original pictures, and the table's profile.

    manifest.json       described by this module
    frames/000000.jpg   the pictures, in order
    profile.npz         the table's profile, if it has one

A bundle may come from a stranger, so every field is bounded.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from daemon.game.effects import Announcement
from daemon.words.translation import in_words
from system.numbers import WHOLE

FORMAT: Literal["kibitzer-bundle"] = "kibitzer-bundle"
VERSION: Literal[1] = 1
MANIFEST, PROFILE = "manifest.json", "profile.npz"
MAX_FRAMES = 20_000
MAX_MOVES = 4096
REJECTED = ("illegal", "desync", "unclear", "ambiguous", "board_lost")
"""Announcement codes that make the daemon keep a bundle unasked."""
STANDING = (*REJECTED, "unfinished")
"""Codes of complaints that stay in force, and are not repeated, until the board changes."""
ASIDE = ("trouble",)
"""Codes that pictures alone do not determine: trouble with the record is announced under them, too."""

Code = Annotated[str, Field(pattern=r"^[a-z_]{0,32}$")]
Word = Annotated[str, Field(max_length=64)]
Sentence = Annotated[str, Field(max_length=1024)]
Cell = Annotated[int, Field(ge=0, le=1024)]
Number = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]


class BundleError(ValueError):
    """A bundle cannot be made, read or played; the message says why."""


class Part(BaseModel):
    """Base class of all parts; ignores fields that a newer program added."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SavedAnnouncement(Part):
    code: Code
    ply: int = Field(ge=0, le=MAX_MOVES)
    move: Word = ""
    cells: tuple[Cell, ...] = Field(default=(), max_length=1024)
    rule: Code = ""
    board: str = Field(default="", max_length=1024)
    text: Sentence = ""

    @property
    def verdict(self) -> tuple[str, str, tuple[int, ...]]:
        """Code, move and cells, which a replay must reproduce."""
        return self.code, self.move, self.cells


class Declared(Part):
    winner: Annotated[Literal[0, 1], WHOLE] | None
    reason: Code


class GameState(Part):
    start: str = Field(default="", max_length=4096)
    """The game's first position, in the game's own notation."""
    moves: tuple[Word, ...] = Field(default=(), max_length=MAX_MOVES)
    known: tuple[Code, ...] = Field(default=(), max_length=MAX_MOVES)
    agent_move: Word = ""
    """The agent's move still to be carried out on the board; empty if none."""
    verdict: Code = "start"
    declared: Declared | None = None
    paused: bool = False


class SceneFrame(Part):
    time_s: Number
    """Seconds on the source's own clock, unrounded."""
    name: Annotated[str, Field(max_length=256)] = ""
    settled: bool = False
    """Whether the picture was still, free of hands, and the board located."""
    commands: tuple[dict[Word, str | int | tuple[Word, ...] | None], ...] = Field(default=(), max_length=64)
    """Commands people gave before this picture, in the form that `parse_command` takes."""
    told: int | None = Field(default=None, ge=0, lt=MAX_FRAMES)
    """Index of the game state that people or agents caused before this picture; None: unchanged."""
    said: tuple[SavedAnnouncement, ...] = Field(default=(), max_length=64)


class Place(Part):
    """Where the board was in the first picture."""

    image_from_board: tuple[Number, ...] = Field(min_length=9, max_length=9)
    """Homography from board millimetres to pixels, row by row."""
    error_px: Number = 0.0
    quality: Number = Field(default=1.0, ge=0, le=1)


class PipelineSettings(Part):
    settle_s: float = Field(ge=0.1, le=10)
    readings: int = Field(ge=1, le=10)
    lost_s: float = Field(ge=0.1, le=60)


class Manifest(Part):
    format: Literal["kibitzer-bundle"] = FORMAT
    version: Annotated[Literal[1], WHOLE] = VERSION
    created: Annotated[str, Field(max_length=40)]
    reason: Code
    """`asked`, or the code of the announcement that caused the bundle."""
    note: Sentence = ""
    table: Word = ""
    game: Code
    rules: dict[Word, bool | int | Word] = Field(default_factory=dict, max_length=64)
    agents: tuple[Word | None, Word | None] = (None, None)
    seats: tuple[Word, Word] = ("", "")
    """Sides of the board at which the players sit."""
    eyes: PipelineSettings
    shape: dict[Word, Number] = Field(default_factory=dict, max_length=64)
    place: Place | None = None
    """None if the board was not in view."""
    states: tuple[GameState, ...] = Field(min_length=1, max_length=MAX_FRAMES)
    """Game states that the pictures refer to; the first is the state at the first picture."""
    standing: SavedAnnouncement | None = None
    """The complaint in force at the first picture."""
    frames: tuple[SceneFrame, ...] = Field(min_length=1, max_length=MAX_FRAMES)
    encoded_here: bool = False
    """Whether pictures were compressed for the bundle because the camera sent no JPEG; they then differ slightly."""
    left_out: int = Field(default=0, ge=0)
    config: dict[str, Any] = Field(default_factory=dict, max_length=64)
    """The settings, without secrets, paths and addresses."""
    versions: dict[Word, Annotated[str, Field(max_length=128)]] = Field(default_factory=dict, max_length=64)
    weights: dict[Word, Annotated[str, Field(max_length=128)]] = Field(default_factory=dict, max_length=64)
    """SHA-256 of every file of model weights."""


def saved_announcement(announcement: Announcement) -> SavedAnnouncement:
    return SavedAnnouncement(
        code=announcement.code,
        ply=min(announcement.ply, MAX_MOVES),
        move=announcement.move[:64],
        cells=announcement.cells,
        rule=announcement.rule[:32],
        board=announcement.board,
        text=in_words(*announcement.said)[:1024],
    )


def hear(said: list[SavedAnnouncement], announcement: Announcement) -> None:
    """Adds an announcement that pictures may have caused."""
    if announcement.code not in ASIDE:
        said.append(saved_announcement(announcement))


def frame_name(number: int) -> str:
    return f"frames/{number:06d}.jpg"
