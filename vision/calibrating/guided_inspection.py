"""Checks before taking a picture that it shows the right game's board, well enough to learn from."""

from __future__ import annotations

import dataclasses

import games
from calibration.template import BoardTemplate
from vision.calibrating.survey import Shown, survey
from vision.calibrating.verdict import Condition, refusing, warning
from vision.finding.found import Found, FoundBy, is_ruled
from vision.frame import Image
from vision.pose import BoardPose
from vision.reading.which_board import have_same_cells, name_board
from wording import Sentence, Term, listing, sentence

SURELY_THIS = 0.9
"""Probability of the board's place from which no other game's board is looked for; right boards exceed 0.99."""
NAMED_FOR = 8
"""Number of looks for which a board is taken for another game's before all boards are searched for again."""
MAYBE = 0.25
"""Probability from which a board counts that is as likely as another with the same lines."""
MAX_REMARKS = 2
"""Most pieces of advice given at once."""


@dataclasses.dataclass(frozen=True)
class Objection:
    said: Sentence
    cells: tuple[int, ...] = ()


class Inspection:
    """Inspects the pictures of one run: call `objection` for every still board that might be taken."""

    def __init__(self, *, placed_by_hand: bool) -> None:
        """A board whose corners the user gave (`placed_by_hand`) is taken for the right one."""
        self.conditions: tuple[Condition, ...] = ()
        self._by_hand = self._surely_this = placed_by_hand
        self._other: Sentence | None = None
        self._looks_at_other = 0

    def forget_place(self) -> None:
        """Call when the board was moved: it may be another one now."""
        self._surely_this, self._other = self._by_hand, None

    def other_game(self, image: Image, pose: BoardPose, template: BoardTemplate) -> Objection | None:
        """The objection that this is another game's board, or None. Takes some seconds where it may be."""
        if not self._surely_this and (self._other is None or self._looks_at_other >= NAMED_FOR):
            self._other, self._looks_at_other = wrong_game(image, pose, template), 0
        if self._other is not None:
            self._looks_at_other += 1
            return Objection(self._other)
        self._surely_this = True
        return None

    def objection(self, image: Image, pose: BoardPose, template: BoardTemplate, board: str) -> Objection | None:
        """The objection to the picture of `board`, another game's or poor conditions, or None. Takes 0.1 s or more."""
        other = self.other_game(image, pose, template)
        if other is not None:
            return other
        self.conditions = survey([Shown(image, pose, board)], template)
        worst = refusing(self.conditions)
        return Objection(worst[0].said, worst[0].cells) if worst else None

    @property
    def remarks(self) -> tuple[Condition, ...]:
        """Conditions that could be better, worst first, at most MAX_REMARKS."""
        return warning(self.conditions)[:MAX_REMARKS]


def wrong_game(image: Image, pose: BoardPose, template: BoardTemplate) -> Sentence | None:
    """What to say if the board in the picture is rather another game's; None if it is not."""
    found_by: FoundBy = "lattice" if is_ruled(template) else "outline"
    if template.printed is not None or template.first_square:
        found_by = "squares" if template.first_square else "print"
    if Found(pose, template, found_by=found_by).rated(image).sure >= SURELY_THIS:
        return None
    return other_board_named(image, template)


def other_board_named(image: Image, template: BoardTemplate) -> Sentence | None:
    """A sentence naming another game's board in the picture; None if there is none, or the right one."""
    naming = name_board(image)
    seen = [naming.board] if naming.board is not None else [one for one in naming.others if one.sure >= MAYBE]
    if not seen or any(one.template.game == template.game or have_same_cells(one.template, template) for one in seen):
        return None
    keys = [one.template.game for one in seen]
    titles = [Term("game", games.find(key).title) for key in keys]
    return sentence(
        "This looks like a board for {seen}, not for {game}. Lay out the right one, or calibrate with --game {key}.",
        seen=listing(titles, joint="or"),
        game=Term("game", games.find(template.game).title),
        key=listing(keys, joint="or"),
    )
