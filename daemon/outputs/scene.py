"""The data that the overlay draws for one moment."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from calibration.template import BoardTemplate
from rules import Step
from vision.frame import Frame
from vision.pose import BoardPose


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    """One moment, complete: the overlay keeps no state."""

    frame: Frame
    """The camera's picture, decoded when drawn."""
    template: BoardTemplate
    pose: BoardPose | None = None
    """Pose of the board in `frame`; None while the board is lost."""
    board: str = ""
    """What is believed to stand on each cell, as `figures_of` tells; empty before the first board."""
    last_move: tuple[Step, ...] = ()
    """Steps of the last move."""
    agent_steps: tuple[Step, ...] = ()
    """Steps that a person must now carry out for the agent."""
    best: tuple[tuple[tuple[Step, ...], str], ...] = ()
    """Steps of the best moves, best first, each with its value in a few signs."""
    fault_cells: tuple[int, ...] = ()
    """Cells that must be corrected."""
    unknown_cells: tuple[int, ...] = ()
    """Cells that cannot be read: something covers them, or the light is unusual."""
    title: str = ""
    """The game's display name."""
    verdict: str = ""
    """The referee's verdict, one or two sentences."""
    said: str = ""
    """The last spoken sentence."""
    to_move: str = ""
    """Who is to move, or how the game ended; a few words."""
    moves: tuple[str, ...] = ()
    """The moves so far; the last few are shown."""
    status: str = ""
    """Why the board cannot be seen, such as "board lost"; empty if it can."""
    colours: Mapping[str, tuple[int, int, int]] = dataclasses.field(
        default_factory=lambda: {"W": (214, 236, 245), "B": (40, 34, 30)}
    )
    """Blue, green, red of the pieces in the small diagram, by class letter; other classes are drawn as letters."""
