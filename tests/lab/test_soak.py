"""The proving ground: what it counts, what it calls illegal, and that a trial can be repeated exactly."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from calibration.template import load_template
from daemon.perception.pipeline import Pipeline
from lab.simulated.player import steps_between
from lab.simulated.scenes import profile_of
from lab.simulated.source import SimulatedSource
from lab.simulated.table import SimulatedTable
from lab.soak.fault import FAULTS
from lab.soak.hand_faults import kinds_of
from lab.soak.judge import Compared, compare
from lab.soak.legal_boards import is_beyond_doubt, one_move_on
from lab.soak.mistakes import Situation, mistakes_of
from lab.soak.runs import load, run_all, save, save_part
from lab.soak.soak_cli import app
from lab.soak.tally import COUNTS, Failure, Sample, Share, Tally, total
from lab.soak.trial import Trial
from lab.soak.world import Plan
from rules import AnyGame
from rules.turns import carry_out

GAMES = ("nine_mens_morris", "reversi", "co_ganh", "gomoku", "double_double_dominoes")


def played(name: str, plies: int, seed: int = 1) -> tuple[AnyGame, list[object]]:
    game, chance = games.load(name), random.Random(seed)
    positions = [game.initial()]
    while len(positions) <= plies and game.outcome(positions[-1]) is None:
        moves = game.legal_moves(positions[-1])
        seen = [move for move in moves if game.steps(positions[-1], move)] or list(moves)
        positions.append(game.apply(positions[-1], chance.choice(seen)))
    return game, positions


def situation(name: str, plies: int, seed: int = 1) -> tuple[Situation, list[object]]:
    game, positions = played(name, plies, seed)
    return Situation(game, positions[-1], game.board(positions[-1]), random.Random(seed)), positions


@pytest.mark.parametrize("name", GAMES)
def test_a_legal_ply_two_of_them_and_a_takeback_are_never_called_illegal(name: str) -> None:
    game, positions = played(name, 10)
    for later in (1, 2):
        assert not is_beyond_doubt(game, positions[:-later], game.board(positions[-1]))
    assert not is_beyond_doubt(game, positions, game.board(positions[-2]))


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_expected_of_a_mistake_are_those_that_the_game_names(name: str) -> None:
    checked = set()
    for seed in range(12):
        at, positions = situation(name, 4 + 5 * seed, seed)
        if at.game.outcome(at.position) is not None:
            continue
        for mistake in mistakes_of(at.game):
            board = mistake.make(at)
            if board in (None, at.board) or not is_beyond_doubt(at.game, positions, str(board)):
                continue
            assert mistake.is_called(at.game.fault(at.position, str(board)).rule), (mistake.name, at.board, board)
            checked.add(mistake.name)
    assert len(checked) >= 3, checked


@pytest.mark.parametrize("name", GAMES)
def test_a_hand_can_make_and_mend_every_mistake(name: str) -> None:
    for seed in range(4):
        at, _ = situation(name, 6 + 5 * seed, seed)
        for mistake in mistakes_of(at.game):
            if (board := mistake.make(at)) is not None:
                assert carry_out(at.board, steps_between(at.board, board)) == board
                assert carry_out(board, steps_between(board, at.board)) == at.board


def test_sums_add_up_and_name_the_fault_that_is_to_blame() -> None:
    one, other = Tally("gomoku", 1, plies=10), Tally("reversi", 2, plies=5)
    one.fail(Failure("missed_plies", "gomoku", 1, 3.0, 2, ("lamp",), ""), 2)
    other.share("lamp").recovery_s += [1.0, 5.0]
    sums = total([one, other])
    assert (sums["plies"], sums["missed_plies"], sums["recoveries"]) == (15, 2, 2)
    assert sums["by_fault"]["lamp"] == {"times": 0, "missed_plies": 2, "recovery_s": {"median": 3.0, "largest": 5.0}}
    assert set(COUNTS) < set(sums)


def test_what_grows_has_a_slope_and_what_is_loaded_once_has_none() -> None:
    samples = [Sample(60.0 * step, 0, 300.0 + (step < 5) * -90.0, 10 + step, 3, 0) for step in range(21)]
    slopes = total([Tally("gomoku", 1, samples=samples)])["slopes"]
    assert slopes["memory_mb"]["per_hour"] == pytest.approx(0.0)
    assert slopes["descriptors"]["per_hour"] == pytest.approx(60.0)


def test_a_running_trial_shows_what_it_has_counted_and_does_not_count_as_finished(tmp_path: Path) -> None:
    plan, tally = (
        Plan("morris", 1, ("lamp",), hours=2),
        Tally("nine_mens_morris", 1, samples=[Sample(60.0, 0, 1, 2, 3, 4)]),
    )
    part = save_part(tmp_path, plan, tally)
    assert json.loads(part.read_text("utf-8"))["samples"][0]["memory_mb"] == 1
    assert load(tmp_path, plan) is None


def test_a_finished_trial_is_read_and_not_run_again(tmp_path: Path) -> None:
    plan = Plan("morris", 1, ("lamp",), plies=10)
    tally = Tally("nine_mens_morris", 1, plies=10, by_fault={"lamp": Share(times=3)})
    save(tmp_path, plan, tally)
    assert load(tmp_path, plan) == tally
    assert load(tmp_path, dataclasses.replace(plan, plies=11)) is None
    assert list(run_all([plan], tmp_path, jobs=1, keep_failures=None, on_progress=lambda _: None)) == [tally]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--faults", "hovver"], "hovver"),
        (["--games", "ludo"], "ludo"),
        (["--plies", "5", "--hours", "1"], "--hours 1"),
        (["--still"], "--hours"),
        (["--games", "go", "--rule", "size=7"], "size"),
        (["--games", "go,chess", "--rule", "size=9"], "chess"),
    ],
)
def test_bad_options_are_named(words: list[str], named: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert named in result.stderr


def test_a_trial_is_the_same_each_time_and_nothing_goes_wrong_in_it(tmp_path: Path) -> None:
    kinds = kinds_of(["hover", "lamp", "illegal", "kill"])
    plan = Plan("morris", 5, tuple(kind.name for kind in kinds), plies=2, calm_s=1.0)
    first, second = (Trial(plan, tmp_path / name, kinds) for name in ("a", "b") if not (tmp_path / name).mkdir())
    one, other = first.run(), second.run()
    assert [getattr(one, name) for name in COUNTS] == [0] * len(COUNTS), one.failures
    assert one.plies >= 2
    assert json.dumps(dataclasses.asdict(one.by_fault["hover"])) == json.dumps(
        dataclasses.asdict(other.by_fault["hover"])
    )
    assert (one.frames, one.simulated_s) == (other.frames, other.simulated_s)


def test_a_trial_is_played_by_the_rules_that_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.soak.world.profile_of", lambda *_: None)
    trial = Trial(Plan("go", 1, (), rules=("size=9",)), tmp_path, ())
    assert len(trial.table.board) == len(trial.template.cell_names) == len(trial.subject.board) == 81
    trial.subject.close()


def test_a_hand_that_is_in_the_first_picture_is_never_read_as_men() -> None:
    game, template = games.load("morris"), load_template("nine_mens_morris")
    table = SimulatedTable(template, game.board(game.initial()), seed=11, size_px=(640, 360))
    pipeline = Pipeline(template, profile_of(game, template, table, 11))
    table.hover(6.0, 0)
    table.advance(2.0)
    source = SimulatedSource(table, rate_hz=5)
    while table.busy:
        frame = source.read(1.0)
        assert frame is not None
        seen = pipeline.feed(frame)
        assert seen.reading is None or seen.reading.board == table.board


def test_every_fault_has_a_name_of_its_own_and_words_that_explain_it() -> None:
    assert all(kind.name == name and (kind.run.__doc__ or "").strip().endswith(".") for name, kind in FAULTS.items())


def test_a_legal_move_that_stood_there_by_the_way_is_found_by_brute_force() -> None:
    game, positions = played("nine_mens_morris", 6)
    after = one_move_on(game, positions[-2], game.board(positions[-1]))
    assert game.board(after) == game.board(positions[-1])
    assert one_move_on(game, positions[-3], game.board(positions[-1])) is None


def test_tiles_moved_and_turned_round_are_taken_up_and_laid_anew() -> None:
    game, positions = played("double_double_dominoes", 6)
    before = game.board(positions[-1])
    at = Situation(game, positions[-1], before, random.Random(1))
    table = SimulatedTable(load_template(game.name), before, seed=1)
    kinds = [kind for kind in mistakes_of(game) if kind.name in ("tile moved", "tile turned round")]
    assert len(kinds) == 2
    for kind in kinds:
        board = kind.make(at)
        assert board is not None
        for wanted in (board, before):
            table.perform(steps_between(table.board, wanted), 0, palmed=True)
            while table.busy:
                table.advance(0.1)
            assert table.board == wanted


@pytest.mark.parametrize(
    ("kept", "whole", "missed", "assumed"),
    [
        ("sabcd", True, 0, 0),
        ("saabccd", True, 0, 0),  # passes repeat a board
        ("sxbcd", True, 0, 1),
        ("sbcd", True, 1, 0),
        ("sabc", True, 1, 0),
        ("sabc", False, 0, 0),
        ("sabcx", True, 1, 0),
    ],
)
def test_plies_of_one_look_may_be_recorded_otherwise_but_none_may_be_missing(
    kept: str, whole: bool, missed: int, assumed: int
) -> None:
    assert compare("sabcd", kept, whole=whole) == Compared(missed, assumed)
