"""How much each cell says: nothing under a hand, the more the longer it has stood, and nothing is read twice."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.template import load_template
from tests.vision.drawn import draw
from vision.pose import Rectified
from vision.reading.board_reading import SURE, BoardReading
from vision.reading.looks import FIRST_READING, UNKNOWN_TIMES, Looks, average
from vision.reading.reader import Reader
from vision.watching.watcher import Sight

TEMPLATE = load_template("nine_mens_morris")

CELLS, SETTLE_S = 24, 0.4
EMPTY = "." * CELLS


def men(*cells: int) -> str:
    return "".join("W" if cell in cells else "." for cell in range(CELLS))


def among(*cells: int) -> NDArray[np.bool_]:
    return np.isin(np.arange(CELLS), cells)


class Table:
    """Looks at drawn pictures of a board; says of every cell how long it has stood."""

    def __init__(self, readings: int = 3) -> None:
        self.time_s = 0.0
        self.changed_s = np.zeros(CELLS)
        self.alike, self.hidden, self.known = np.ones(CELLS, bool), np.zeros(CELLS, bool), np.ones(CELLS, bool)
        self.settled = True
        self.looks = Looks(Reader(TEMPLATE), readings)

    def change(self, *cells: int, alike: bool = False) -> None:
        """These cells change now, and do not look as when the board was free; all other cells stay."""
        self.changed_s[among(*cells)] = self.time_s
        self.alike[among(*cells)] = alike
        self.settled = False

    def picture(self, cells: str) -> Rectified:
        image, pose = draw(TEMPLATE, cells=cells)
        return Rectified(image, pose, TEMPLATE)

    def sight(self) -> Sight:
        still_s = self.time_s - self.changed_s
        return Sight(
            changed_s=self.changed_s.copy(),
            own_s=still_s,
            still_s=still_s,
            known=self.known.copy(),
            alike=self.alike.copy(),
            things=np.zeros((1, 1), np.bool_),
            hidden=self.hidden.copy(),
            phase="settled" if self.settled else "settling",
            fresh=False,
            blocked=False,
            blurred=False,
            motion=0.0,
        )

    def look(self, cells: str, after_s: float = 0.5, *, hands: bool = True, **given: Any) -> BoardReading | None:
        self.time_s += after_s
        sight = dataclasses.replace(self.sight(), **given)
        return self.looks.look(self.picture(cells), sight, self.time_s, SETTLE_S, hands=hands)

    def seen(self, cells: str, after_s: float = 0.5, **given: Any) -> BoardReading:
        reading = self.look(cells, after_s, **given)
        assert reading is not None
        return reading


@pytest.fixture
def table() -> Table:
    return Table()


def test_nothing_is_known_before_any_cell_has_stood_still(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    assert table.look(EMPTY, 0.1) is None and table.looks.cells_read == 0
    with caplog.at_level("INFO"):
        assert table.seen(EMPTY).board == EMPTY
    assert [record.message for record in caplog.records if FIRST_READING in record.message]


def test_a_board_that_is_known_to_lie_open_is_read_at_once_and_is_what_comes_back(table: Table) -> None:
    table.looks.forget(shown=True)
    assert table.seen(men(9), 0.1).board == men(9)
    table.change(9)
    assert table.seen(EMPTY).board == EMPTY
    table.change(9, alike=True)
    assert table.seen(EMPTY, 0.1).board == men(9)


def test_nothing_is_read_twice_for_the_same_pixels(table: Table) -> None:
    for _ in range(5):
        assert table.seen(EMPTY).board == EMPTY
    assert table.looks.cells_read == CELLS
    table.change(4)
    for _ in range(5):
        assert table.seen(men(4)).board == men(4)
    assert table.looks.cells_read == CELLS + 1


def test_a_cell_that_changes_again_is_read_again(table: Table) -> None:
    table.seen(EMPTY)
    table.change(4)
    table.seen(men(4))
    table.change(4)
    assert table.seen(EMPTY).board == EMPTY
    assert table.looks.cells_read == CELLS + 2


def test_a_cell_that_was_hidden_meanwhile_is_read_again(table: Table) -> None:
    """A finger passes over a man's old place after it was read as empty."""
    table.seen(men(4))
    table.change(4)
    assert table.seen(EMPTY).board == EMPTY
    table.hidden = among(4)
    table.seen(EMPTY)
    table.hidden = among()
    assert table.seen(EMPTY).board == EMPTY
    assert table.looks.plain is not None and table.looks.plain.board == EMPTY


def test_what_looks_as_before_once_a_hand_has_gone_is_not_certain_until_it_is_read_again(table: Table) -> None:
    """A white man on a white cell may have been taken away."""
    table.seen(men(4))
    table.change(4, alike=True)
    assert table.seen(EMPTY, SETTLE_S / 8).confidence[4] < SURE
    assert table.seen(EMPTY, SETTLE_S / 2).board == EMPTY
    assert table.seen(EMPTY).confidence[4] > SURE


def test_a_cell_that_moves_is_not_read(table: Table) -> None:
    table.seen(EMPTY)
    for _ in range(5):
        table.change(4)
        assert table.seen(men(4), 0.1).blank.nonzero()[0].tolist() == [4]
    assert table.looks.cells_read == CELLS


def test_a_cell_under_a_hand_says_nothing(table: Table) -> None:
    table.seen(men(9))
    table.hidden = among(4, 7)
    table.change(4, 7)
    for _ in range(10):
        reading = table.seen(men(4, 7, 9), 1.0)
    assert reading.blank.nonzero()[0].tolist() == [4, 7]
    assert reading.unknown is not None and (reading.unknown[[4, 7]] == 1).all() and reading.unknown[9] < 0.5
    assert reading.board[9] == "W"
    assert table.looks.cells_read == CELLS


