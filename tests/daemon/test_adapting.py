"""Learning from boards that legal play has confirmed: bounded, reversible, never from an uncertain board."""

from __future__ import annotations

import dataclasses
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.core.match import Match
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.learning import adapting
from daemon.perception.learning.adapting import Adaptation
from daemon.perception.learning.generations import Generation
from tests.daemon.fake_pipeline import PICTURE, SETTLED, AtOnce, FakePipeline
from vision.calibrating.adapting import Score, adapt_head
from vision.calibrating.examples import Examples
from vision.calibrating.fitting import fit_head
from vision.frame import Frame
from vision.reading.heads import OTHER, Head
from vision.reading.reader import DescribedCells

LENGTH = 40
TEMPLATE = load_template("nine_mens_morris")
CENTRES = {letter: np.random.default_rng(index).normal(0, 1, LENGTH) for index, letter in enumerate(".WB?")}
DUSK = 0.75 * (CENTRES["."] - CENTRES["B"])
"""How failing light shifts descriptors: dark men come to look like empty cells."""
NO_PATCHES = np.zeros((24, 0, 0, 3), np.uint8)


def described(board: str, light: float, chance: np.random.Generator) -> np.ndarray:
    """Descriptors of a board under failing light, from 0 (day) to 1 (dusk)."""
    clean = np.array([CENTRES[letter] for letter in board]) + light * DUSK
    return np.asarray(clean + chance.normal(0, 0.25, clean.shape), dtype=np.float32)


def calibrated() -> Head:
    labels = "." * 40 + "W" * 20 + "B" * 20 + OTHER * 20
    return fit_head(described(labels, 0.0, np.random.default_rng(1)), labels, ".WB" + OTHER).head


@dataclasses.dataclass
class Table:
    """A match with simulated light that the test sets."""

    path: Path | None = None
    first: Head = dataclasses.field(default_factory=calibrated)
    executor: Any = dataclasses.field(default_factory=AtOnce)

    def __post_init__(self) -> None:
        self.game = games.load("morris")
        self.eyes = FakePipeline(TEMPLATE, self.first)
        self.adaptation = Adaptation(self.eyes, self.path, self.executor)
        self.chance, self.time_s = np.random.default_rng(5), 0.0
        self.sit_down()

    def sit_down(self) -> None:
        """Begins another game."""
        self.match = Match(Referee(self.game))
        self.seeing = BoardTracker(self.eyes, self.match, learner=self.adaptation)  # type: ignore[arg-type]
        self.position = self.game.initial()

    def show(self, board: str, light: float, looks_like: str = "") -> None:
        """Shows a board until all is told of it; with `looks_like` the eyes see that board instead."""
        self.eyes.look = DescribedCells(NO_PATCHES, described(looks_like or board, light, self.chance))
        for _ in range(5):
            self.time_s += 1.0
            self.seeing.feed(Frame(PICTURE, self.time_s, 0))
            if not self.match.referee.waits:
                break
        self.seeing.poll()

    def play(self, plies: int, light: float, until: float | None = None) -> None:
        """Random moves, while the light changes linearly to `until`."""
        for ply in range(plies):
            moves = self.game.legal_moves(self.position)
            move = moves[int(self.chance.integers(0, len(moves)))]
            self.position = self.game.apply(self.position, move)
            passed = ply / max(1, plies - 1)
            self.show(self.board, light if until is None else light + (until - light) * passed)

    def put_back(self, ply: int) -> None:
        """The players restore the board as it was after that ply."""
        self.position = self.match.referee.history[ply]
        self.show(self.board, 0.0)

    @property
    def board(self) -> str:
        return self.game.board(self.position)

    def loss(self, light: float) -> float:
        """Mean negative log probability of the right pieces: high where the head reads the board badly."""
        look = DescribedCells(NO_PATCHES, described(self.board, light, np.random.default_rng(9)))
        logs = self.eyes.believe(look, self.eyes.head)
        columns = [TEMPLATE.letters.index(letter) for letter in self.board]
        return -float(logs[np.arange(24), columns].mean())


def test_failing_light_is_read_better_by_a_table_that_learns() -> None:
    table = Table()
    before_game = table.loss(0.45)
    table.play(24, 0.0, 0.45)
    adaptation = table.adaptation
    assert adaptation.counts["accepted"] >= 1 and adaptation.active is not None
    table.eyes.adopt(None)
    first = table.loss(0.45)
    table.eyes.adopt(adaptation.active.head)
    assert table.loss(0.45) < 0.8 * first
    assert before_game > 0
    assert "generation" in str(adaptation.status()["text"])
    assert adaptation.figures()["adapted_generation"] == adaptation.active.number


