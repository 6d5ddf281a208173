"""An obstacle that covers the board for too long is reported once; nothing is believed until it has gone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import games
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.match.match import FIRST_S, Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Observation
from tests.daemon.match_bench import LOCKED, PICTURE, ScriptedPipeline, Watching
from tests.daemon.readings import codes, reading_of
from tests.daemon.sights import FROM_ABOVE, sight
from vision.frame import Frame
from vision.watching.watcher import Sight

OCCLUDED = sight("occluded")
MOVING = sight("moving")
SETTLED = sight("settled")


class Gated(ScriptedPipeline):
    """Gives the scripted gate states and no readings."""

    def __init__(
        self, *states: Sight, outside: tuple[tuple[int, ...], ...] = (), moved: tuple[float, ...] = ()
    ) -> None:
        super().__init__()
        self.states, self.moved, self.outside, self.frozen = list(states), list(moved), list(outside), False

    def feed(self, frame: Frame) -> Observation:
        outside = self.outside.pop(0) if self.outside else ()
        return Observation(
            frame,
            LOCKED,
            FROM_ABOVE,
            self.states.pop(0),
            outside=outside,
            moved_share=self.moved.pop(0) if self.moved else 0.0,
            frozen=self.frozen,
        )


def looking(eyes: Gated, agent: str | None = None, now_s: Sequence[float] = (0.0,)) -> Watching:
    """These eyes over a new game of morris, and the list of what is announced."""
    heard = list[Announcement]()
    match = Match(Referee(games.load("morris"), (agent, None)), listeners=[heard.append], clock=lambda: now_s[0])
    return BoardTracker(eyes, match), heard  # type: ignore[arg-type]


def said(eyes: Gated) -> list[str]:
    seeing, heard = looking(eyes)
    for index in range(len(eyes.states)):
        seeing.feed(Frame(PICTURE, float(index), index))  # one a second
    return [one.text for one in heard]


def reports(*states: Sight) -> list[str]:
    return [text for text in said(Gated(*states)) if "lies over the board" in text]


def test_a_hand_that_rests_shortly_is_not_mentioned() -> None:
    assert reports(SETTLED, *4 * [OCCLUDED], SETTLED, *4 * [OCCLUDED]) == []


def test_what_lies_over_the_board_is_reported_once_even_if_it_stirs() -> None:
    """Reported about five seconds after it last moved; a hovering hand is no obstacle."""
    assert len(reports(SETTLED, MOVING, *7 * [OCCLUDED], MOVING, *7 * [OCCLUDED])) == 1
    assert reports(SETTLED, *4 * [OCCLUDED, OCCLUDED, OCCLUDED, MOVING], SETTLED) == []


def test_once_the_board_was_free_the_next_obstacle_is_reported_again() -> None:
    assert len(reports(*2 * [SETTLED, *7 * [OCCLUDED], MOVING])) == 2


@pytest.mark.parametrize(("moved", "told"), [(21 * (0.002,), 0), (21 * (0.02,), 1), ((*9 * (0.0,), 0.2), 0)])
def test_a_picture_that_shakes_too_much_to_be_read_is_told_once_with_what_helps(
    moved: tuple[float, ...], told: int
) -> None:
    """Hands over a still board are no shaking, since whoever moves them knows; nor is a knock against the board."""
    heard = said(Gated(SETTLED, *20 * [MOVING], moved=moved))
    assert len([text for text in heard if "shakes" in text and "Lean" in text]) == told == len(heard)


def test_cells_that_have_left_the_picture_are_named_once_and_so_is_their_return() -> None:
    states = (SETTLED, MOVING, SETTLED, SETTLED, SETTLED, SETTLED)
    heard = said(Gated(*states, outside=((), (23,), (23,), (22, 23), (), ())))
    assert [text.split(":")[0] for text in heard] == ["I cannot see g1", "I see the whole board again."]


@pytest.mark.parametrize(("gate", "judged"), [(SETTLED, True), (MOVING, False), (OCCLUDED, False)])
def test_an_agents_answer_is_held_against_the_board_read_last_only_while_nothing_moves(
    gate: Sight, judged: bool
) -> None:
    """The board may show half of a takeback, for example, while the next man is being put back."""
    seeing, _ = looking(Gated(SETTLED, gate), "alphabeta")
    referee = seeing.match.referee
    seeing.feed(Frame(PICTURE, 0.0, 0))
    seeing.reading = reading_of(referee.game, "W" + "." * 22 + "W")
    seeing.feed(Frame(PICTURE, 0.1, 1))
    referee.reply("alphabeta", 0, "d2")
    seeing._look_for_answer()
    assert referee.waits == judged


@pytest.mark.parametrize(("gate", "reminded"), [(SETTLED, True), (MOVING, False), (OCCLUDED, False)])
def test_players_are_reminded_of_what_is_open_only_while_the_board_is_seen(gate: Sight, reminded: bool) -> None:
    """The requested action may already have been done, under the hand that is in the way."""
    now_s = [0.0]
    seeing, heard = looking(Gated(SETTLED, gate), "alphabeta", now_s)
    match = seeing.match
    seeing.feed(Frame(PICTURE, 0.0, 0))
    match.carry_out(match.referee.reply("alphabeta", 0, "d2"))
    match.poll()
    seeing.feed(Frame(PICTURE, 0.1, 1))
    now_s[0] = 2 * FIRST_S
    match.poll()
    assert ("reminder" in codes(heard)) == reminded


def test_a_camera_that_froze_is_not_said_to_be_covered() -> None:
    gated = Gated(SETTLED, *9 * [OCCLUDED])
    gated.frozen = True
    heard = said(gated)
    assert len(heard) == 1 and "same picture" in heard[0]


@pytest.mark.parametrize(("gate", "told"), [(SETTLED, 0), (MOVING, 1), (OCCLUDED, 1)])
def test_pictures_that_end_in_the_middle_of_a_hand_are_told_to(gate: Sight, told: int) -> None:
    seeing, heard = looking(Gated(SETTLED, gate))
    for index in range(2):
        seeing.feed(Frame(PICTURE, float(index), index))
    seeing.end()
    assert sum("pictures end" in one.text for one in heard) == told
    assert seeing.match.referee.ply == 0