def test_one_that_has_just_changed_says_little_and_more_the_longer_it_stands(table: Table) -> None:
    table.seen(EMPTY)
    table.change(4)
    told = [table.seen(men(4), after_s).confidence[4] for after_s in (0.21, 0.1, 0.1, 0.2, 0.4)]
    assert told[0] < 0.95 < told[-1]
    assert (np.diff(told) > 0).all()
    others = np.delete(table.seen(men(4)).confidence, 4)
    assert others.min() > 0.9


def test_what_was_never_seen_free_must_stand_longer() -> None:
    told = []
    for known in (True, False):
        table = Table()
        table.known[:], table.alike[:] = known, False
        told.append([table.seen(men(4), after_s).confidence[4] for after_s in (SETTLE_S, UNKNOWN_TIMES * SETTLE_S)])
    assert told[1][0] < told[0][0] - 0.05
    assert told[1][1] == pytest.approx(told[0][0], abs=0.02)


def test_a_photo_shows_no_hands_that_must_be_waited_for() -> None:
    confidences = []
    for hands in (True, False):
        table = Table()
        table.known[:] = table.alike[:] = False
        confidences.append(table.seen(men(4), SETTLE_S, hands=hands).confidence[4])
    assert confidences[1] > confidences[0] + 0.05


def test_unknown_content_weighs_less_at_first(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = table.looks.reader.judge

    def unsure(*given: Any, **named: Any) -> BoardReading:
        return dataclasses.replace(judge(*given, **named), unknown=np.where(among(7), 0.9, 0.0))

    monkeypatch.setattr(table.looks.reader, "judge", unsure)
    table.seen(EMPTY)
    table.change(4, 7)
    told = [table.seen(men(4, 7), after_s).confidence[[4, 7]] for after_s in (0.8, 3.0, 10.0)]
    assert told[0][1] < 0.7 < 0.95 < told[0][0]
    assert told[0][1] < told[1][1] < told[2][1] and told[2][1] > 0.9


def test_what_was_read_while_a_hand_lay_there_is_replaced_by_what_was_known_before(table: Table) -> None:
    table.seen(men(9))
    table.change(4, 9)  # a hand, before it is recognised as one
    assert table.seen(men(4)).board == men(4)
    table.hidden = among(4, 9)
    table.seen(men(4))
    table.hidden = among()
    table.change(4, 9, alike=True)
    read = table.looks.cells_read
    assert table.seen(men(9), 0.1).board == men(9)
    assert table.looks.cells_read == read


def test_what_is_kept_is_what_comes_back_after_the_hand(table: Table) -> None:
    table.seen(EMPTY)
    table.change(4)
    table.seen(men(4))
    table.looks.keep(among(4))
    table.change(4)
    table.seen(EMPTY)
    table.change(4, alike=True)
    assert table.seen(men(4)).board == men(4)


def test_out_of_focus_nothing_is_read(table: Table) -> None:
    table.seen(EMPTY)
    table.change(4)
    assert table.seen(men(4), blurred=True).blank[4] and table.looks.cells_read == CELLS
    assert table.seen(men(4)).board == men(4)


def test_asked_again_another_reading_is_averaged_as_often_as_agreed() -> None:
    table = Table(readings=3)
    assert not table.looks.ask_again(), "nothing was read yet"
    first = table.seen(EMPTY, 30.0)
    for count in (2, 3):
        assert table.looks.ask_again() and table.looks.asked
        again = table.seen(men(4))
        assert table.looks.cells_read == count * CELLS and not table.looks.asked
    assert not table.looks.ask_again()
    assert first.log_probabilities[4, 0] > again.log_probabilities[4, 0]
    assert table.seen(men(4)).log_probabilities[4] == pytest.approx(again.log_probabilities[4])
    assert table.looks.cells_read == 3 * CELLS


def test_readings_of_another_board_are_not_averaged_with_it(table: Table) -> None:
    table.seen(EMPTY)
    assert table.looks.ask_again()
    table.change(4)
    alone = table.seen(men(4), 5.0)
    assert alone.board == men(4) and table.looks.cells_read == CELLS + 1


def test_an_average_is_between_and_adds_up_to_one() -> None:
    one = BoardReading(np.log([[0.9, 0.1]]), ".W", 0.0, unknown=np.array([0.2]))
    other = BoardReading(np.log([[0.5, 0.5]]), ".W", 1.0, unknown=np.array([0.6]))
    both = average([one, other])
    assert both.probabilities.sum() == pytest.approx(1) and 0.5 < both.probabilities[0, 0] < 0.9
    assert both.probabilities[0, 0] == pytest.approx(0.75) and both.unknown == pytest.approx([0.4])


def test_cells_of_which_more_will_be_known_are_told(table: Table) -> None:
    table.seen(EMPTY, 10.0)
    assert not table.looks.growing.any()
    table.change(4)
    table.hidden = among(7)
    table.seen(men(4), 0.3)
    assert table.looks.growing.nonzero()[0].tolist() == [4]
    table.seen(men(4), 5.0)
    assert not table.looks.growing.any()


def test_what_surely_shows_as_believed_is_told_cell_by_cell(table: Table) -> None:
    table.seen(men(9))
    table.hidden, table.time_s = among(20), table.time_s + 1
    table.change(4)
    table.seen(men(4, 9), 0.3)
    sight = table.sight()
    shows = table.looks.shows(men(4, 9), sight, SETTLE_S)
    assert shows[9] and not shows[4], "it has not stood for long enough"
    assert not shows[20] and not table.looks.shows(EMPTY, sight, SETTLE_S)[9]
    assert not table.looks.shows(men(9), dataclasses.replace(sight, blurred=True), SETTLE_S).any()
