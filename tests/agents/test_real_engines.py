"""The protocols with the real programs that Debian has; each test is skipped where its program is missing."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

import games
from agents import players, protocols, registry
from agents.agent import Limits
from agents.engines.engine_protocols import Gtp, GtpRefused, deadline_in
from agents.engines.process import EngineProcess
from agents.engines.uci import Uci
from rules.turns import line_of_play
from tests.agents.fake_engines import register

WAIT_S = 60.0


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/games")
    return found or pytest.skip(f"{name} is not installed")


def test_gtp_with_gnugo() -> None:
    process = EngineProcess([program("gnugo"), "--mode", "gtp"])
    gtp = Gtp(process, deadline_in(WAIT_S))
    gtp.ask("boardsize 9", deadline_in(WAIT_S))
    gtp.ask("play black E5", deadline_in(WAIT_S))
    with pytest.raises(GtpRefused, match="refused 'play white E5'"):
        gtp.ask("play white E5", deadline_in(WAIT_S))
    assert gtp.ask("genmove white", deadline_in(WAIT_S))[0] in "ABCDEFGHJ"
    process.close()


def test_uci_with_stockfish() -> None:
    process = EngineProcess([program("stockfish")])
    uci = Uci(process, {"Threads": "1"}, deadline_in(WAIT_S))
    assert uci.options["Threads"] == "spin"
    found = uci.best("startpos moves e2e4 e7e5", Limits(depth=6), 30.0, WAIT_S, threading.Event())
    assert len(found.move) == 4
    assert found.depth == 6
    assert found.pv[0] == found.move
    mate = uci.best("fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", Limits(depth=6), 30.0, WAIT_S, threading.Event())
    assert (mate.move, mate.score) == ("a1a8", 999_999.0)
    process.close()


@pytest.mark.parametrize("moves", ["", "f5", "f5 d6 c3 d3 c4"])
def test_grhino_plays_from_the_start_and_from_a_set_up(
    moves: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(tmp_path, monkeypatch, "grhino", "gtp", "reversi", [program("gtp-rhino")])
    game = games.load("reversi")
    agent, position = registry.load_agent("external", game), line_of_play(game, moves.split())[-1]
    for _ in range(3):
        answer = agent.choose(position, Limits(time_s=1.0), threading.Event())
        position = game.apply(position, answer.move)
        position = game.apply(position, game.legal_moves(position)[0])
    agent.close()


def test_grhino_goes_on_after_a_pass_of_the_other_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(tmp_path, monkeypatch, "grhino", "gtp", "reversi", [program("gtp-rhino"), "--level=1"])
    game = games.load("reversi")
    agent = registry.load_agent("external", game)
    for moves in ("d3 c3 e6 d2 d1 e1 b2", "d3 c3 e6 d2 d1 e1 b2 c1 pass"):
        position = line_of_play(game, moves.split())[-1]
        assert agent.choose(position, Limits(time_s=1.0), threading.Event()).move in game.legal_moves(position)
    agent.close()


def talk(name: str, *lines: str) -> list[str]:
    said: list[str] = []
    session: Any = protocols.open_session("gtp", games.load(name), players.parse("random"), said.append)
    for line in lines:
        session.hear(line)
    return [line for line in said if line]


def test_we_speak_gtp_for_gomoku_without_the_letter_i() -> None:
    said = talk("gomoku", "1 boardsize 15", "play black J8", "2 play white J8", "3 play white T99", "boo", "undo")
    assert said[:2] == ["=1", "="]
    assert said[2].startswith("?2 illegal move")
    assert said[3].startswith("?3 illegal move")
    assert said[4:] == ["? unknown command", "="]


def test_we_speak_gtp_for_reversi() -> None:
    said = talk("reversi", "boardsize 8", "play black F5", "4 genmove white", "5 genmove white", "boardsize 9")
    assert said[2] in ("=4 D6", "=4 F4", "=4 F6")
    assert said[3] == "?5 illegal move: it is black's turn"
    assert said[4] == "? unacceptable size"


@pytest.mark.parametrize("told", [True, False])
def test_we_take_a_pass_in_gtp_whether_it_is_told_or_not(told: bool) -> None:
    moves = "D3 C3 E6 D2 D1 E1 B2 C1".split()
    lines = [f"play {('black', 'white')[ply % 2]} {move}" for ply, move in enumerate(moves)]
    said = talk("reversi", *lines, *(["play black PASS"] if told else []), "play black A1", "9 play white D6", "undo")
    assert said[-3].startswith("? illegal move")
    assert said[-2:] == ["=9", "="]
    assert talk("reversi", *lines, "genmove black")[-1] == "= pass"


def test_gnugo_plays_go_from_the_start_after_a_pass_and_from_a_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [program("gnugo"), "--mode", "gtp", "--level", "1"]
    register(tmp_path, monkeypatch, "gnugo", "gtp", "go", command)
    game = games.load("go", {"handicap": 2, "komi": "0.5"})
    agent, position = registry.load_agent("external", game), game.initial()
    for text in ("", "pass"):
        position = game.apply(position, game.parse_move(position, text)) if text else position
        position = game.apply(position, agent.choose(position, Limits(), threading.Event()).move)
    rows = ["XO.......", "X........", "......O..", ".........", "....X....", *["........."] * 4]
    alone = game.parse_position(f"{'/'.join(rows)} w - 0,0 0")
    assert agent.choose(alone, Limits(), threading.Event()).move in game.legal_moves(alone)
    agent.close()


def test_we_speak_gtp_for_go_with_komi_handicap_passes_and_the_score() -> None:
    said = talk("go", "boardsize 13", "komi 0.5", "fixed_handicap 3", "play w C3", "play w D3", "final_score")
    assert said[:3] == ["=", "=", "= D10 K10 D4"]  # a pass of black lies between the two stones of white
    assert said[3:] == ["=", "=", "? cannot score"]
    free = talk("go", "set_free_handicap C3 G7", "play w D4", "play b pass", "play w pass", "final_status_list alive")
    assert free == ["=", "=", "=", "=", "= G7 D4 C3"]
    assert talk("go", "set_free_handicap C3 Z9", "final_status_list dead")[0] == "? invalid vertex list"
    ended = talk("go", "komi 0.5", "play b pass", "play w pass", "final_score", "komi 0.3", "fixed_handicap 1")
    assert ended == ["=", "=", "=", "= W+0.5", "? komi is whole or half points", "? board not empty"]


def test_stones_of_go_may_be_told_in_any_order_and_nobody_has_passed_then() -> None:
    set_up = ["play b D4", "play b F6", "play b C3", "play w G7"]
    said = talk("go", *set_up, "play w pass", "play w E2", "play b pass", "play w pass", "final_score", "play b A1")
    assert said[:8] == ["="] * 8 and said[8].startswith("= ") and said[9] == "="
    assert talk("go", *set_up, "genmove w", "play b H2")[-1] == "="