def test_in_steady_light_that_is_read_well_nothing_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapting, "EASE_NATS", 1.0)
    table = Table()
    table.play(16, 0.0)
    assert (table.adaptation.counts["accepted"], table.adaptation.counts["refused"], table.eyes.head) == (0, 0, None)
    assert len(table.adaptation._examples) > 0


def test_a_board_teaches_only_once_later_moves_bore_it_out() -> None:
    table = Table()
    table.play(1, 0.0)
    assert not table.adaptation._newest
    table.play(1, 0.0)
    assert [one.seen.ply for one in table.adaptation._newest] == [1]
    table.play(2, 0.0)
    assert not len(table.adaptation._examples)  # the newest boards serve for evaluation only
    table.play(1, 0.0)
    assert len(table.adaptation._examples) == 24


def test_boards_of_moves_that_are_taken_back_teach_nothing() -> None:
    table = Table()
    table.play(4, 0.0)
    kept = table.position
    table.play(5, 0.0)
    assert len(table.adaptation._examples)
    table.position = kept
    table.show(table.board, 0.0)
    assert table.match.referee.verdict == "takeback"
    assert all(ply <= 4 for _, ply in table.adaptation._plies)
    assert table.adaptation._examples.examples().newest_board <= max(serial for serial, _ in table.adaptation._plies)


def test_a_head_that_was_fitted_to_a_wrong_board_goes_when_the_board_is_put_right() -> None:
    table = Table()
    table.play(4, 0.0)
    honest, kept = table.adaptation._examples.examples().newest_board, table.position
    table.play(14, 0.0, 0.35)  # the players will show that all of it was misread
    assert table.adaptation.active is not None
    table.put_back(10)
    table.put_back(4)
    adaptation = table.adaptation
    assert table.position == kept
    assert (adaptation.active, adaptation.generations, table.eyes.head) == (None, (), None)
    assert adaptation.counts["withdrawn"] > 0 and adaptation.counts["reverted"] >= 1
    assert adaptation._examples.examples().newest_board >= honest
    assert all(one.seen.ply <= 4 for one in adaptation._newest)


def test_a_fit_to_boards_that_were_taken_back_is_dropped_before_it_is_used() -> None:
    fits: list[Future[Any]] = []

    class Slow(AtOnce):
        def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
            fits.append(Future())
            return fits[-1]

    table = Table(executor=Slow())
    table.play(2, 0.0)
    kept = table.position
    table.play(14, 0.0, 0.35)
    assert fits and table.adaptation._fit is not None
    table.position = kept
    table.show(table.board, 0.0)
    fits[0].set_result(table.first)
    table.adaptation.poll()
    assert table.adaptation.generations == () and table.eyes.head is None


@pytest.mark.parametrize(
    "cover",
    [
        {"gate": dataclasses.replace(SETTLED, blocked=True)},
        {"gate": dataclasses.replace(SETTLED, phase="settling")},
        {"alignment": dataclasses.replace(FakePipeline(TEMPLATE, calibrated()).alignment, quality=0.3)},
    ],
)
def test_a_board_that_is_not_free_and_in_its_place_teaches_nothing(cover: dict[str, Any]) -> None:
    table = Table()
    for name, value in cover.items():
        setattr(table.eyes, name, value)
    table.play(8, 0.0)
    assert table.match.referee.ply == 8
    assert not table.adaptation._newest and not len(table.adaptation._examples)


def test_an_unsure_board_teaches_nothing() -> None:
    table = Table()
    table.play(3, 0.0)
    waiting = list(table.adaptation._confirmations._waiting)
    table.show(table.board, 0.0, looks_like=OTHER * 24)
    assert table.adaptation._confirmations._waiting == waiting


def test_an_illegal_board_takes_what_waited_with_it() -> None:
    table = Table()
    table.play(3, 0.0)
    assert table.adaptation._confirmations._waiting
    table.show("W" + table.board[1:] if table.board[0] != "W" else "B" + table.board[1:], 0.0)
    table.show("W" * 12 + "." * 12, 0.0)
    assert table.match.referee.verdict == "desync"
    assert not table.adaptation._confirmations._waiting


