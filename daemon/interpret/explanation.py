"""Possible explanations of a new board reading, with their likelihoods.

A *loss* is how much less likely a board is than the most likely one, in nats; a *cost* adds the prior cost of the
explanation, before anything is seen. Nothing here is specific to one game.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from rules import Step
from vision.reading.board_reading import BoardReading

FIT_NATS = {"unchanged": 3.0, "plies": 2.3, "unfinished": 1.5, "takeback": 0.7}
"""Nats: greatest loss of a believed explanation, by its kind. For a single ply, ten to one against the picture."""
FIT_PLIES_NATS = 0.7
"""Nats: the same for several plies at once, two to one. A higher limit would let plies that nobody made, on badly seen
cells, turn an illegal move into a legal one."""
RIVAL_NATS = 1.5
"""Nats: least cost distance between the best explanation and one that leads elsewhere; closer ones are ambiguous."""
MAX_PLIES = 3
"""Greatest number of visible plies between two readings that are all tried, for fast players."""
PRIOR_NATS = {"unchanged": 0.0, "plies": 0.0, "unfinished": 0.5, "takeback": 4.0}
EXTRA_PLY_NATS = 4.0
"""Nats that each ply after the first costs: several at once are rarer than one."""
UNSEEN_NATS = 2.0
"""Nats that an unseen move costs, i.e. an unannounced pass where another move was possible. More than RIVAL_NATS, so
that the line with the fewest such moves is not ambiguous."""
MOVER_NATS = 6.0
"""Nats that a ply costs if its mover is not the side whose hand was seen: more than two passes and their doubt."""

Kind = Literal["unchanged", "plies", "unfinished", "takeback"]


@dataclasses.dataclass(frozen=True)
class Explanation:
    """One way in which the board could have come to look as read."""

    kind: Kind
    board: str
    loss: float
    """Nats by which the board is less likely than the most likely one."""
    start: Any = None
    """The position from which the plies start; differs from the present one only before the first ply. For `unfinished`
    the position in which the move was begun."""
    moves: tuple[Any, ...] = ()
    """The plies made, in order, including unseen ones; for `unfinished` the move that was begun. For `takeback` the
    plies that remain after all, if several had come together and their order was assumed wrongly."""
    positions: tuple[Any, ...] = ()
    """The position after each ply."""
    seen: int = 0
    """Number of plies that changed the board."""
    extra_nats: float = 0.0
    """Nats that its unseen plies, and movers other than the known ones, cost."""
    missing: tuple[Step, ...] = ()
    """Steps that the hand still has to make, for `unfinished`."""
    ply: int = 0
    """The ply returned to, for `takeback`: the last time that this board arose, before passes."""

    @property
    def cost(self) -> float:
        """Loss plus the prior cost of this explanation."""
        return self.loss + PRIOR_NATS[self.kind] + EXTRA_PLY_NATS * max(0, self.seen - 1) + self.extra_nats

    @property
    def fits(self) -> bool:
        """Whether the loss is low enough to believe it."""
        return self.loss <= (FIT_PLIES_NATS if self.seen > 1 else FIT_NATS[self.kind])


@dataclasses.dataclass(frozen=True)
class MoveEvent:
    """A settled reading with its ranked explanations."""

    reading: BoardReading
    explanations: tuple[Explanation, ...]
    """Explanations that fit, cheapest first; empty if nothing legal fits."""
    doubtful: tuple[int, ...]
    """Cells that could be something else: read with a probability below 0.9."""
    shared_pieces: bool = False
    """Whether the pieces belong to nobody, so that the board does not show who played which, nor in what order."""
    goes_back: bool = False
    """Whether it may be half of a takeback: the cells that differ from the believed board are as they recently were."""

    @property
    def board(self) -> str:
        """The most likely board."""
        return self.reading.board

    @property
    def rivals(self) -> tuple[Explanation, ...]:
        """Explanations that lead elsewhere and are nearly as good as the best one."""
        return tuple(one for one in self.explanations[1:] if one.cost - self.explanations[0].cost < RIVAL_NATS)

    @property
    def rival(self) -> Explanation | None:
        """The first rival that looking at the board could tell from the best explanation; None if there is none.

        Where pieces belong to nobody the order of two played at once cannot be seen. Nobody at the table could settle
        it by showing the board again, so the first order is taken and announced as assumed.
        """
        return next((one for one in self.rivals if not self._same_pieces(one)), None)

    @property
    def ambiguous(self) -> bool:
        """Whether a second explanation that leads elsewhere is nearly as good as the best."""
        return self.rival is not None

    @property
    def order_assumed(self) -> bool:
        """Whether pieces that appeared together may as likely have been played in another order or by other sides."""
        if self.ambiguous or not self.explanations:
            return False
        return self.explanations[0].seen > MAX_PLIES or any(one.seen > 1 for one in self.rivals)

    def _same_pieces(self, other: Explanation) -> bool:
        best = self.explanations[0]
        return self.shared_pieces and best.kind == other.kind == "plies" and best.board == other.board
