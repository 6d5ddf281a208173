"""What may have happened between two readings of a board, and how far each way is believed.

A *loss* is how much less likely a board is than the most likely one, in nats; a *cost* adds what an explanation costs
before anything is seen. Nothing here is specific to a game.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from games import Step
from vision.reading.board_reading import BoardReading

FIT_NATS = {"unchanged": 3.0, "plies": 2.3, "unfinished": 1.5, "takeback": 0.7}
"""Greatest loss of an explanation that is believed, by its kind: ten to one against the picture for a single ply."""
FIT_PLIES_NATS = 0.7
"""The same for several plies at once: two to one. With more, an illegal move would be made legal by plies that nobody
made, on cells that were merely seen badly."""
RIVAL_NATS = 1.5
"""Least distance between the best explanation and one that leads elsewhere; closer ones are ambiguous."""
MAX_PLIES = 3
"""Fast hands: as many plies that can be seen may lie between two readings, and are all tried."""
PRIOR_NATS = {"unchanged": 0.0, "plies": 0.0, "unfinished": 0.5, "takeback": 4.0}
EXTRA_PLY_NATS = 4.0
"""What each ply beyond the first costs: several at once are rarer than one."""
UNSEEN_NATS = 2.0
"""What a move that cannot be seen costs, a pass that nobody announced, where another move could have been made: more
than RIVAL_NATS, so that the line with the fewest of them is no matter of doubt."""
MOVER_NATS = 6.0
"""What a ply costs that another side made than the one whose hand was seen: more than two passes and their doubt."""

Kind = Literal["unchanged", "plies", "unfinished", "takeback"]


@dataclasses.dataclass(frozen=True)
class Explanation:
    """One way in which the board could have come to look as it was read."""

    kind: Kind
    board: str
    loss: float
    """Nats below the likelihood of the most likely board."""
    start: Any = None
    """The position from which the plies go on; differs from the present one only before the first ply. For
    `unfinished` the one in which the move was begun."""
    moves: tuple[Any, ...] = ()
    """The plies made, in order, unseen ones too; for `unfinished` the move that was begun. For `takeback` those that
    stand after all, where several had come together and their order was assumed wrongly."""
    positions: tuple[Any, ...] = ()
    """The position after each ply."""
    seen: int = 0
    """How many of the plies changed the board."""
    extra_nats: float = 0.0
    """What its unseen plies, and movers other than the known ones, cost."""
    missing: tuple[Step, ...] = ()
    """What the hand still has to do, for `unfinished`."""
    ply: int = 0
    """The ply returned to, for `takeback`: the last time that its board came to stand there, before passes."""

    @property
    def cost(self) -> float:
        """Loss plus what the kind of explanation costs before anything is seen."""
        return self.loss + PRIOR_NATS[self.kind] + EXTRA_PLY_NATS * max(0, self.seen - 1) + self.extra_nats

    @property
    def fits(self) -> bool:
        """Whether the reading allows it."""
        return self.loss <= (FIT_PLIES_NATS if self.seen > 1 else FIT_NATS[self.kind])


@dataclasses.dataclass(frozen=True)
class MoveEvent:
    """A settled reading with its ranked explanations."""

    reading: BoardReading
    explanations: tuple[Explanation, ...]
    """Those that fit, cheapest first; empty where nothing legal fits."""
    doubtful: tuple[int, ...]
    """Cells that could be something else: read with a probability under nine in ten."""
    shared_men: bool = False
    """Whether the men belong to nobody, so that the board does not tell who laid which, nor in what order."""
    goes_back: bool = False
    """Whether it may be half of a takeback: what differs from the board believed is as it lately was."""

    @property
    def board(self) -> str:
        """The most likely board."""
        return self.reading.board

    @property
    def rivals(self) -> tuple[Explanation, ...]:
        """The explanations that are nearly as good as the best one and lead elsewhere."""
        return tuple(one for one in self.explanations[1:] if one.cost - self.explanations[0].cost < RIVAL_NATS)

    @property
    def rival(self) -> Explanation | None:
        """The first rival that a look at the board could tell from the best explanation; None where there is none.

        The order of two men laid at once cannot be seen where men belong to nobody. Nobody at the table could settle
        the doubt by showing the board again, so the first order is taken, and said to be assumed.
        """
        return next((one for one in self.rivals if not self._same_men(one)), None)

    @property
    def ambiguous(self) -> bool:
        """Whether a second explanation that leads elsewhere is nearly as good as the best."""
        return self.rival is not None

    @property
    def order_assumed(self) -> bool:
        """Whether men that came together may have been laid in another order, or by others, as likely as assumed."""
        if self.ambiguous or not self.explanations:
            return False
        return self.explanations[0].seen > MAX_PLIES or any(one.seen > 1 for one in self.rivals)

    def _same_men(self, other: Explanation) -> bool:
        best = self.explanations[0]
        return self.shared_men and best.kind == other.kind == "plies" and best.board == other.board
