"""Sentences of the guided calibration: advice if the board is not seen, and corrections of what lies on it."""

from __future__ import annotations

import numpy as np

from calibration.arrays import Flags
from calibration.guide import Lesson, Piece, kinds, listed
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.guided_inspection import other_board_named
from vision.calibrating.lesson_check import Mistakes
from vision.finding.why_unseen import exposure_fault, other_board
from vision.frame import Image
from wording import Sentence, Sentences, Value, listing, sentence, sentence_n

LEAVE = sentence("If it is right as it is, leave it so for half a minute.")
SAY_EMPTY = sentence('If it is empty, say so: with Enter, or with the button "The board is right as it is".')
LISTED = 8
"""Most wrong cells named one by one; if there are more, the whole board is asked for again."""


def found(quality: float) -> Sentences:
    seen = sentence("I see the board, and {percent} % of its lines.", percent=round(100 * quality))
    if quality > 0.8:
        return (seen,)
    return seen, sentence("If the picture shows it elsewhere, give its corners with --corners.")


def advice(image: Image, template: BoardTemplate, *, seen_before: bool) -> Sentences:
    """What to do about a board that is not seen in the picture. Takes some seconds if the picture itself is good."""
    what = sentence("I do not see the board any more.") if seen_before else sentence("I do not see the board.")
    unseen = other_board(image, template) or exposure_fault(image)
    if unseen is not None:
        return what, unseen.matter, unseen.remedy
    if seen_before:
        return what, sentence("Take away what covers it, or put it back into the picture.")
    other = other_board_named(image, template)
    if other is not None:
        return (other,)
    return what, sentence(
        "The whole of it must be in the picture, with nothing on its lines, seen rather from above; "
        "or give its corners with --corners."
    )


def stuck(minutes: float, phase: str, trouble: Sentences) -> Sentences:
    """Said if no picture could be taken for `minutes`; `phase` is the gate's last, `trouble` the last complaint."""
    over = {
        "moving": sentence("Something moves over the board all the time: take your hands away when all lies."),
        "occluded": sentence("Something reaches over the board."),
        "light": sentence("The light changes all the time."),
    }
    why = (over[phase],) if phase in over else trouble
    count = round(minutes)
    return sentence_n(
        "No picture could be taken for {count} minute.", "No picture could be taken for {count} minutes.", count
    ), *why


def swapped(mistakes: Mistakes, lesson: Lesson) -> bool:
    """Whether at least 80 % of the pieces look odd, each class like one other: only their names are exchanged."""
    men = [cell for cell, letter in enumerate(lesson.board) if letter != EMPTY]
    looks = {(lesson.board[cell], letter) for cell, letter in mistakes.odd}
    return len(mistakes.odd) >= 0.8 * len(men) > 0 and len({asked for asked, _ in looks}) == len(looks)


def kind_unknown(mistakes: Mistakes, lesson: Lesson) -> bool:
    """Whether the odd pieces are all of their classes: the reader does not know them; they may be laid right."""
    odd = {cell for cell, _ in mistakes.odd}
    kinds = {lesson.board[cell] for cell in odd}
    return bool(odd) and odd == {cell for cell, letter in enumerate(lesson.board) if letter in kinds}


def correction(mistakes: Mistakes, lesson: Lesson, template: BoardTemplate, occupied: Flags) -> Sentences:
    if not lesson.pieces:
        where = _cells(mistakes.extra, template)
        return (
            sentence("The board is to be empty, but something seems to lie on {where}. Take it away.", where=where),
            SAY_EMPTY,
        )
    if mistakes.placed:
        return _odd(mistakes, lesson, template)
    if turned(lesson, template, occupied):
        first = template.cell_names[int(np.argmin(template.cells_mm.sum(axis=1)))]
        return (
            sentence(
                "The board is laid from another side: {cell} is the one at the top left of the camera's picture.",
                cell=first,
            ),
        )
    if len(mistakes.missing) + len(mistakes.extra) > LISTED:
        return (lesson.said,)
    said = []
    if mistakes.missing:
        lacking = [piece for piece in lesson.pieces if set(piece.cells) & set(mistakes.missing)]
        said.append(sentence("I still miss {pieces}.", pieces=listed(lacking, template)))
    if mistakes.extra:
        said.append(sentence("Take away what lies on {where}.", where=_cells(mistakes.extra, template)))
    return tuple(said)


def believed(mistakes: Mistakes, template: BoardTemplate) -> Sentence:
    """Said when a picture is taken on a person's word; of an empty board with what still seems to lie on it."""
    if not mistakes.extra:
        return sentence("I take your word for it.")
    return sentence("I take your word for it: nothing lies on {where}.", where=_cells(mistakes.extra, template))


def turned(lesson: Lesson, template: BoardTemplate, occupied: Flags) -> bool:
    """Whether the occupied cells are those the lesson asks for, turned by one, two or three quarter turns."""
    wanted = {cell for piece in lesson.pieces for cell in piece.cells}
    middle, names = template.cells_mm.mean(axis=0), range(len(template.cells_mm))
    around = template.cells_mm - middle
    seen = set(map(int, np.flatnonzero(occupied)))
    for turn in (1, 2, 3):
        x, y = around.T
        around_turned = np.stack([(x, y), (-y, x), (-x, -y), (y, -x)][turn], axis=1)
        place = {cell: int(np.argmin(np.linalg.norm(around - around_turned[cell], axis=1))) for cell in names}
        if {place[cell] for cell in wanted} == seen != wanted:
            return True
    return False


def _odd(mistakes: Mistakes, lesson: Lesson, template: BoardTemplate) -> Sentences:
    odd = mistakes.odd
    if swapped(mistakes, lesson):
        return (
            sentence("Every piece looks like another kind than I asked for. Have you exchanged them?"),
            sentence("If this is what you call them, leave them as they are."),
        )
    if kind_unknown(mistakes, lesson):
        unknown = listing([kinds(letter, template) for letter in sorted({lesson.board[cell] for cell, _ in odd})])
        strange = sentence("I do not know {kinds} like these yet.", kinds=unknown)
        return strange, sentence("See that they lie where I asked for them."), LEAVE
    looks = [Piece((cell,), letter) for cell, letter in mistakes.odd]
    wanted = [Piece((cell,), lesson.board[cell]) for cell, _ in mistakes.odd]
    told = sentence(
        "I think I see {pieces}; I asked for {asked}. Put that right.",
        pieces=listed(looks, template),
        asked=listed(wanted, template),
    )
    return told, LEAVE


def _cells(cells: tuple[int, ...], template: BoardTemplate) -> Value:
    names = [template.cell_names[cell] for cell in cells]
    if len(names) <= LISTED:
        return listing(names)
    return sentence_n("{count} point", "{count} points", len(names))
