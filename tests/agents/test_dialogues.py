"""How real engines answer, as dialogues with a program that expects exactly what is sent to it.

Sanmill reports and answers on one line, counts scores for white and may think longer than it was allowed; NTest loads
its opening book anew for every `set depth` and knows no limit but that. GRhino 0.16.1 passes by itself, refuses to be
told a pass, and knows no limit of time; GNU Go 3.8 leaves a space after an empty answer; Stockfish 15.1 greets before
it is asked, answers an option that it does not know with a line of its own, and reports bounds and `bestmove (none)`.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import games
from agents import registry
from agents.agent import AgentError, Answer, Limits
from agents.engines.engine_protocols import Gtp, GtpRefused, deadline_in
from agents.engines.process import EngineProcess
from agents.engines.uci import MATE, Uci
from rules.turns import line_of_play
from tests.agents.fake_engines import register, silent_when

DIALOGUE = Path(__file__).parent / "fake_engines" / "dialogue.py"
UCI = "> uci\n< A banner, version 1\n< uciok\n> ucinewgame\n> isready\n< readyok\n"
GRHINO = (
    "> 1 protocol_version\n< =1 2\n< \n> 2 list_commands\n< =2 protocol_version\n< name\n< list_commands\n< quit\n"
    "< boardsize\n< clear_board\n< komi\n< play\n< genmove\n< undo\n< time_settings\n< grhino-setup_board\n< \n"
    "> 3 boardsize 8\n< =3\n< \n"
)
NBOARD = "> nboard 2\n< set myname Deep\n> ping 1\n< pong 1\n"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Registers an engine that holds the dialogue; returns its agent."""

    def opened(game: Any, protocol: str, dialogue: str, *encoding: str, **settings: float) -> Any:
        (tmp_path / "dialogue.txt").write_text(dialogue)
        command = [sys.executable, str(DIALOGUE), str(tmp_path / "dialogue.txt"), *encoding]
        register(tmp_path, monkeypatch, "real", protocol, game.name, command, **settings)
        return registry.load_agent("external", game)

    return opened


def answer(agent: Any, moves: str, limits: Limits) -> tuple[str, Answer]:
    position = line_of_play(agent.game, moves.split())[-1]
    told = agent.choose(position, limits, threading.Event())
    return agent.game.format_move(position, told.move), told


def test_a_report_and_its_move_may_be_one_line_with_whites_score(engine: Any) -> None:
    one_line = "> position fen .*\n> go depth 1 movetime 1000\n< info depth 1 score cp 4 nodes 52 bestmove d6\n"
    agent = engine(games.load("morris"), "uci", UCI + one_line)
    move, told = answer(agent, "", Limits(depth=1))
    assert (move, told.score, told.depth, told.nodes) == ("d6", 4.0, 1, 52)
    agent = engine(games.load("morris"), "uci", UCI + one_line)
    assert answer(agent, "a1", Limits(depth=1))[1].score == -4.0


def test_a_mills_second_question_has_a_deadline_and_a_time_of_its_own(engine: Any) -> None:
    mill = (
        "> position fen .* w p p .*\n> go movetime 1000\n~ 0.7\n< bestmove g7\n"
        "> position fen .* moves g7\n> go movetime ([123]\\d\\d|\\d\\d)\n~ 1.2\n< bestmove xa1\n"
    )
    agent = engine(games.load("morris"), "uci", UCI + mill, grace_s=20.0)
    assert answer(agent, "a7 a1 d7 d1", Limits(time_s=1.0))[0] == "g7xa1"


@pytest.mark.parametrize("answers", [True, False])
def test_an_engine_that_thinks_too_long_is_told_to_stop_and_has_a_grace(engine: Any, answers: bool) -> None:
    late = "> position .*\n> go movetime 200\n> stop\n" + ("~ 0.3\n< bestmove d6\n" if answers else "")
    agent = engine(games.load("morris"), "uci", UCI + late, grace_s=20.0 if answers else 0.5)
    if answers:
        assert answer(agent, "", Limits(time_s=0.2))[0] == "d6"
    else:
        with pytest.raises(AgentError, match="engine real gave no answer in time"):
            answer(agent, "", Limits(time_s=0.2))


