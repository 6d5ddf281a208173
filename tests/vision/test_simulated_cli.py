"""`kibitzer table`, `kibitzer serve`, and following a daemon that comes and goes."""

from __future__ import annotations

import json
import logging
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

import games
from calibration.template import load_template
from lab.simulated.cli import NamedFrames, app, sides_of
from lab.simulated.mjpeg_server import MjpegServer
from lab.simulated.scripted_games import ScriptedGames
from lab.simulated.source import StateFollower, waiting_move
from rules.turns import line_of_play
from tests.waiting import PATIENCE_S, wait_for
from vision.frame import Image
from vision.sources.encoded import Picture, decode
from vision.sources.mjpeg import mjpeg_frames
from vision.sources.opening import open_source

MORRIS = games.load("morris")


def decoded(picture: Image | Picture) -> Image:
    image = decode(picture.data) if isinstance(picture, Picture) else picture
    assert image is not None
    return image


class StateServer:
    """A server that answers with a state message, as the daemon's page does."""

    def __init__(self, state: object, port: int = 0) -> None:
        data = json.dumps(state).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def kill(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def test_the_agents_move_is_heard_only_while_it_waits_to_be_carried_out() -> None:
    assert waiting_move({"awaiting": "carry_out", "agent_move": "d2", "ply": 3}) == (4, "d2")
    assert waiting_move({"awaiting": "move", "agent_move": None, "ply": 3}) is None
    for wrong in ([], {"awaiting": "carry_out", "agent_move": 7, "ply": 1}):
        with pytest.raises(ValueError):
            waiting_move(wrong)


def test_a_daemon_that_is_killed_and_restarted_is_heard_again(caplog: pytest.LogCaptureFixture) -> None:
    first = StateServer({"awaiting": "carry_out", "agent_move": "d2", "ply": 1})
    follower = StateFollower(f"http://127.0.0.1:{first.port}/state")
    try:
        wait_for(lambda: follower.waiting == (2, "d2"))
        with caplog.at_level(logging.WARNING):
            first.kill()
            wait_for(lambda: follower.waiting is None)
        second = StateServer({"awaiting": "carry_out", "agent_move": "a1-a4", "ply": 5}, first.port)
        wait_for(lambda: follower.waiting == (6, "a1-a4"))
        second.kill()
    finally:
        follower.close()
    assert "asking again" in caplog.text


def test_a_sitting_tells_the_truth_and_plays_in_real_time() -> None:
    template = load_template("nine_mens_morris")
    sitting = ScriptedGames(MORRIS, template, frozenset((0, 1)), seed=2, think_s=0, pace=5, size_px=(160, 90))
    server = MjpegServer(sitting, 0, get={"/truth": sitting.truth})
    try:
        first = next(iter(mjpeg_frames(server.url)))
        assert isinstance(first, Picture)
        assert decoded(first).shape == (90, 160, 3)
        wait_for(lambda: len(sitting.truth()["moves"]) >= 2)  # type: ignore[arg-type]
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/truth", timeout=PATIENCE_S) as answer:
            truth = json.load(answer)
    finally:
        server.stop()
    positions = line_of_play(MORRIS, truth["moves"])
    assert truth["boards"] == [MORRIS.board(position) for position in positions[1:]]
    assert truth["game"] == "nine_mens_morris" and not truth["finished"]


def test_photos_are_served_in_order_from_the_one_asked_for(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        cv2.imwrite(str(tmp_path / f"1_{number}.png"), np.full((32, 32, 3), 20 * number, dtype=np.uint8))
    frames = NamedFrames(open_source(str(tmp_path), hold_s=0.2, rate_hz=10), "1_2.png")
    server = MjpegServer(frames, 0, rate_hz=10, wait=True)
    try:
        levels = [round(float(decoded(picture).mean())) for picture in mjpeg_frames(server.url)]
    finally:
        server.stop()
    assert levels == pytest.approx([40, 40, 200, 200], abs=1)
    assert frames.now() == {"photo": "1_10.png", "frame": 5}


def test_a_photo_that_is_not_there_is_named(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((32, 32, 3), dtype=np.uint8))
    result = CliRunner().invoke(app, ["serve", str(tmp_path), "--port", "0", "--from", "b.png", "--at-once"])
    assert result.exit_code == 2
    assert "no photo named 'b.png'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["table", "--game", "ludo"], "there is no game 'ludo'"),
        (["table", "--game", "morris", "--rule", "wings=true"], "no rule option 'wings'"),
        (["table", "--game", "morris", "--humans", "red"], "light and dark, not 'red'"),
        (["table", "--game", "morris", "--port", "0", "--follow", "localhost"], "begins with http"),
        (["serve", "/nowhere/at/all"], "no such"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert words in result.stderr and result.stderr.count("\n") == 1


def test_sides_are_named_with_commas() -> None:
    assert sides_of(MORRIS, "dark") == frozenset({1})
    assert sides_of(MORRIS, "light, dark") == sides_of(MORRIS, "") == frozenset({0, 1})
