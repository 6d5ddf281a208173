"""A recorded game is watched as a live one is."""

from __future__ import annotations

import signal
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

import games
from calibration.template import load_template
from daemon.cli.watch import app, follow
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from lab.simulated.scripted_games import ScriptedGames, record_video
from tests.daemon.test_cli import start
from tests.vision.drawn import draw
from tests.vision.test_sources import read_all, write_video
from tests.waiting import wait_for
from vision import film
from vision.reading import which_board
from vision.sources.opening import open_source


def test_moves_of_a_recorded_game_are_those_that_were_made(tmp_path: Path) -> None:
    game, template = games.load("morris"), load_template("nine_mens_morris")
    sitting = ScriptedGames(
        game, template, frozenset((0, 1)), seed=4, think_s=0.4, pace=3, size_px=(640, 360), real_time=False
    )
    truth = record_video(sitting, tmp_path / "game.mp4", longest_s=6.0)["moves"]
    match = Match(Referee(game))
    said: list[str] = []
    match.listeners.append(lambda announcement: said.append(announcement.code))
    follow(BoardTracker(Pipeline(template, None), match), open_source(str(tmp_path / "game.mp4")))
    assert isinstance(truth, list) and len(truth) >= 3
    assert list(match.referee.moves[: len(truth)]) == truth
    assert set(said) <= {"start", "move"}


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three photos of a game's beginning."""
    folder = tmp_path_factory.mktemp("photos")
    template = load_template("nine_mens_morris")
    for number, laid in enumerate((0, 1, 2)):
        board, _ = draw(template, cells="WB"[:laid] + "." * (24 - laid))
        cv2.imwrite(str(folder / f"{number}.png"), board)
    return folder


def watch(photos: Path, out: Path) -> Result:
    return CliRunner().invoke(app, ["--game", "morris", "--source", str(photos), "--out", str(out)])


def test_what_is_seen_and_said_is_filmed(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "seen.webm"
    done = watch(photos, out)
    assert done.exit_code == 0, done.stderr
    assert f"film written: {out}, 5 s" in done.stderr
    assert '"move": "a7"' in done.stdout and '"move": "d7"' in done.stdout
    frames = read_all(open_source(str(out)))
    assert len(frames) == pytest.approx(50, abs=3) and frames[0].image.shape == (720, 1280, 3)
    first, last = frames[0].image.astype(int), frames[-1].image.astype(int)
    assert np.abs(first - last).max(axis=2)[:, :720].mean() > 1  # men came onto the board
    assert np.abs(first - last).max(axis=2)[:, 720:].mean() > 1  # and words beside it


@pytest.mark.parametrize(
    ("name", "fault"), [("seen.gif", "a video is written as"), ("no/seen.mp4", "there is no folder")]
)
def test_a_film_that_cannot_be_is_refused_before_anything_is_watched(
    photos: Path, tmp_path: Path, name: str, fault: str
) -> None:
    done = watch(photos, tmp_path / name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert fault in done.stderr


def test_the_source_itself_is_never_overwritten(tmp_path: Path) -> None:
    write_video(tmp_path / "game.mp4", 20)
    before = (tmp_path / "game.mp4").read_bytes()
    done = watch(tmp_path / "game.mp4", tmp_path / "game.mp4")
    assert done.exit_code == 2 and "that is the source itself" in done.stderr
    assert (tmp_path / "game.mp4").read_bytes() == before


def test_a_full_disk_ends_the_film_and_not_the_watching(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(film, "RESERVE_BYTES", 1 << 60)
    done = watch(photos, tmp_path / "seen.webm")
    assert done.exit_code == 75
    assert "the disk is nearly full; the film ends after 0 s" in done.stderr
    assert '"move": "d7"' in done.stdout


def test_ctrl_c_ends_the_film_well(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "seen.webm"
    words = ["watch", "--game", "morris", "--source", str(photos), "--hold-s", "60", "--out", str(out)]
    process = start(*words)
    assert process.stdout is not None
    part = tmp_path / "seen.part.webm"
    wait_for(lambda: part.exists() and part.stat().st_size > 10_000)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130 and f"film written: {out}" in told.decode()
    assert read_all(open_source(str(out)))


def test_a_film_of_no_board_ends_with_1_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "blank.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 10, (320, 240))
    for shade in range(40):
        writer.write(np.full((240, 320, 3), 80 + shade % 5, np.uint8))
    writer.release()
    done = CliRunner().invoke(app, ["--game", "morris", "--source", str(path)])
    assert done.exit_code == 1 and "no board of nine men's morris was read in it" in done.stderr


def test_a_film_of_another_board_says_which_it_looks_like(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [family for family in which_board.drawings() if family[0].game in ("co_ganh", "nine_mens_morris")]
    monkeypatch.setattr(which_board, "drawings", lambda: few)
    done = CliRunner().invoke(app, ["--game", "chess", "--source", str(photos), "--hold-s", "1"])
    assert done.exit_code == 1 and "it looks like nine men's morris: --game morris" in done.stderr