@pytest.mark.parametrize("flying", [True, False])
def test_sanmill_is_told_whether_men_fly(engine: Any, flying: bool) -> None:
    greeting = (
        "> uci\n< option name MayFly type check default true\n< uciok\n"
        f"> setoption name MayFly value {str(flying).lower()}\n> ucinewgame\n> isready\n< readyok\n"
    )
    agent = engine(
        games.load("morris", {"flying": flying}), "uci", greeting + "> position .*\n> go .*\n< bestmove d6\n"
    )
    assert answer(agent, "", Limits(time_s=0.2))[0] == "d6"


def test_an_engine_that_found_no_time_for_a_move_is_given_more(engine: Any) -> None:
    twice = "> position .*\n> go movetime 200\n< bestmove none\n> position .*\n> go movetime 400\n< bestmove d6\n"
    agent = engine(games.load("morris"), "uci", UCI + twice)
    assert answer(agent, "", Limits(time_s=0.2))[0] == "d6"


KNIGHTS = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"
THIRD = "> position fen \\S+ w KQkq - 0 1 moves( \\w{4}){8}\n> go .*\n"
FIRST = "> position fen \\S+ w KQkq - 0 5\n> go .*\n< bestmove e2e4\n"


def test_an_engine_that_holds_a_claimable_draw_for_the_end_is_told_it_as_a_first_position(
    engine: Any, tmp_path: Path
) -> None:
    """As Sjaak II 1.4.1, which is silent there, and is started again only once."""
    agent = engine(games.load("chess"), "uci", UCI + THIRD + "+ second.txt\n> stop\n", grace_s=0.3)
    (tmp_path / "second.txt").write_text(UCI + FIRST + "> isready\n< readyok\n" + FIRST)
    for _ in range(2):
        assert answer(agent, KNIGHTS, Limits(time_s=0.2))[0] == "e4"


def test_an_engine_that_has_no_move_in_a_claimable_draw_is_told_it_as_a_first_position(engine: Any) -> None:
    agent = engine(games.load("chess"), "uci", UCI + THIRD + "< bestmove (none)\n" + FIRST)
    assert answer(agent, KNIGHTS, Limits(time_s=0.2))[0] == "e4"


def test_what_still_answers_the_former_question_is_no_answer_to_the_next(engine: Any) -> None:
    """A second move upon `stop`, which crossed the first on its way."""
    first = "> position fen .*\n> go .*\n> stop\n< bestmove d6\n~ 0.2\n< bestmove d2\n"
    second = "> isready\n< readyok\n> position fen .*\n> go .*\n< bestmove f4\n"
    agent = engine(games.load("morris"), "uci", UCI + first + second, grace_s=20.0)
    assert answer(agent, "", Limits(time_s=0.2))[0] == "d6"
    assert answer(agent, "d6 b4", Limits(time_s=20.0))[0] == "f4"


def test_an_engine_of_gomocup_hears_nothing_right_after_its_move(engine: Any, tmp_path: Path) -> None:
    """As Rapfi, which loses what comes within 20 ms: here it ends."""
    turn = "> INFO timeout_turn .*\n"
    greeting = "> START 15\n< OK\n" + "> INFO .*\n" * 3
    said = f"{greeting}{turn}> BEGIN\n< 7,7\n! 0.02\n{turn}> BOARD\n> 7,7,1\n> 7,8,2\n> DONE\n< 8,8\n"
    agent = engine(games.load("gomoku"), "gomocup", said)
    assert answer(agent, "", Limits(time_s=1.0))[0] == "h8"
    assert answer(agent, "h8 h7", Limits(time_s=1.0))[0] == "i7"


