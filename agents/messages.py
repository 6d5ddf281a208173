"""Messages on the wire, as described in `docs/protocol.md`: validated JSON objects with a size limit.

The daemon publishes `StateMessage`s on an XPUB socket (topic, then JSON) and answers on a ROUTER socket; workers send
`ReadyMessage`, `HeartbeatMessage`, `ReplyMessage` and `FailureMessage` from a DEALER and may get an `ErrorMessage`
back. Unknown extra fields are ignored, so that either side may be newer. Types are strict: `"1"` is not an integer, and
infinite numbers are refused.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from system.numbers import WHOLE
from wording.outside import clean

SCHEMA: Literal[1] = 1
"""Version of the message schema; a message of another version is refused."""
MAX_BYTES = 65536
"""Bytes of the longest message sent or accepted."""
TOPIC = b"state/"
"""Topic of state messages, followed by the table's name."""

Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.:-]+$")]
Text = Annotated[str, Field(max_length=512)]
T = TypeVar("T")
MoveText = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[ -~]+$")]
"""Printable ASCII: games write nothing else, and an agent's text may be displayed."""
PositionText = Annotated[str, Field(max_length=4096)]
"""Dominoes needs nine characters a tile, and up to 91 tiles may lie on the board."""
MAX_COUNT = 2**53
"""Largest whole number, which every language can read exactly."""
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]


class MessageError(ValueError):
    """A message that is too long, not JSON, or not of the schema; `.code` is stable, `.field` is where it failed."""

    def __init__(self, code: str, text: str, field: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.field = field


class Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Message(Part):
    schema_version: Annotated[Literal[1], WHOLE] = SCHEMA


class LimitsPart(Part):
    """Limits of one search; null is no limit."""

    time_s: float | None = Field(default=None, gt=0, le=86400)
    depth: int | None = Field(default=None, ge=1, le=100)
    nodes: int | None = Field(default=None, ge=1, le=2**62)


class PlayerPart(Part):
    agent: str | None = None
    """Name of the agent; null is a person."""
    options: dict[str, str] = Field(default_factory=dict)
    """Options for the agent, as `name = value`."""
    limits: LimitsPart = Field(default_factory=LimitsPart)


class OutcomePart(Part):
    winner: int | None
    reason: str
    scores: tuple[int | float, int | float] | None = None


class StateMessage(Message):
    """The whole state of a physical table: each message is complete. docs/protocol.md describes every field."""

    type: Literal["state"] = "state"
    session: Name
    table: Name
    game: Name
    rules: dict[str, str]
    game_id: Name
    """Changes with every new game."""
    sequence: Count
    """Grows with every published state; a reply quotes it."""
    ply: Count
    moves: list[MoveText] = Field(max_length=4096)
    position: PositionText
    board: Text
    """The believed board: one class letter per cell."""
    figures: Text = ""
    """What stands on each cell, where the rules know more than the board shows: `♔` for a white king; else empty."""
    cells: list[Name]
    sides: tuple[str, str]
    to_move: Annotated[Literal[0, 1], WHOLE]
    players: tuple[PlayerPart, PlayerPart]
    awaiting: Literal["move", "agent", "carry_out", "nothing"]
    """What must happen next: a person moves, an agent answers, an agent's move is carried out by hand, or nothing."""
    legal_moves: list[MoveText] = Field(default_factory=list, max_length=1024)
    """All legal moves while an agent is awaited, so that a player needs no rules; empty if there are too many."""
    agent_move: MoveText | None = None
    """The agent's move that someone must still carry out on the board."""
    verdict: str
    text: Text = ""
    outcome: OutcomePart | None = None


class ReadyMessage(Message):
    type: Literal["ready"] = "ready"
    worker: Name
    agents: list[Name] = Field(min_length=1, max_length=64)
    games: list[Name] = Field(min_length=1, max_length=64)


class HeartbeatMessage(Message):
    type: Literal["heartbeat"] = "heartbeat"
    worker: Name


class AnswerMessage(Message):
    """Base of what a worker says to one state."""

    worker: Name
    agent: Name
    session: Name
    game_id: Name
    sequence: Count


class FailureMessage(AnswerMessage):
    """Tells that an agent has no move for one state, and why."""

    type: Literal["failure"] = "failure"
    text: Text


class ReplyMessage(AnswerMessage):
    type: Literal["reply"] = "reply"
    move: MoveText
    score: float | None = None
    nodes: Count = 0
    depth: Count = 0
    seconds: float = Field(default=0.0, ge=0)
    pv: list[MoveText] = Field(default_factory=list, max_length=256)
    masked: Count = 0
    """Illegal choices that a network rated higher and skipped."""


class ErrorMessage(Message):
    """The daemon's error report on a worker's message."""

    type: Literal["error"] = "error"
    code: str
    text: Text
    field: str = ""


AnyWorkerMessage = ReadyMessage | HeartbeatMessage | ReplyMessage | FailureMessage
WorkerMessage = Annotated[AnyWorkerMessage, Field(discriminator="type")]
DaemonMessage = Annotated[StateMessage | ErrorMessage, Field(discriminator="type")]
_worker_adapter: TypeAdapter[AnyWorkerMessage] = TypeAdapter(WorkerMessage)
_daemon_adapter: TypeAdapter[StateMessage | ErrorMessage] = TypeAdapter(DaemonMessage)


def encode(message: Message) -> bytes:
    """The message as JSON. Raises MessageError if it is longer than MAX_BYTES."""
    data = message.model_dump_json().encode()
    if len(data) > MAX_BYTES:
        raise MessageError("too_long", f"a message of {len(data)} bytes; at most {MAX_BYTES} are sent")
    return data


def decode_from_worker(data: bytes) -> AnyWorkerMessage:
    """Raises MessageError, as `decode_from_daemon` does."""
    return _decode(_worker_adapter, data)


def decode_from_daemon(data: bytes) -> StateMessage | ErrorMessage:
    return _decode(_daemon_adapter, data)


def _decode(adapter: TypeAdapter[T], data: bytes) -> T:
    if len(data) > MAX_BYTES:
        raise MessageError("too_long", f"a message of {len(data)} bytes; at most {MAX_BYTES} are read")
    try:
        return adapter.validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = clean(".".join(str(part) for part in first["loc"]), 100)
        # The error message may quote what was sent.
        raise MessageError("invalid", clean(f"{field or 'message'}: {first['msg']}", 400), field) from None
