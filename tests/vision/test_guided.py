"""The guided calibration with people who are slow, careless, stubborn, or in the way."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

import games
from calibration.guide import lessons
from calibration.template import load_template
from lab.simulated.calibration_player import SLIPS, CalibrationPlayer, Slip
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules.turns import changed_cells
from vision.calibrating import guided, guided_inspection
from vision.calibrating.guided import GuidedCalibration, Prompt
from vision.calibrating.guided_inspection import NAMED_FOR, Inspection, wrong_game
from vision.calibrating.guided_words import advice, correction, kind_unknown
from vision.calibrating.lesson_check import Mistakes, doubted, fit_guided
from vision.calibrating.verdict import Condition
from vision.finding.found import Found
from vision.frame import Frame
from vision.reading.heads import OTHER
from vision.reading.locate import PhotoReader
from vision.reading.which_board import Naming
from wording import Sentence, plain, sentence

GAME = games.load("morris")
TEMPLATE = load_template(GAME.name)
LESSONS = lessons(GAME, TEMPLATE)
SIZE_PX = (640, 360)
STEP_S = 0.65
SHORTER_S = {"FIRST_LOOK_S": 1.0, "LAYING_S": 4.0, "INSIST_S": 4.0}
"""What is waited for here: a third to a half of what people need."""
FIRST_LOOK_S, LAYING_S, INSIST_S = SHORTER_S.values()


class Room:
    """A table on which boards are laid instantly, and the calibration that watches it."""

    def __init__(self, corners: bool = False, accept: bool = False) -> None:
        self.table = _table()
        place = self.table.corners_px() if corners else None
        self.calibration = GuidedCalibration(TEMPLATE, LESSONS, place, accept=accept)
        self.said: list[Prompt] = list(self.calibration.begin())
        self.time_s = 0.0

    def show(self, board: str, seconds: float = 2.0) -> list[str]:
        """Lays a board and waits; returns the codes of the prompts meanwhile."""
        self.table = self.table.with_board(board, seed=int(self.time_s * 10))
        return self.wait(seconds)

    def wait(self, seconds: float) -> list[str]:
        """Lets time pass; returns the codes of the prompts meanwhile."""
        before, end_s = len(self.said), self.time_s + seconds
        while self.time_s < end_s:
            self.time_s += STEP_S
            self.table.advance(STEP_S)
            self.said += self.calibration.feed(Frame(self.table.render(), self.time_s, 0))
        return [prompt.code for prompt in self.said[before:]]

    @property
    def last(self) -> str:
        return self.said[-1].text


@functools.lru_cache(maxsize=1)
def _table() -> SimulatedTable:
    return SimulatedTable(TEMPLATE, "." * 24, default_style(), seed=5, size_px=SIZE_PX)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in SHORTER_S.items():
        monkeypatch.setattr(guided, name, seconds)


@pytest.fixture
def room() -> Room:
    """A room in which the empty board has already been taken."""
    there = Room(corners=True)
    there.wait(FIRST_LOOK_S + 1.5)
    assert list(there.calibration.taken) == [0]
    return there


def other(board: str, cell: int, letter: str) -> str:
    return board[:cell] + letter + board[cell + 1 :]


def test_boards_are_asked_for_and_taken_one_after_the_other(room: Room) -> None:
    for lesson in LESSONS[1:]:
        assert room.said[-1].code == "lay" and room.last == lesson.text
        room.show(lesson.board)
    assert room.calibration.complete and room.said[-1].code == "complete"
    assert [photo.cells for photo in room.calibration.photos] == [lesson.board for lesson in LESSONS]
    fit = fit_guided([room.calibration.taken[number] for number in range(4)], room.calibration.template)
    assert fit.left_out == () and fit.profile.accuracy > 0.97
    new = "BB.WW.B..W..B...W...BW.W"
    found = PhotoReader(TEMPLATE, fit.profile).read(room.table.with_board(new, seed=99).render())
    assert found is not None and found.reading.board == new


def test_boards_may_be_laid_in_another_order(room: Room) -> None:
    for number in (3, 1, 2):
        room.show(LESSONS[number].board)
    assert list(room.calibration.taken) == [0, 3, 1, 2]
    assert [photo.cells for photo in room.calibration.photos] == [lesson.board for lesson in LESSONS]


def test_what_lies_wrong_is_named_and_not_taken(room: Room) -> None:
    wrong = other(other(LESSONS[1].board, 0, "."), 4, "W")
    assert room.show(wrong, LAYING_S + 4) == ["correct"]
    assert room.last == "I still miss a light man on a7. Take away what lies on d6."
    assert room.show(LESSONS[1].board)[0] == "taken"


def test_man_of_the_other_side_is_noticed_on_the_first_board_and_later(room: Room) -> None:
    room.show(other(LESSONS[1].board, 0, "B"), 6.0)
    assert "I think I see a dark man on a7; I asked for a light man on a7." in room.last
    room.show(LESSONS[1].board)
    room.show(other(LESSONS[2].board, 11, "B"), 6.0)
    assert "a dark man on e4" not in room.last and room.last != LESSONS[2].text
    assert sorted(room.calibration.taken) == [0, 1]


def test_who_leaves_an_odd_man_is_believed_but_it_is_not_learnt_from(room: Room) -> None:
    room.show(LESSONS[1].board)
    wrong = LESSONS[2].board.index("W")
    codes = room.show(other(LESSONS[2].board, wrong, "B"), INSIST_S + 12.0)
    assert "believed" in codes
    assert room.calibration.taken[2].photo.cells[wrong] == OTHER


def test_enter_says_that_the_board_is_right(room: Room) -> None:
    room.show(LESSONS[1].board)
    room.show(other(LESSONS[2].board, LESSONS[2].board.index("W"), "B"), 6.5)
    room.calibration.insist()
    assert "believed" in room.wait(1.0)


def test_exchanged_colours_are_questioned_and_then_taken_as_names(room: Room) -> None:
    exchanged = LESSONS[1].board.translate(str.maketrans("WB", "BW"))
    room.show(exchanged, 6.0)
    assert "exchanged" in room.last
    assert "believed" in room.wait(INSIST_S + 7)
    assert room.calibration.taken[1].photo.cells == LESSONS[1].board


def test_later_board_with_all_colours_exchanged_is_never_taken(room: Room) -> None:
    room.show(LESSONS[1].board)
    room.show(LESSONS[2].board.translate(str.maketrans("WB", "BW")), INSIST_S + 8)
    assert 2 not in room.calibration.taken


def test_board_laid_from_another_side_is_recognised(room: Room) -> None:
    turned = "".join(reversed(LESSONS[1].board))
    room.show(turned, LAYING_S + 4)
    assert "another side: a7 is the one at the top left" in room.last


def test_bumped_board_is_followed_and_not_taken_for_a_mistake(room: Room) -> None:
    room.table.bump((9.0, -6.0), 3.0)
    codes = room.wait(4.0)
    assert codes == ["moved"]
    # The twin table has the board in its new place.
    assert room.show(LESSONS[1].board, 3.0)[-2:] == ["taken", "lay"]


def test_men_on_the_first_board_are_to_be_taken_away() -> None:
    there = Room()
    there.show(other("." * 24, 7, "W"), FIRST_LOOK_S + 6)
    assert "to be empty, but something seems to lie on d5" in there.last
    assert there.show("." * 24)[0] == "taken"


def test_a_full_board_is_never_taken_for_the_empty_one_unless_a_person_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Room(corners=True)
    conditions_are(monkeypatch, LOW)  # the men are what is wrong, not the light or the camera
    assert set(there.show(LESSONS[1].board, FIRST_LOOK_S + INSIST_S + 12)) == {"found", "correct"}
    assert not there.calibration.taken and there.last.endswith('or with the button "The board is right as it is".')
    conditions_are(monkeypatch)
    there.calibration.insist()
    assert there.wait(1.0)[0] == "believed"
    believed = next(prompt for prompt in there.said if prompt.code == "believed")
    assert believed.text == "I take your word for it: nothing lies on a7, d7, g7, f6, d5, g4, e3 and f2."
    assert believed.cells == tuple(cell for cell, letter in enumerate(LESSONS[1].board) if letter != ".")


def test_covered_camera_brings_advice_and_no_picture(room: Room) -> None:
    black = np.zeros((360, 640, 3), dtype=np.uint8)
    said = [prompt for index in range(20) for prompt in room.calibration.feed(Frame(black, room.time_s + index / 2, 0))]
    assert [prompt.code for prompt in said] == ["lost"] and "Switch on a light" in said[0].text


LOW = Condition("elevation", 10.0, sentence("Raise the camera."))
DIM = Condition("brightness", 25.0, sentence("Switch on a light."), (3,))


def conditions_are(monkeypatch: pytest.MonkeyPatch, *found: Condition) -> None:
    monkeypatch.setattr(guided_inspection, "survey", lambda shown, template: found)


def test_bad_conditions_are_told_at_the_empty_board_and_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided, "HOLD_S", 4.0)
    conditions_are(monkeypatch, LOW)
    there = Room(corners=True)
    assert there.wait(FIRST_LOOK_S + 1.5)[-1] == "conditions" and there.last == "Raise the camera."
    assert not there.calibration.taken
    there.wait(8.0)
    assert there.calibration.refused == "Raise the camera."
    assert there.calibration.ended and not there.calibration.complete and there.wait(2.0) == []


def test_conditions_put_right_in_time_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions_are(monkeypatch, LOW)
    there = Room(corners=True)
    there.wait(FIRST_LOOK_S + 1.5)
    conditions_are(monkeypatch)
    assert there.wait(4.0)[0] == "taken" and not there.calibration.refused


def test_bad_conditions_may_be_accepted_and_are_told_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions_are(monkeypatch, LOW)
    codes = Room(corners=True, accept=True).wait(FIRST_LOOK_S + 1.5)
    assert codes == ["found", "conditions", "taken", "lay"]


def test_what_might_be_better_is_remarked_once_the_empty_board_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions_are(monkeypatch, DIM)
    there = Room(corners=True)
    assert there.wait(FIRST_LOOK_S + 1.5) == ["found", "remark", "taken", "lay"]
    remark = next(prompt for prompt in there.said if prompt.code == "remark")
    assert (remark.text, remark.cells) == ("Switch on a light.", (3,))


def test_conditions_that_become_bad_later_are_told_before_that_picture_is_taken(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    conditions_are(monkeypatch, LOW)
    assert room.show(LESSONS[1].board) == ["conditions"] and list(room.calibration.taken) == [0]


def test_run_that_comes_to_nothing_ends_with_the_last_thing_said(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided, "STUCK_S", 10.0)
    room.show(other(LESSONS[1].board, 0, "."), 13.0)
    assert room.calibration.refused.startswith("No picture could be taken for")
    assert room.calibration.refused.endswith("I still miss a light man on a7.")


def test_board_of_another_game_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    reversi = Found(_table().pose, load_template("reversi"), sure=0.99)
    monkeypatch.setattr(Found, "rated", lambda found, image: dataclasses.replace(found, sure=0.1))
    monkeypatch.setattr(guided_inspection, "name_board", lambda image: Naming(reversi, ()))
    said = wrong_game(_table().render(), _table().pose, TEMPLATE)
    assert said is not None and str(said).startswith("This looks like a board for reversi, not for nine men's morris.")
    monkeypatch.setattr(guided_inspection, "name_board", lambda image: Naming(None, ()))
    assert wrong_game(_table().render(), _table().pose, TEMPLATE) is None


def test_the_right_board_is_sure_without_looking_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided_inspection, "name_board", lambda image: pytest.fail("looked for others"))
    assert wrong_game(_table().render(), _table().pose, TEMPLATE) is None


def test_advice_names_what_is_wrong_with_the_picture() -> None:
    picture = _table().render()
    assert "burnt out" in plain(
        advice(np.clip(picture.astype(int) * 3, 0, 255).astype(np.uint8), TEMPLATE, seen_before=False)
    )
    assert "not sharp" in plain(advice(np.full((360, 640, 3), 128, np.uint8), TEMPLATE, seen_before=False))
    assert "--corners" in plain(advice(picture, TEMPLATE, seen_before=False))


def test_corners_place_a_board_and_wrong_ones_are_refused() -> None:
    there = Room(corners=True)
    assert there.wait(FIRST_LOOK_S + 1.5)[:2] == ["found", "taken"]
    wrong = GuidedCalibration(TEMPLATE, LESSONS, np.array([[0, 0], [9000, 0], [9000, 9000], [0, 9000.0]]))
    with pytest.raises(ValueError, match="outside of the picture"):
        wrong.feed(Frame(there.table.render(), 0.0, 0))


def test_cell_that_all_other_pictures_contradict_is_left_out(room: Room) -> None:
    for lesson in LESSONS[1:]:
        room.show(lesson.board)
    taken = [room.calibration.taken[number] for number in range(4)]
    cell = LESSONS[2].board.index("B")
    taken[2].photo.__dict__["cells"] = other(taken[2].photo.cells, cell, "W")
    photo = doubted(taken, 2, TEMPLATE.letters)
    assert [index for index, letter in enumerate(photo.cells) if letter == OTHER] == [cell]
    assert OTHER not in doubted(taken, 1, TEMPLATE.letters).cells


def test_hand_that_lays_men_is_waited_for() -> None:
    table = _table().with_board("." * 24, seed=1)
    player, calibration = CalibrationPlayer(table, seed=1, pace=4.0), GuidedCalibration(TEMPLATE, LESSONS)
    said = list(calibration.begin())
    board = other(other("." * 24, 0, "W"), 23, "B")
    player.lay(board)
    seen = []
    for index in range(45):
        player.update()
        table.advance(0.1)
        said += calibration.feed(Frame(table.render(), index / 10, index))
        seen.append(table.hand_in_view)
    assert any(seen) and table.board == board and player.idle
    assert 0 not in calibration.taken


@pytest.mark.parametrize("slip", SLIPS[1:])
def test_sitter_lays_wrongly_and_mends_it(slip: Slip) -> None:
    table = SimulatedTable(TEMPLATE, "." * 24, default_style(), seed=2, size_px=(64, 36))
    player = CalibrationPlayer(table, seed=3, pace=5.0)
    player.lay(LESSONS[1].board, slip)
    _settle(player)
    assert changed_cells(LESSONS[1].board, table.board) and player.slips
    player.mend()
    _settle(player)
    assert table.board == LESSONS[1].board


def _settle(player: CalibrationPlayer) -> None:
    for _ in range(2000):
        player.update()
        player.table.advance(0.1)
        if player.idle:
            return
    raise AssertionError("the player never comes to rest")


def test_men_of_a_kind_that_the_eyes_do_not_know_are_asked_about_and_then_learnt() -> None:
    lesson = LESSONS[1]
    dark = tuple(cell for cell, letter in enumerate(lesson.board) if letter == "B")
    unknown = Mistakes(odd=tuple((cell, "W") for cell in dark))
    text = plain(correction(unknown, lesson, TEMPLATE, np.ones(24, dtype=np.bool_)))
    assert text.startswith("I do not know dark men like these yet. See that they lie where I asked for them.")
    assert kind_unknown(unknown, lesson) and not kind_unknown(Mistakes(odd=unknown.odd[1:]), lesson)


def test_all_boards_are_not_looked_for_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def named(image: object, pose: object, template: object) -> Sentence | None:
        asked.append("looked")
        return sentence("This looks like another board.") if len(asked) == 1 else None

    monkeypatch.setattr(guided_inspection, "wrong_game", named)
    conditions_are(monkeypatch)
    inspection, picture, board = Inspection(placed_by_hand=False), _table().render(), "." * 24
    objections = [inspection.objection(picture, _table().pose, TEMPLATE, board) for _ in range(NAMED_FOR + 2)]
    assert [one is not None for one in objections] == [True] * NAMED_FOR + [False] * 2 and len(asked) == 2
