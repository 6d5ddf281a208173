"""The bench's parts: what it shows, which processes it watches, what it concludes. Durations are not tested."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

import daemon
import games
from daemon.config.settings import load_config
from lab.bench import processes
from lab.bench.cli import app, trials
from lab.bench.daemons import write_settings
from lab.bench.speed import resident, scenes, steps
from lab.bench.speed.report import (
    Figure,
    GameReport,
    Machine,
    Report,
    bench_game,
    figure,
    lines_of,
    ratios_of,
    targets_of,
)
from lab.bench.speed.resident import Resident, ResidentError
from lab.bench.speed.scenes import SIZE_PX, Scene, played, scene_of
from vision.frame import SourceError
from vision.reading.looks import FIRST_READING

ENDS_S = 10.0


@pytest.fixture(scope="module")
def morris() -> Scene:
    return scene_of("morris")


def python(code: str) -> tuple[str, ...]:
    return sys.executable, "-c", code


def wait_until_gone(process: int) -> None:
    deadline_s = time.monotonic() + ENDS_S
    while Path(f"/proc/{process}").exists():
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process, os.WNOHANG)
        assert time.monotonic() < deadline_s, f"process {process} lives on"
        time.sleep(0.02)


def test_figure_is_the_middle_and_what_one_in_twenty_exceeds() -> None:
    assert figure([float(value) for value in range(100, 0, -1)]) == Figure(median=50.5, p95=96, count=100)
    assert figure([7.0]) == Figure(median=7.0, p95=7.0, count=1)


@pytest.mark.parametrize("name", ["morris", "dominoes"])
def test_the_game_that_is_shown_is_legal_and_its_moves_only_add(name: str) -> None:
    game = games.load(name)
    history, moves = played(game)
    for position, move, after in zip(history, moves, history[1:], strict=False):
        assert move in game.legal_moves(position)
        assert game.board(after).count(".") < game.board(position).count(".")
    assert len(moves) == scenes.PLIES + 1 == len(history) - 1


def test_the_move_of_a_scene_changes_the_picture_in_one_place_only(morris: Scene) -> None:
    before, after = (np.mean(pictures, axis=0).mean(axis=2) for pictures in (morris.before, morris.after))
    assert before.shape == (SIZE_PX[1], SIZE_PX[0])
    rows, columns = np.nonzero(np.abs(after - before) > 25)
    assert 200 < len(rows) < 20_000
    assert np.ptp(rows) < 200 and np.ptp(columns) < 200
    assert not np.array_equal(morris.before[0], morris.before[1])


def test_a_round_reads_and_judges_the_move_right_and_measures_every_step(morris: Scene, tmp_path: Path) -> None:
    report = bench_game(morris, tmp_path, rounds=1, seconds=0, starts=1, reference=False)
    assert (report.right, report.verdicts, report.cells_read) == (1, 1, [1])
    assert {"track", "rectify", "gate", "read_changed_cells", "read_whole_board", "judge"} <= set(report.steps_ms)
    assert report.resident is None and report.targets == []


def test_a_picture_without_a_board_is_refused(morris: Scene, tmp_path: Path) -> None:
    grey = [np.full_like(picture, 120) for picture in morris.before[:1]]
    blind = Scene(morris.game, morris.template, "grey wall", grey, grey, grey, morris.history, morris.move)
    with pytest.raises(SourceError, match="grey wall is not found"):
        bench_game(blind, tmp_path, rounds=1, seconds=0, starts=1, reference=False)


def test_the_first_two_photos_of_a_folder_are_shown_in_the_usual_size(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="two photos are needed"):
        scene_of("morris", tmp_path)
    for number, shade in enumerate((40, 200, 90)):
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.full((600, 400, 3), shade, np.uint8))
    scene = scene_of("morris", tmp_path)
    assert scene.before[0].shape == scene.after[0].shape == (SIZE_PX[1], SIZE_PX[0], 3)
    middle = SIZE_PX[1] // 2, SIZE_PX[0] // 2
    assert abs(int(scene.before[0][middle][0]) - 40) < 8 < abs(int(scene.after[0][middle][0]) - 40)


# Watching processes.


def test_processor_time_and_memory_are_those_of_the_process() -> None:
    before_s = processes.cpu_s(os.getpid())
    deadline_s = time.process_time() + 0.1
    while time.process_time() < deadline_s:
        pass
    assert processes.cpu_s(os.getpid()) > before_s
    found = processes.memory(os.getpid())
    assert 0 < found.pss_mb <= found.rss_mb <= found.peak_rss_mb + 1
    with pytest.raises(OSError):
        processes.cpu_s(2**22 + 1)


def test_children_of_children_are_found() -> None:
    inner = "import time; time.sleep(60)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    process = subprocess.Popen(python(outer))
    deadline_s = time.monotonic() + ENDS_S
    try:
        while not (grandchildren := processes.descendants(process.pid)) and time.monotonic() < deadline_s:
            time.sleep(0.02)
        assert len(grandchildren) == 1
        assert {process.pid, *grandchildren} <= set(processes.descendants(os.getpid()))
    finally:
        for child in processes.descendants(process.pid):
            os.kill(child, 9)
        process.kill()
        process.wait()


# A misbehaving program in place of the daemon.


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_settings(tmp_path / "table.toml", "morris", camera={"source": "http://127.0.0.1:1/video"})


def test_the_settings_of_the_daemon_are_valid_and_disturb_nobody(config: Path) -> None:
    settings = load_config(config)
    assert settings.game.name == "morris"
    assert not settings.players.second.agent and not settings.speech.enabled and not settings.page.window
    assert settings.page.port == 0 and settings.page.enabled
    assert Path(settings.journal.path).parent == config.parent


def test_a_daemon_that_does_not_start_is_reported_with_its_own_words(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resident, "COMMAND", python("import sys; sys.exit('no camera, no board')"))
    with pytest.raises(ResidentError, match="no camera, no board"), resident.started(config):
        pass


def test_a_daemon_is_ended_whatever_happens_while_it_is_watched(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = f"import sys, time; print({FIRST_READING!r}, file=sys.stderr, flush=True); time.sleep(60)"
    monkeypatch.setattr(resident, "COMMAND", python(code))
    with pytest.raises(KeyboardInterrupt), resident.started(config) as (process, log):
        assert log.read_s > 0 and process.poll() is None
        raise KeyboardInterrupt
    assert process.returncode is not None


def test_a_page_that_does_not_answer_is_reported() -> None:
    with pytest.raises(ResidentError, match="does not answer"), resident.viewer("http://127.0.0.1:1/"):
        pass


# A misbehaving program in place of the reference.


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    code = "import sys\nfor _ in sys.stdin: print('{\"sift_track\": 2.5}', flush=True)"
    monkeypatch.setattr(steps, "COMMAND", python(code))
    yield


@pytest.mark.usefixtures("answering")
def test_the_reference_is_measured_round_by_round_and_ends_with_the_bench(morris: Scene, tmp_path: Path) -> None:
    with steps.Reference(morris, morris.before[0], tmp_path) as measured:
        measured.round()
        measured.round()
        process = measured._process.pid
    assert measured.spent_ms == {"sift_track": [2.5, 2.5]}
    wait_until_gone(process)


def test_a_reference_that_ends_is_reported(morris: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "COMMAND", python("import sys; sys.exit(3)"))
    with (
        pytest.raises(steps.NoReference, match="status 3"),
        steps.Reference(morris, morris.before[0], tmp_path) as measured,
    ):
        measured.round()


# Conclusions.


def one(value: float) -> Figure:
    return Figure(median=value, p95=value, count=1)


STEPS = {
    name: one(value)
    for name, value in {
        "track": 5.0, "read_whole_board": 20.0, "read_changed_cells": 2.0,
        "settled_change": 10.0, "settled_change_with_track": 15.0,
    }.items()
}  # fmt: skip
REFERENCE = {"sift_track": one(100), "resnet18_224_all_cells": one(300), "resnet18_48_all_cells": one(20)}


def watched(idle: float, memory_mb: float) -> Resident:
    return Resident(
        first_reading_s=one(2.0),
        first_reading_cpu_s=one(1.5),
        idle_cpu_percent=one(idle),
        sway_cpu_percent=one(50.0),
        viewed_cpu_percent=one(idle),
        idle_s=20.0,
        processes=[],
        memory_mb=memory_mb,
        peak_memory_mb=memory_mb,
    )


def test_ratios_name_their_reference_and_targets_are_judged_by_them() -> None:
    ratios = ratios_of(STEPS, REFERENCE)
    assert [(ratio.reference, ratio.times) for ratio in ratios if ratio.what == "settled_change"] == [
        ("SIFT + ResNet-18 fp32, 224 px, all cells", 40.0),
        ("SIFT + ResNet-18 fp32, 48 px, all cells", 12.0),
    ]
    good, bad = targets_of(ratios, watched(9.9, 399.0)), targets_of(ratios, watched(10.1, 401.0))
    assert all(target.met for target in good)
    assert [target.met for target in bad] == [False, True, False, False, True, True, True]
    assert ratios_of(STEPS, {}) == []


def test_the_table_shows_every_figure_and_what_was_missed() -> None:
    game = GameReport(
        game="nine_mens_morris", pictures="simulated table", size_px=SIZE_PX, cells=24, cells_read=[1], right=1,
        verdicts=1, steps_ms=STEPS, reference_ms=REFERENCE, ratios=ratios_of(STEPS, REFERENCE),
        resident=watched(20.0, 100.0), targets=targets_of([], watched(20.0, 100.0)),
    )  # fmt: skip
    here = Machine(date="2030-01-01T00:00:00+00:00", processor="slow", cores=2, python="3.11", load=(0.1, 0.2))
    report = Report(machine=here, games=[game])
    text = "\n".join(lines_of(report))
    assert "MISSED  idle" in text and "40 times faster" in text and "2030-01-01" in text and "2 cores" in text
    costs = "nine_mens_morris 15 ms a changed picture, 20 % of a core at rest"
    last = f"Kibitzer {daemon.__version__}, slow, 2 cores: {costs}"
    assert text.splitlines()[-1] == last and json.loads(report.model_dump_json())["line"] == last
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_an_unknown_game_is_refused_with_its_name() -> None:
    result = CliRunner().invoke(app, ["pipeline", "--game", "parcheesi", "--no-reference", "--seconds", "0"])
    assert result.exit_code == 2 and "parcheesi" in result.stderr


def test_the_list_of_benches_imports_none_of_them() -> None:
    words = "import sys; from typer.testing import CliRunner; from lab.bench.cli import app, trials"
    listed = "text = CliRunner().invoke(app, ['--help'], env={'COLUMNS': '200'}).output"
    checks = "assert all(name in text for name in trials()); print(set(trials().values()) & sys.modules.keys())"
    told = subprocess.run([sys.executable, "-c", "; ".join((words, listed, checks))], capture_output=True, text=True)
    assert told.stdout.strip() == "set()", told.stderr


@pytest.mark.parametrize("name", trials())
def test_every_bench_tells_how_it_is_called(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0 and f" {name} [OPTIONS]" in result.output


def test_what_a_bench_returns_is_its_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    for returned, status in ((None, 0), (False, 0), (True, 1), (2, 2)):
        monkeypatch.setattr("lab.bench.read_scenes.main", lambda returned=returned: returned)
        assert CliRunner().invoke(app, ["read-scenes"]).exit_code == status
    assert CliRunner().invoke(app, ["no-such-bench"]).exit_code == 2


ENDING = {
    "id": "FFO#1", "board": "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--", "side": "X",
    "empties": 14, "score": 18, "moves": {"g8": 18, "h1": 12},
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"", "is empty: expected is one position a line, a JSON object with id, board"),
        (b"\x7fELF\x02\x01\xff\xfe", "is no text: expected is one position a line, a JSON object"),
        (
            b"{}\n" * 2,
            "line 1: expected is a JSON object with id, board, side, empties, score and moves; id is missing",
        ),
        (b"[" * 10**5, "line 1: expected is a JSON object"),
        (f"{ENDING['board']} X; G8:+18;\n".encode(), "line 1: expected is a JSON object with id, board"),
        ({**ENDING, "board": "-X"}, "line 2: '-X X' is not 64 characters X, O and -"),
        ({**ENDING, "board": "X" * 64}, "line 2: expected is a position in which a side can move"),
        ({**ENDING, "id": "FFO"}, "line 2: expected is an id that ends with # and a number, such as FFO#40, not 'FFO'"),
        ({**ENDING, "score": "18"}, "empties, score and moves; score is '18'"),
        ({**ENDING, "moves": {"g8": None}}, "line 2: expected is a whole number as the score of each of the moves"),
        ({**ENDING, "id": "FFO#20"}, "has no position numbered 2 to 19"),
    ],
)
def test_a_file_that_is_no_list_of_endings_is_refused_by_name_line_and_what_is_expected(
    tmp_path: Path, content: object, told: str
) -> None:
    file = tmp_path / "ffo.jsonl"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        file.write_text("".join(f"{json.dumps(line)}\n" for line in (ENDING, content)))
    result = CliRunner().invoke(app, ["solve-endgames", str(file), "--first", "2"])
    assert result.exit_code == 2 and str(file) in result.stderr and told in result.stderr, result.output
    assert result.stderr.startswith("kibitzer bench solve-endgames: ") and result.stderr.count("\n") == 1


def test_endings_as_published_are_right_and_others_are_not(tmp_path: Path) -> None:
    file = tmp_path / "ffo.jsonl"
    for score, status in ((18, 0), (16, 1)):
        file.write_text(json.dumps({**ENDING, "score": score}))
        result = CliRunner().invoke(app, ["solve-endgames", str(file)])
        assert result.exit_code == status and "+18 g8" in result.output