def test_a_depth_is_said_once_and_the_clock_with_the_game(engine: Any) -> None:
    plies = "".join(
        f"> set game .*TI\\[{clock}\\].*\n{depth}> ping {ping}\n< pong {ping}\n> go\n"
        f"< status busy\n~ {pause}\n< === {move}\n"
        for clock, depth, ping, pause, move in (
            ("2:33", "> set depth 12\n", 2, 1.0, "F5/1.5/0.2"),  # a fifth of the time: neither deeper nor less deep
            ("2:28", "", 3, 0.0, "C5/-1/0.2"),
        )
    )
    agent = engine(games.load("reversi"), "nboard", NBOARD + plies)
    move, told = answer(agent, "", Limits(time_s=5.0))
    assert (move, told.score, told.depth) == ("f5", 1.5, 12)
    assert answer(agent, "f5 d6", Limits(time_s=5.0))[0] == "c5"


@pytest.mark.parametrize(
    "late",
    [  # it looks less deep then, or its answer comes instead of the pong
        "< pong 3\n> set depth (1[01]|\\d)\n> ping 4\n< pong 4\n> go\n< === F5\n",
        "< === F5/0/1\n< pong 3\n",
    ],
)
def test_a_late_engine_is_interrupted(engine: Any, late: str) -> None:
    asked = "> set game .*\n> set depth 12\n> ping 2\n< pong 2\n> go\n> ping 3\n"
    agent = engine(games.load("reversi"), "nboard", NBOARD + asked + late, grace_s=20.0)
    assert answer(agent, "", Limits(time_s=0.3))[0] == "f5"


def test_grhino_is_not_lost_over_a_pass_that_it_cannot_be_told(engine: Any) -> None:
    set_up = "grhino-setup_board ---XO----X-O------XX-------XX------XX-------X------------------- white"
    asked = (
        f"> 4 {set_up}\n< =4\n< \n> 5 time_settings 0 1 1\n< =5\n< \n> 6 genmove white\n< =6 D6\n< \n"
        f"> 7 {set_up}\n< =7\n< \n> 8 play white C1\n< =8\n< \n"
        "> 9 play black PASS\n< ?9 syntax error\n< \n> 10 genmove white\n< =10 D6\n< \n"
    )
    agent = engine(games.load("reversi"), "gtp", GRHINO + asked)
    assert answer(agent, "d3 c3 e6 d2 d1 e1 b2", Limits(time_s=1.0))[0] == "d6"
    # Another move than its own was made, after which black cannot lay: the line is told again.
    assert answer(agent, "d3 c3 e6 d2 d1 e1 b2 c1 pass", Limits(time_s=1.0))[0] == "d6"


def test_grhino_follows_a_game_by_its_moves_and_sets_up_another_start(engine: Any) -> None:
    moves = (
        "> 4 clear_board\n< =4\n< \n> 5 play black F5\n< =5\n< \n> 6 genmove white\n< =6 F6\n< \n"
        "> 7 play black E6\n< =7\n< \n> 8 genmove white\n< =8 F4\n< \n"
    )
    agent = engine(games.load("reversi"), "gtp", GRHINO + moves)
    assert answer(agent, "f5", Limits())[0] == "f6"
    assert answer(agent, "f5 f6 e6", Limits())[0] == "f4"
    corners = (
        "> 4 grhino-setup_board X--------------------------OX------XO--------------------------X black\n< =4\n< \n"
        "> 5 genmove black\n< =5 C4\n< \n> 6 play white C3\n< =6\n< \n> 7 genmove black\n< =7 D3\n< \n"
    )
    agent = engine(games.load("reversi", {"handicap": "2"}), "gtp", GRHINO + corners)
    assert answer(agent, "", Limits())[0] == "c4"
    assert answer(agent, "c4 c3", Limits())[0] == "d3"


def test_a_refused_move_is_an_error_but_for_a_pass(engine: Any) -> None:
    refused = "> 4 clear_board\n< =4\n< \n> 5 play black F5\n< ?5 illegal move\n< \n"
    agent = engine(games.load("reversi"), "gtp", GRHINO + refused)
    with pytest.raises(AgentError, match="engine real refused 'play black F5': 'illegal move'"):
        answer(agent, "f5", Limits())


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "utf-16-le"])
def test_gtp_is_read_behind_a_banner_in_any_encoding(engine: Any, encoding: str) -> None:
    asked = "> 4 clear_board\n< =4\n< \n> 5 genmove black\n< thinking\n< =5 E6\n< \n"
    agent = engine(games.load("reversi"), "gtp", "< A banner, version 1\n< \n" + GRHINO + asked, encoding)
    assert answer(agent, "", Limits())[0] == "e6"


