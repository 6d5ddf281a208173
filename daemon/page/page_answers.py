"""Schema of the page's responses, for `kibitzer schema page`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from agents.messages import StateMessage
from daemon.page.page_state import Spoken


class Part(BaseModel):
    """Health of one component."""

    ok: bool
    text: str


class Health(BaseModel):
    """`/healthz`."""

    ok: bool
    parts: dict[str, Part]


class Ready(BaseModel):
    """`/readyz`."""

    ready: bool
    text: str


class Line(BaseModel):
    """The moves so far, and the points."""

    plies: list[dict[str, Any]]
    scores: tuple[int, int] | None


class Live(BaseModel):
    """A message of `/live`."""

    state: StateMessage | None
    line: Line
    view: dict[str, Any]
    health: Health
    announcements: list[Spoken]
    """Announcements since the previous message."""
    commands: bool
    """Whether this page may send commands."""
    token: bool
    """Whether its commands need the token."""
    board: str | None = None
    """The believed board as SVG, if it has changed."""


Events = list[Spoken]
"""`/events`."""
