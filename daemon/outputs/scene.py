"""Everything the overlay shows of one moment."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from calibration.template import BoardTemplate
from games import Step
from vision.frame import Frame
from vision.pose import BoardPose


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    """One moment, complete: the overlay remembers nothing."""

    frame: Frame
    """The camera's picture, decoded when it is drawn."""
    template: BoardTemplate
    pose: BoardPose | None = None
    """Where the board is in `frame`; None while it is lost."""
    board: str = ""
    """The believed board: a class letter per cell; empty before the first belief."""
    last_move: tuple[Step, ...] = ()
    """What the last hand did."""
    agent_steps: tuple[Step, ...] = ()
    """What a person must now do for the agent."""
    fault_cells: tuple[int, ...] = ()
    """Cells that must be put right."""
    unknown_cells: tuple[int, ...] = ()
    """Cells that show nothing known: something covers them, or the light is strange."""
    title: str = ""
    """The game, as people say it."""
    verdict: str = ""
    """What the referee says, one or two sentences."""
    said: str = ""
    """What was said aloud last."""
    to_move: str = ""
    """Who is to move, or how the game ended; a few words."""
    moves: tuple[str, ...] = ()
    """The moves so far; the last few are shown."""
    status: str = ""
    """What is wrong with the sight of the board, such as "board lost"; empty where nothing is."""
    colours: Mapping[str, tuple[int, int, int]] = dataclasses.field(
        default_factory=lambda: {"W": (214, 236, 245), "B": (40, 34, 30)}
    )
    """Blue, green, red of the men in the little diagram, by class letter; other classes are written as letters."""
