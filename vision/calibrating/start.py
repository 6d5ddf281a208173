"""Learns a table from a board whose content is known: the start of the game, with men on it.

Nobody has to say that the board lies ready: it must look so. Every known cell is read by what the others tell, and a
board on which one is read as something else teaches nothing. So a man that is missing, a board set up otherwise, or
men that cannot be told apart are noticed. Boards may lie any way round: the way in which the cells fit best counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.template import BoardTemplate
from vision.calibrating.figure_learner import FigureLearner
from vision.calibrating.flat_learner import FlatLearner
from vision.calibrating.learner import Learner
from vision.calibrating.lesson import CLEARLY_NATS, Lesson, Unlike, ways_to_lie
from vision.pose import Rectified
from vision.reading.figures import figure_reader
from vision.reading.heads import GENERIC, load_generic
from vision.reading.taught import Taught

MIN_MEN = 2
"""Fewest pieces of each side on a board that teaches: each is judged by the others."""
NEARLY_ALIKE = 1
"""Cells by which another board to which play may have led must be less like what is seen. A ply changes two cells or
more, or in some games one."""
MAX_PLAYED_ON = 0.1
"""Greatest share of the cells that may have changed while nobody watched, by plies made then."""


def can_teach(board: str, template: BoardTemplate) -> bool:
    """Whether a board has enough men of both sides, and empty cells, and the shipped networks know the classes."""
    model = load_generic(template.descriptor).means if template.descriptor in GENERIC else None
    known = template.shaped or (model is not None and sorted(template.letters) == sorted(model.letters))
    return known and all(template.seen(board).count(letter) >= MIN_MEN for letter in template.letters)


def learn_from(seen: Rectified, boards: Sequence[str], begun: Sequence[str] = ()) -> Lesson | Unlike | None:
    """What the picture teaches if it shows one of the boards, in any turn; None where none of them can teach.

    Boards are as `rules.figures_of` has them. `begun` are boards to which play may have led before anybody watched. The
    picture teaches by one of them only if it looks more like it than like each of `boards`, and like no other of them
    as well. Half a second for a lesson, a tenth without.
    """
    boards, begun = ([board for board in some if can_teach(board, seen.template)] for some in (boards, begun))
    if not boards:
        return None
    learner = _learner(seen)
    first = learner.likeliest(boards)
    if not begun or first[0][0] == 0:
        return learner.teaches(first)
    since = learner.likeliest(begun)
    if not since or first[0][0] <= since[0][0]:
        return learner.teaches(first)
    usual = learner.teaches(first)
    near = [learner.teaches([(unlike, way)]) for unlike, way in since if unlike <= since[0][0] + NEARLY_ALIKE]
    lessons = [one for one in near if isinstance(one, Lesson) and _shows_plies(learner, one, boards)]
    return lessons[0] if len(lessons) == 1 and not isinstance(usual, Lesson) else usual


def _learner(seen: Rectified) -> Learner:
    reader = figure_reader(seen.template)
    return FlatLearner(seen) if reader is None else FigureLearner(seen, reader)


def _shows_plies(learner: Learner, lesson: Lesson, before: Sequence[str]) -> bool:
    """Whether the cells that plies have changed since the likeliest of the boards before clearly show it."""
    changed = min(([a != b for a, b in zip(lesson.board, one, strict=True)] for one in before), key=sum)
    return learner.shows_plies(lesson, np.array(changed))


def turn_by(taught: Taught | None, seen: Rectified, boards: Sequence[str]) -> int | None:
    """The turn in which the picture shows one of the boards, or nearly, by what was taught before; None if in none.

    What was taught must fit the picture clearly better in that turn than in others. Where it sees a changed cell that
    the network sees unchanged, the light is another, or the men are.
    """
    learner = _learner(seen)
    rows, found = np.arange(len(learner.alone)), list[tuple[float, int, bool]]()
    for way in ways_to_lie(boards, seen.template):
        told = learner.told_by(taught, way.cells)
        if told is None:
            return None
        classes = learner.classes(way)
        changed = told.argmax(axis=1) != classes
        doubted = changed & (learner.alone[way.cells].argmax(axis=1) == classes)
        fits = changed.mean() <= MAX_PLAYED_ON and not doubted.any()
        found.append((float(told[rows, classes].sum()), way.turn, bool(fits)))
    found.sort(reverse=True)
    if not found or not found[0][2]:
        return None
    others = [likely for likely, turn, _ in found if turn != found[0][1]]
    return found[0][1] if not others or found[0][0] - others[0] > CLEARLY_NATS else None
