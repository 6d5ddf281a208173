"""Notices about what keeps the camera from seeing the whole board; each is given once per incident."""

from __future__ import annotations

import math

from daemon.judging import phrases
from daemon.perception.pipeline import Observation, Pipeline
from rules import AnyGame
from vision.finding.why_unseen import too_low
from vision.watching.surroundings import LONGER_SIDE_PX
from vision.watching.watcher import REPORTED_S, Sight
from wording import Sentences, sentence

SHAKING = 1 / LONGER_SIDE_PX
"""Movement of the board between frames, as a share of its side, from which the picture shakes: one pixel of the picture
in which motion is looked for, and about as much as that smears."""
SMOOTHED = 0.1
"""Weight of the newest frame in the running share of frames that move farther than SHAKING."""
MOSTLY = 0.5
"""Share of shaking frames above which the picture counts as shaking; a single knock, however hard, does not suffice."""
BLOCKED = sentence("Something lies over the board. I wait until I can see all of it.")
FROZEN = sentence("The camera sends the same picture again and again. Look whether it is still running.")
SHAKES = sentence("The picture shakes too much to be read. Lean the phone or the camera against something.")
HIDE = sentence("Tall pieces hide others, and I may read them wrong.")
RESTLESS = (
    sentence("I see the board, but it does not lie free for long enough."),
    sentence("Leave it free for a moment, so that I can read it."),
)


class OcclusionNotices:
    """Remembers what was announced about objects over the board, a shaking picture, and cells that are not in view."""

    def __init__(self) -> None:
        self._announced_unread = self._announced_outside = self._announced_restless = self._announced_low = False
        self._announced_covered = set[int]()
        self._found_s: float | None = None
        """Time at which the board was first in view; infinite once a picture of it has settled or taught."""
        self._free_s: float | None = None
        """Time at which the board was last free; None before the first picture."""
        self._stirred_s = 0.0
        """Time at which a hand, a lamp or a knock last disturbed the picture."""
        self._shaking = 0.0
        """Running share of recent frames in which the board moved farther than SHAKING."""

    @property
    def shakes(self) -> bool:
        return self._shaking > MOSTLY

    def look(self, seen: Observation, game: AnyGame, pipeline: Pipeline) -> list[Sentences]:
        """Returns the new notices for a picture that shows the board; often none."""
        assert seen.gate is not None
        return [
            *self._restless(seen, seen.gate, pipeline),
            *self._low(seen, seen.gate, pipeline),
            *self._unread(seen, seen.gate),
            *self._outside(seen, seen.gate, game),
            *self._covered(seen, seen.gate, game, pipeline),
        ]

    def _restless(self, seen: Observation, gate: Sight, pipeline: Pipeline) -> list[Sentences]:
        """Notices that hands have moved over the board ever since it was found: what they do is not seen."""
        if self._found_s is None:
            self._found_s = seen.frame.time_s
        if gate.settled or (pipeline.lesson is not None and pipeline.lesson.board not in pipeline.begun):
            self._found_s = math.inf
        if self._announced_restless or gate.phase != "moving" or seen.frame.time_s - self._found_s < REPORTED_S:
            return []
        self._announced_restless = True
        return [RESTLESS]

    def _low(self, seen: Observation, gate: Sight, pipeline: Pipeline) -> list[Sentences]:
        """Notices that the camera looks from too low at men that hide one another; again only after it was higher."""
        still = gate.phase in ("settled", "occluded")  # seen from low, men over the rim look like something that lies
        looked = self._announced_low and not seen.alignment.relocked
        looked |= seen.spent is None  # its size is all that is asked of the picture, but would decode it
        if looked or not still or seen.alignment.pose is None or not pipeline.men_hide():
            return []
        height, width = seen.frame.image.shape[:2]
        before, why = self._announced_low, too_low(seen.alignment.pose, pipeline.template, (width, height))
        self._announced_low = why is not None
        self._announced_unread |= self._announced_low
        return [] if why is None or before else [(why.matter, HIDE, why.remedy)]

    def _unread(self, seen: Observation, gate: Sight) -> list[Sentences]:
        """Notices that an object rests over the board, or that the picture shakes; nothing is read until that ends."""
        self._shaking += SMOOTHED * ((seen.moved_share > SHAKING) - self._shaking)
        time_s = seen.frame.time_s
        if gate.settled or self._free_s is None:
            self._free_s = self._stirred_s = time_s
            self._announced_unread = False
        if self._announced_unread:
            return []
        shakes = gate.phase != "occluded" and self.shakes and time_s - self._free_s >= REPORTED_S
        if gate.phase in ("moving",) or seen.alignment.relocked:
            self._stirred_s = time_s
        lies = gate.phase == "occluded" and time_s - self._stirred_s > REPORTED_S
        self._announced_unread = shakes or lies
        if not self._announced_unread:
            return []
        return [(SHAKES if shakes else FROZEN if seen.frozen else BLOCKED,)]

    def _outside(self, seen: Observation, gate: Sight, game: AnyGame) -> list[Sentences]:
        """Notices which cells have left the picture, and when the whole board is visible again."""
        if not gate.settled:
            return []
        before, self._announced_outside = self._announced_outside, bool(seen.outside)
        if before or not seen.outside:
            return [(sentence("I see the whole board again."),)] if before and not seen.outside else []
        names = phrases.named_cells(game, seen.outside)
        outside = sentence(
            "I cannot see {cells}: outside the picture. Please turn the camera, or move the board.", cells=names
        )
        return [(outside,)]

    def _covered(self, seen: Observation, gate: Sight, game: AnyGame, pipeline: Pipeline) -> list[Sentences]:
        """Notices the cells on which something has lain for long, each once until it lies open again."""
        told = pipeline.looks.told
        if not gate.settled or told is None:
            return []
        covered = set(told.foreign.nonzero()[0].tolist()).difference(seen.outside)
        new = sorted(covered - self._announced_covered)
        due = any(seen.frame.name or gate.still_s[cell] >= REPORTED_S for cell in new)
        self._announced_covered = covered if due else self._announced_covered & covered
        names = phrases.named_cells(game, new)
        lies = sentence("Something lies on {cells}, or a lamp is mirrored there. Please take it away.", cells=names)
        return [(lies,)] if due else []