@pytest.mark.parametrize(
    ("game", "protocol", "dialogue", "last"),
    [
        ("reversi", "gtp", "> 1 protocol_version\n< UNKNOWN command\n", "'UNKNOWN command'"),
        (
            "reversi",
            "gtp",
            "> 1 protocol_version\n< Unknown command: '1 protocol_version'.\n",
            "\"Unknown command: '1 protocol_ver",
        ),
        ("reversi", "nboard", "> nboard 2\n> ping \\d\n< ? unknown command\n", r"'\? unknown command'"),
        ("morris", "uci", "> uci\n< ? unknown command\n", r"'\? unknown command'"),
    ],
)
def test_an_engine_that_speaks_another_protocol_is_named_with_what_it_said(
    engine: Any, game: str, protocol: str, dialogue: str, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = engine(games.load(game), protocol, dialogue)
    silent_when(monkeypatch, lambda: agent._process is not None and agent._process._last)
    with pytest.raises(AgentError, match=f"real does not greet as an engine for {protocol} does: .*{last}"):
        answer(agent, "", Limits())


def test_stones_of_gomoku_are_told_in_turn(engine: Any) -> None:
    greeting = GRHINO.replace("boardsize 8", "boardsize 15")
    stones = ("black A15", "white P15", "black B15", "white A1")
    told = "".join(f"> {number} play {stone}\n< ={number}\n< \n" for number, stone in enumerate(stones, 5))
    asked = f"> 4 clear_board\n< =4\n< \n{told}> 9 genmove black\n< =9 C15\n< \n"
    agent = engine(games.load("gomoku"), "gtp", greeting + asked)
    assert answer(agent, "b15 a1 a15 o15", Limits())[0] == "c15"


def test_gtp_of_another_version_and_a_missing_command_are_errors(engine: Any) -> None:
    agent = engine(games.load("reversi"), "gtp", "> 1 protocol_version\n< =1 1\n< \n")
    with pytest.raises(AgentError, match="speaks version '1' of GTP, not 2"):
        answer(agent, "", Limits())
    bare = "> 1 protocol_version\n< =1 2\n< \n> 2 list_commands\n< =2 name\n< play\n< boardsize\n< \n"
    agent = engine(games.load("reversi"), "gtp", bare)
    with pytest.raises(AgentError, match="does not understand clear_board, genmove"):
        answer(agent, "", Limits())


def replayed(tmp_path: Path, dialogue: str) -> EngineProcess:
    """An engine of a game that is not here: its protocol's core is asked directly."""
    (tmp_path / "dialogue.txt").write_text(dialogue)
    return EngineProcess([sys.executable, str(DIALOGUE), str(tmp_path / "dialogue.txt")])


def test_gnu_gos_answers(tmp_path: Path) -> None:
    process = replayed(
        tmp_path,
        "> 1 protocol_version\n< =1 2\n< \n> 2 list_commands\n< =2 aa_confirm_safety\n< boardsize\n< clear_board\n"
        "< genmove\n< gg-undo\n< play\n< \n> 3 boardsize 9\n< =3 \n< \n> 4 play black E5\n< =4 \n< \n"
        "> 5 play white E5\n< ?5 illegal move\n< \n> 6 genmove white\n< =6 C5\n< \n> 7 boardsize 99\n"
        "< ?7 unacceptable size\n< \n",
    )
    gtp = Gtp(process, deadline_in(20.0))
    assert {"aa_confirm_safety", "gg-undo"} < gtp.commands
    assert gtp.ask("boardsize 9", deadline_in(20.0)) == ""
    assert gtp.ask("play black E5", deadline_in(20.0)) == ""
    with pytest.raises(GtpRefused, match="refused 'play white E5': 'illegal move'"):
        gtp.ask("play white E5", deadline_in(20.0))
    assert gtp.ask("genmove white", deadline_in(20.0)) == "C5"
    with pytest.raises(GtpRefused, match="unacceptable size"):
        gtp.ask("boardsize 99", deadline_in(20.0))
    process.close()


def test_stockfishs_answers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    process = replayed(
        tmp_path,
        "< Stockfish 15.1 by the Stockfish developers (see AUTHORS file)\n> uci\n< id name Stockfish 15.1\n"
        "< id author the Stockfish developers (see AUTHORS file)\n< \n"
        "< option name Debug Log File type string default \n"
        "< option name Threads type spin default 1 min 1 max 1024\n< option name Clear Hash type button\n"
        "< option name SyzygyPath type string default <empty>\n< uciok\n> setoption name threads value 1\n"
        "> setoption name Clear Hash\n> setoption name Nonsense value 3\n< No such option: Nonsense\n> ucinewgame\n"
        "> isready\n< readyok\n> position startpos moves e2e4\n> go depth 3 movetime 1000\n"
        "< info string NNUE evaluation using nn-ad9b42354671.nnue enabled\n"
        "< info depth 2 seldepth 2 multipv 1 score cp -5 nodes 71 nps 71000 hashfull 0 tbhits 0 time 1 pv e7e5\n"
        "< info depth 3 seldepth 2 multipv 1 score cp 36 upperbound nodes 153 nps 153000 time 1 pv e7e5\n"
        "< bestmove e7e5 ponder g1f3\n> position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\n> go movetime 1000\n"
        "< info depth 4 seldepth 2 multipv 1 score mate 1 nodes 68 nps 68000 hashfull 0 tbhits 0 time 1 pv a1a8\n"
        "< bestmove a1a8\n> position fen 7k/8/5K2/8/8/8/8/5Q2 w - - 0 1\n> go movetime 1000\n"
        "< info depth 6 seldepth 6 multipv 1 score mate 3 nodes 311 nps 311000 time 1 pv f1h1 h8g8 h1g2 g8f8 g2a8\n"
        "< bestmove f1h1 ponder h8g8\n> position fen k7/8/1K6/8/8/8/8/6Q1 b - - 0 1\n> go movetime 1000\n"
        "< info depth 6 seldepth 3 multipv 1 score mate -1 nodes 14 nps 14000 time 1 pv a8b8 g1g8\n"
        "< bestmove a8b8 ponder g1g8\n> position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n> go movetime 1000\n"
        "< info depth 0 score cp 0\n< bestmove (none)\n> position startpos\n> go movetime 200\n> stop\n"
        "< info depth 21 seldepth 24 score cp 36 upperbound nodes 736707 time 1011 pv e2e4 c7c5\n"
        "< bestmove e2e4 ponder c7c5\n",
    )
    uci = Uci(process, {"threads": "1", "Clear Hash": "", "Nonsense": "3"}, deadline_in(20.0))
    assert uci.options == {
        "Debug Log File": "string",
        "Threads": "spin",
        "Clear Hash": "button",
        "SyzygyPath": "string",
    }
    [warning] = caplog.messages
    assert warning.startswith("the UCI engine 'Stockfish 15.1' announces no option 'Nonsense'")
    never = threading.Event()
    found = uci.best("startpos moves e2e4", Limits(depth=3), 1.0, 20.0, never)
    assert (found.move, found.score, found.depth, found.nodes, found.pv) == ("e7e5", -5.0, 3, 153, ("e7e5",))
    mate = uci.best("fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", Limits(), 1.0, 20.0, never)
    assert (mate.move, mate.score) == ("a1a8", MATE - 1)
    later = uci.best("fen 7k/8/5K2/8/8/8/8/5Q2 w - - 0 1", Limits(), 1.0, 20.0, never)
    assert (len(later.pv), later.score) == (5, MATE - 5)
    lost = uci.best("fen k7/8/1K6/8/8/8/8/6Q1 b - - 0 1", Limits(), 1.0, 20.0, never)
    assert (len(lost.pv), lost.score) == (2, 2 - MATE)
    assert uci.best("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Limits(), 1.0, 20.0, never).move == "(none)"
    assert uci.best("startpos", Limits(), 0.2, 20.0, never).move == "e2e4"
    process.close()
