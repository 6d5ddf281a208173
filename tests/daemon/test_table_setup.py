"""Setting up a table by command: requests, and what comes of them."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path

import cv2
import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.commands.command import CommandError
from daemon.commands.setup_requests import SetupRequest, parse_setup_request
from daemon.judging.corrections import hold
from daemon.judging.referee import Referee
from daemon.page.view import men_of, offers_of, play_view
from daemon.page.web import WebPage
from daemon.setup.table_setup import TableSetup
from rules.turns import line_of_play
from tests.daemon.http_client import ask
from vision.calibrating.guided import STUCK_S
from vision.frame import Frame
from vision.sources.encoded import EncodedFrame, peek
from vision.watching.align import Aligner

GAME = games.load("morris")
TEMPLATE = load_template(GAME.name)
CORNERS = ((0.3, 0.2), (0.7, 0.2), (0.7, 0.9), (0.3, 0.9))


def setting_up(folder: Path) -> tuple[TableSetup, list[str]]:
    said: list[str] = []
    return TableSetup(GAME, TEMPLATE, folder / "out.npz", lambda text, **_: said.append(text)), said


@functools.cache
def frame() -> Frame:
    return Frame(np.full((360, 640, 3), 90, np.uint8), 1.0, 1)


def test_setup_requests_are_read() -> None:
    assert parse_setup_request({"action": "calibrate"}) == SetupRequest("calibrate")
    assert parse_setup_request({"action": "corners", "corners": [list(one) for one in CORNERS]}) == SetupRequest(
        "corners", CORNERS
    )


@pytest.mark.parametrize(
    "words",
    [
        None,
        [],
        {},
        {"action": "dance"},
        {"action": "stop", "corners": []},
        {"action": "corners"},
        {"action": "corners", "corners": [[0, 0]] * 3},
        {"action": "corners", "corners": [[0, 0, 0]] * 4},
        {"action": "corners", "corners": [["0", 0]] * 4},
        {"action": "corners", "corners": [[True, 0]] * 4},
        {"action": "corners", "corners": [[float("nan"), 0]] * 4},
        {"action": "corners", "corners": [[9, 0]] * 4},
        {"action": "corners", "corners": [[10**400, 0]] * 4},
        {"action": "right", "out": "/etc/passwd"},
    ],
)
def test_what_is_no_setup_request_is_refused(words: object) -> None:
    with pytest.raises(CommandError):
        parse_setup_request(words)


def test_nothing_can_be_set_up_before_there_is_a_picture(tmp_path: Path) -> None:
    there, _ = setting_up(tmp_path)
    for request in (
        SetupRequest("calibrate"),
        SetupRequest("corners", CORNERS),
        SetupRequest("stop"),
        SetupRequest("right"),
    ):
        assert not there.obey(request, Aligner(TEMPLATE)).accepted
    assert there.status() is None and there.picture(None) is None


def test_corners_that_cross_are_no_board_and_others_lock_it(tmp_path: Path) -> None:
    there, _ = setting_up(tmp_path)
    assert not there.see(frame())  # left to the match
    aligner = Aligner(TEMPLATE)
    crossed = CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]
    assert not there.obey(SetupRequest("corners", crossed), aligner).accepted
    assert not there.obey(SetupRequest("corners", CORNERS), None).accepted  # nothing watches the board
    assert there.obey(SetupRequest("corners", CORNERS), aligner).accepted


def test_a_calibration_takes_the_frames_until_it_is_stopped_and_writes_nothing_then(tmp_path: Path) -> None:
    there, said = setting_up(tmp_path)
    there.see(frame())
    assert there.obey(SetupRequest("calibrate"), None).accepted and there.active
    assert not there.obey(SetupRequest("calibrate"), None).accepted  # one at a time
    assert there.see(frame())
    told = there.status()
    assert told is not None and (told["active"], told["lesson"], told["taken"]) == (True, 1, 0)
    assert str(told["board"]).startswith("<svg") and said[0].startswith("Clear the board")
    assert there.picture(None) is not None
    assert there.obey(SetupRequest("stop"), None).accepted and not there.active
    assert not there.see(frame()) and there.status() == {
        "active": False,
        "ended": "The calibration was stopped. Nothing is written.",
    }
    assert not list(tmp_path.iterdir())


def test_the_time_in_which_the_camera_was_away_ends_no_calibration(tmp_path: Path) -> None:
    there, said = setting_up(tmp_path)
    there.see(frame())
    there.obey(SetupRequest("calibrate"), None)
    for second in (2.0, 2.5, STUCK_S + 3.0, STUCK_S + 3.5):
        there.see(Frame(frame().image, second, int(10 * second)))
    assert there.active, said
    for second in range(2 * int(STUCK_S)):  # but when pictures come and nobody lays anything, it is given up
        there.see(Frame(frame().image, STUCK_S + 4.0 + second, 10_000 + second))
    assert not there.active and "ends without a profile" in said[-1]


def test_a_page_whose_daemon_takes_no_commands_takes_no_setup_requests() -> None:
    with contextlib.closing(WebPage(port=0)) as page:
        reply = ask(page.address + "wish", {"action": "stop"})
    assert (reply.status, reply.json["code"]) == (409, "no_commands")


def test_what_a_page_offers_is_what_means_something_now() -> None:
    new = Referee(GAME)
    assert set(offers_of(new, watched=False)) == {"coach", "resign", "repeat", "new_game"}
    assert {"end_move", "pause", "correct", "adopt"} <= set(offers_of(new, watched=True))
    begun = Referee(GAME, moves=["d6"], history=line_of_play(GAME, ["d6"]))
    assert "undo" in offers_of(begun, watched=False)
    begun.pause()
    assert set(offers_of(begun, watched=True)) == {"undo", "resume", "repeat", "new_game"}


def test_men_are_counted_on_the_board_off_it_and_in_the_hand() -> None:
    moves = ["a7", "a1", "d7", "d1", "g7xd1"]
    play = Referee(GAME, moves=moves, history=line_of_play(GAME, moves))
    assert men_of(play.line) == [{"board": 3, "taken": 0, "to_lay": 6}, {"board": 1, "taken": 1, "to_lay": 7}]
    assert men_of(Referee(games.load("dominoes")).line) is None
    go, stones = games.load("go"), ["B1", "A1", "A2"]
    captured = Referee(go, moves=stones, history=line_of_play(go, stones))
    assert men_of(captured.line) == [{"board": 2, "prisoners": 1}, {"board": 0, "prisoners": 0}]
    assert play_view(play, watched=True)["title"] == "Nine men's morris"


def test_the_page_knows_how_many_moves_a_game_has_at_most() -> None:
    assert play_view(Referee(games.load("ganh", {"limit": 100})), watched=False)["limit"] == 100
    assert play_view(Referee(GAME), watched=False)["limit"] is None


def test_an_agents_hand_is_asked_for_where_no_camera_sees_it() -> None:
    dominoes = games.load("dominoes")
    play = Referee(dominoes, agents=("greedy", None))
    wanted = {"side": "red", "holds": 4, "ends": "0123456", "asked": True}
    assert play_view(play, watched=True)["hand"] == wanted and "hand" in offers_of(play, watched=True)
    hold(play, ["0-0", "1-2", "3-4", "5-6"])
    assert play_view(play, watched=True)["hand"] == wanted | {"asked": False}
    assert play_view(play, watched=False)["hand"] is None  # dealt by the program, so known
    for nobody in (Referee(dominoes), Referee(GAME, agents=("alphabeta", None))):
        assert play_view(nobody, watched=True)["hand"] is None and "hand" not in offers_of(nobody, watched=True)


def test_what_the_page_may_show_is_not_decoded_before_somebody_looks(tmp_path: Path) -> None:
    jpeg = peek(cv2.imencode(".jpg", frame().image)[1].tobytes())
    assert jpeg is not None
    coming = EncodedFrame(jpeg, 1.0, 1)
    setup, _ = setting_up(tmp_path)
    setup.see(coming)
    draw = setup.picture(None)
    assert draw is not None and "image" not in vars(coming)
    assert draw().shape == frame().image.shape and "image" in vars(coming)