def upset(head: Head) -> Head:
    """A head that confuses dark and light men."""
    rows = [head.letters.index(letter) for letter in (".BW" + OTHER)]
    turned = {name: getattr(head, name)[rows] for name in ("coefficients", "intercepts", "slopes", "offsets")}
    return dataclasses.replace(head, **turned)


def a_generation(head: Head, number: int = 1) -> Generation:
    return Generation(number, head, 5, 100, Score(0.1, 70, 72), Score(0.05, 72, 72))


def test_a_head_that_reads_confirmed_boards_worse_is_given_up_by_itself() -> None:
    table = Table()
    table.play(6, 0.0)
    blunt = dataclasses.replace(table.first, slopes=table.first.slopes * 0.6)
    generation = a_generation(blunt)
    table.adaptation.generations = (generation,)
    table.adaptation._activate(generation)
    table.play(4, 0.0)
    assert table.adaptation.active is not generation and table.eyes.head is not blunt
    assert table.adaptation.counts["reverted"] == 1
    assert [one.set_aside for one in table.adaptation.generations if one.number == 1] in ([True], [])


def test_a_head_that_reads_the_calibration_worse_is_refused() -> None:
    table = Table()
    table.play(10, 0.0, 0.4)
    before = table.adaptation.active
    table.adaptation._score = lambda head: Score(0.5 if head is (before and before.head) else 0.1, 72, 72)  # type: ignore
    table.adaptation._judge_fit(upset(table.first))
    assert table.adaptation.active is before
    assert "calibration" in table.adaptation.note


def test_adapted_heads_are_kept_and_taken_up_once_they_prove_better(tmp_path: Path) -> None:
    path = tmp_path / "table.adapted.npz"
    table = Table(path)
    table.play(24, 0.0, 0.45)
    assert path.is_file() and table.adaptation.active is not None
    again = Table(path)
    assert [one.number for one in again.adaptation.generations] == [one.number for one in table.adaptation.generations]
    assert again.eyes.head is None and len(again.adaptation._examples) > 100
    again.play(9, 0.15)
    assert again.eyes.head is not None


def test_heads_that_belong_to_another_calibration_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "table.adapted.npz"
    Table(path).play(24, 0.0, 0.45)
    other = Table(path, first=dataclasses.replace(calibrated(), trust=0.25))
    assert other.adaptation.generations == ()


def test_whoever_deletes_the_kept_heads_ends_the_learning(tmp_path: Path) -> None:
    path = tmp_path / "table.adapted.npz"
    table = Table(path)
    table.play(20, 0.0, 0.4)
    assert table.adaptation.active is not None
    path.unlink()
    table.play(3, 0.4)
    assert not path.exists() and table.adaptation.generations == ()
    assert "changed by hand" in table.adaptation.note


def test_the_next_game_goes_on_with_what_was_learnt_and_keeps_it_when_moves_are_taken_back() -> None:
    table = Table()
    table.play(20, 0.0, 0.4)
    head = table.eyes.head
    assert head is not None
    table.eyes.adopt(None)  # a new pipeline begins with the calibrated head
    table.adaptation.attach(table.eyes)
    table.sit_down()
    assert table.eyes.head is head
    start = table.position
    table.play(2, 0.4)
    table.position = start
    table.show(table.board, 0.4)
    assert table.match.referee.verdict == "takeback"
    assert table.eyes.head is head


def test_a_fit_that_takes_too_long_is_given_up() -> None:
    table = Table()
    table.adaptation._fit = AtOnce().submit(
        adapt_head, table.first, Examples(described(".WB", 0, table.chance), ".WB", np.ones(3)), [], [], -1.0
    )
    table.adaptation.poll()
    assert table.adaptation.counts["refused"] == 1 and "too long" in table.adaptation.note


def test_where_what_was_learnt_brings_doubt_the_first_head_is_listened_to_and_nothing_is_complained_of() -> None:
    table = Table()
    table.play(3, 0.0)
    blurred = dataclasses.replace(table.first, slopes=table.first.slopes * 0.02)
    generation = a_generation(blurred)
    table.adaptation.generations = (generation,)
    table.adaptation._activate(generation)
    table.play(1, 0.0)
    assert (table.match.referee.verdict, table.match.referee.ply) == ("legal", 4)
    assert table.adaptation.active is None and table.adaptation.generations[0].set_aside
    assert "doubt" in table.adaptation.note
