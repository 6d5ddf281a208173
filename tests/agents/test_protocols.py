"""Our agents as engines under the usual protocols: what a manager sends, and what it gets back."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import daemon
import games
from agents import kernels, players, protocols
from agents.agent import AgentError, Answer
from agents.minimax import Minimax
from agents.protocols import ggf, sanmill
from agents.protocols.gomocup import GomocupSession
from agents.protocols.nboard import discs
from agents.protocols.session import SHARE
from daemon.cli.main import main
from rules import GameError, MoveError, PositionError
from rules.turns import line_of_play

ROOT = Path(__file__).resolve().parents[2]


class Talk:
    """A conversation with one of our engines, played by an agent that needs no machine code."""

    def __init__(self, protocol: str, player: str = "minimax:depth=1", game: str = "") -> None:
        self.lines: list[str] = []
        self.game: Any = games.load(game or protocols.games_of(protocol)[0])
        self.session: Any = protocols.open_session(protocol, self.game, players.parse(player), self.lines.append)

    def say(self, *lines: str) -> list[str]:
        """Sends these lines, waits for the engine to finish, and returns its answers."""
        self.lines.clear()
        for line in lines:
            assert self.session.hear(line)
        self.session.close()
        return list(self.lines)


def test_each_protocol_is_spoken_for_its_game_only() -> None:
    assert [protocols.games_of(name) for name in protocols.NAMES] == [
        ("gomoku",),
        ("go", "gomoku", "reversi"),
        ("reversi",),
        ("nine_mens_morris", "chess"),
    ]
    with pytest.raises(AgentError, match="nboard is spoken for reversi, not for gomoku"):
        protocols.open_session("nboard", games.load("gomoku"), players.parse("random"), print)
    with pytest.raises(AgentError, match="no protocol 'xboard'"):
        protocols.open_session("xboard", games.load("gomoku"), players.parse("random"), print)


# UCI for morris


def test_uci_introduces_itself_and_is_ready() -> None:
    lines = Talk("uci").say("uci", "isready")
    assert lines[0].startswith("id name Kibitzer")
    assert lines[-2:] == ["uciok", "readyok"]


def test_uci_closes_a_mill_and_takes_a_man_by_a_second_move() -> None:
    talk = Talk("uci", "minimax:depth=2")
    assert talk.say("position startpos moves a7 a1 d7 d1", "go depth 2")[-1] == "bestmove g7"
    told = talk.say("position startpos moves a7 a1 d7 d1 g7", "go depth 2")[-1]
    assert told in ("bestmove xa1", "bestmove xd1")
    assert talk.say(f"position startpos moves a7 a1 d7 d1 g7 {told.split()[1]}", "go depth 1")[-1] != "bestmove none"
    # It takes one also where it has not closed the mill itself.
    assert Talk("uci").say("position startpos moves a7 a1 d7 d1 g7", "go depth 2")[-1].startswith("bestmove x")


def test_uci_moves_men_with_a_hyphen_and_tells_its_line() -> None:
    fen = "O@O@****/********/*@*O*@*O m m s 4 0 4 0"
    refused, why, best = Talk("uci").say(f"position fen {fen}", "go depth 1")
    assert refused.startswith(f"info string position not changed: {fen!r} is no position of morris")
    assert (why, best) == ("info string no move: the last position was refused", "bestmove none")
    *_, info, best = Talk("uci").say(f"position fen {fen.replace(' m m s', ' w m s')}", "go depth 1")
    assert best.split()[1][2:3] == "-"
    assert info.startswith("info depth 1 score cp ")


@pytest.mark.parametrize(("go", "end"), [("go infinite", "stop"), ("go movetime 600000", "quit")])
def test_uci_answers_where_its_thinking_is_stopped_or_quit(go: str, end: str) -> None:
    talk = Talk("uci", "mcts")
    assert talk.session.hear(go)
    assert talk.session.hear(end) == (end == "stop")
    assert talk.lines[-1].startswith("bestmove ")


def test_uci_plays_only_the_moves_that_it_is_told_to_search() -> None:
    talk = Talk("uci", game="chess")
    told = talk.say("position startpos moves e2e4", "go depth 1 searchmoves a7a6 h7h6")
    assert told[-1] in ("bestmove a7a6", "bestmove h7h6")
    assert talk.say("go depth 1 searchmoves h7h6")[-1] == "bestmove h7h6"
    assert talk.say("go depth 1 searchmoves e2e4") == [
        "info string no move: none of searchmoves is legal",
        "bestmove 0000",
    ]
    refused = talk.say("position startpos moves e2e5", "ucinewgame", "go depth 1")
    assert refused[-1] not in ("bestmove 0000", "bestmove none")


@pytest.mark.parametrize(("go", "end"), [("go infinite", "stop"), ("go ponder depth 1", "ponderhit")])
def test_uci_keeps_its_move_to_itself_until_it_is_asked_for(go: str, end: str) -> None:
    talk = Talk("uci", game="chess")
    for line in ("position startpos", go):
        assert talk.session.hear(line)
    talk.session._thinking.finish()
    assert not talk.lines
    assert talk.session.hear(end)
    assert talk.lines[-1].startswith("bestmove ")
    assert talk.say("go depth 1")[-1].startswith("bestmove ")


def test_an_engine_tells_the_release() -> None:
    assert f"Kibitzer {daemon.__version__} " in Talk("uci").say("uci")[0]


def test_gomocup_answers_an_unknown_board_once() -> None:
    told = Talk("gomocup").say("START 15", "SWAP2BOARD", "7,7", "8,8", "DONE", "YXBOARD", "7,7,1", "DONE", "ABOUT")
    assert (
        told[:3] == ["OK", "UNKNOWN SWAP2BOARD", "UNKNOWN YXBOARD"] and told[3].startswith("name=") and len(told) == 4
    )


def test_uci_says_none_where_the_game_is_over() -> None:
    fen = "OO******/@@@*****/******** w m s 2 0 3 0"
    assert Talk("uci").say(f"position fen {fen}", "go depth 1") == ["bestmove none"]


@pytest.mark.parametrize("seed", range(3))
def test_sanmills_fen_and_moves_make_the_round_trip(seed: int) -> None:
    import random

    game: Any = games.load("morris", {"quiet_plies": 0, "repetition": 0})
    dice, position = random.Random(seed), game.initial()
    words: list[str] = ["startpos", "moves"]
    for _ in range(60):
        moves = game.legal_moves(position)
        if not moves:
            break
        move = dice.choice(moves)
        words += sanmill.tokens(game.format_move(position, move))
        position = game.apply(position, move)
        assert sanmill.read(game, words) == sanmill.Standing(position)
        assert sanmill.from_fen(game, sanmill.to_fen(game, position).split()).position == position


# NBoard for reversi

GAME_SENT = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6//0.2]B[D3/-1.5]W[C5]B[E6]W[F7]B[E7]W[F4];)"
)


def test_nboard_reads_a_game_and_answers_a_move_with_its_worth() -> None:
    lines = Talk("nboard").say("nboard 2", "set depth 1", f"set game {GAME_SENT}", "ping 7", "go")
    assert "set myname Kibitzer1" in lines
    assert "pong 7" in lines
    (answer,) = (line for line in lines if line.startswith("=== "))
    move, worth, seconds = answer.removeprefix("=== ").split("/")
    game = games.load("reversi")
    position = ggf.read(game, GAME_SENT)  # type: ignore[arg-type]
    assert game.parse_move(position, move) in game.legal_moves(position)
    assert -64 <= float(worth) <= 64
    assert float(seconds) >= 0


def test_nboard_does_not_lay_its_own_move_until_it_is_told() -> None:
    talk = Talk("nboard")
    first = [line for line in talk.say("set depth 1", "go") if line.startswith("===")]
    again = [line for line in talk.say("go") if line.startswith("===")]
    assert first[0].split("/")[0] == again[0].split("/")[0]
    assert not any(line.startswith("warning") for line in talk.say("move F5", "move d6//1.2", "go"))
    assert talk.say("learn") == ["learned"]
    assert not talk.session.hear("quit")


def test_nboard_passes_and_reads_passes() -> None:
    board = "*O" + "-" * 62
    talk = Talk("nboard")
    lines = talk.say("set depth 1", f"set game (;GM[Othello]BO[8 {board} O];)", "go")
    assert any(line.startswith("=== PA/") for line in lines)
    lines = talk.say(f"set game (;GM[Othello]BO[8 {board} O]W[PA];)", "go")
    assert any(line.startswith("=== C1/") for line in lines)
    lines = talk.say(f"set game (;GM[Othello]BO[8 {board} O]W[PA]B[C1];)", "go")
    assert lines == ["warning the game is over"]


def test_nboard_hints_are_the_best_first_and_no_more_than_asked_for() -> None:
    lines = Talk("nboard").say("set depth 2", f"set game {GAME_SENT}", "hint 3")
    found = [line.split() for line in lines if line.startswith("search ")]
    assert len(found) == 3
    worths = [float(words[2]) for words in found]
    assert worths == sorted(worths, reverse=True)


def test_while_the_evaluation_is_loading_no_worth_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = Minimax.choose

    def in_plain_search(self: Minimax, *asked: Any) -> Answer:
        return dataclasses.replace(choose(self, *asked), stopgap=True)

    monkeypatch.setattr(Minimax, "choose", in_plain_search)
    lines = Talk("nboard").say("set depth 1", f"set game {GAME_SENT}", "hint 3", "ping 1", "go")
    (answer,) = (line for line in lines if line.startswith("=== "))
    assert answer.split("/")[1] == "" and not any(line.startswith("search") for line in lines)
    info = next(line for line in Talk("uci").say("position startpos", "go depth 1") if line.startswith("info depth"))
    assert "score" not in info and " pv " in info


def test_scores_are_told_in_discs() -> None:
    assert discs(-635) == -6.35
    assert discs(100_000 + 1200) == 12
    assert discs(-999_990) == -64


def test_ggf_makes_the_round_trip() -> None:
    game: Any = games.load("reversi")
    position = ggf.read(game, GAME_SENT)
    assert ggf.read(game, ggf.write(game, position)) == position
    for text, error in (("B[F5]", PositionError), ("BO[8 ", PositionError), (GAME_SENT + "B[A1]", MoveError)):
        with pytest.raises(error):
            ggf.read(game, text)
    assert issubclass(MoveError, GameError)


# Gomocup for gomoku


def point(line: str) -> tuple[int, int]:
    x, y = line.split(",")
    return int(x), int(y)


def test_gomocup_begins_answers_and_ends() -> None:
    talk = Talk("gomocup")
    assert talk.say("BEGIN") == ["ERROR START comes first"]
    assert talk.say("START 15") == ["OK"]
    (first,) = talk.say("BEGIN")
    assert max(point(first)) < 15
    taken = {first}
    for enemy in ("0,0", "2,0", "4,0", "6,0"):
        (answer,) = talk.say(f"TURN {enemy}")
        taken |= {enemy}
        assert answer not in taken
        taken |= {answer}
    assert not talk.session.hear("END")


def test_gomocup_takes_a_whole_board_and_sees_its_own_four() -> None:
    lines = Talk("gomocup").say(
        *("START 15", "BOARD", "3,7,1", "3,8,2", "4,7,1", "4,8,2", "5,7,1", "5,8,2", "6,7,1", "6,8,2", "DONE")
    )
    assert lines[0] == "OK"
    assert lines[1] in ("2,7", "7,7")
    lines = Talk("gomocup").say("START 19", "BOARD", "9,9,2", "DONE")  # as the second player it is white
    assert len(lines) == 2 and point(lines[1]) != (9, 9)


def test_gomocup_takes_stones_back_and_starts_again() -> None:
    talk = Talk("gomocup")
    answer = talk.say("START 15", "TURN 7,7")[-1]
    assert talk.say(f"TAKEBACK {answer}", "TAKEBACK 7,7") == ["OK", "OK"]
    assert talk.say("TAKEBACK 7,7")[0].startswith("ERROR")
    assert talk.say("RESTART", "BEGIN")[0] == "OK"


def test_gomocup_plays_the_rules_that_info_names() -> None:
    talk = Talk("gomocup")
    assert talk.say("START 15", "INFO rule 1", "INFO folder /tmp", "INFO max_memory 0") == ["OK"]
    assert talk.session._game.rules.exact_five
    assert talk.say("INFO rule 2")[0].startswith("ERROR INFO rule is one of")


def test_gomocup_keeps_a_reserve_of_the_time_for_a_turn() -> None:
    session: GomocupSession = Talk("gomocup", "random").session
    session.hear("INFO timeout_turn 1000")
    session.hear("INFO timeout_match 60000")
    session.hear("INFO time_left 4000")
    assert session._limits().time_s == pytest.approx(0.2)
    session.hear("INFO time_left 2147483647")
    assert session._limits().time_s == pytest.approx(SHARE)
    session.hear("INFO timeout_turn 0")
    limit = session._limits().time_s
    assert limit is not None
    assert 0 < limit <= 0.05


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["BOARD", "1,1,1", "1,1,2", "DONE"], "ERROR BOARD lists a point twice"),
        (["BOARD", "1,1,9", "DONE"], "ERROR '1,1,9': a stone is 1"),
        (["BOARD", "1,1,1", "2,2,1", "3,3,1", "DONE"], "ERROR 3 stones against 0"),
        (["BOARD", "rubbish", "DONE"], "ERROR 'rubbish' is not 3 whole numbers"),
        (["TURN 3,3", "TURN 3,3"], "ERROR 3,3 is occupied"),
        (["TURN 3,3", "BEGIN"], "ERROR BEGIN opens an empty board"),
        (["BOARD", *(f"{x},0,{n}" for n in (1, 2) for x in range(7 * n - 7, 7 * n - 2)), "DONE"], "ERROR"),
    ],
)
def test_gomocup_refuses_boards_that_cannot_be(lines: list[str], answer: str) -> None:
    talk = Talk("gomocup")
    assert talk.say("START 15", *lines)[-1].startswith(answer)


REFUSED = {
    "uci": [
        ("dance", "unknown command 'dance'"),
        ("position", "position not changed"),
        ("position startpos moves z9", "no point 'z9'"),
        ("position startpos moves a1 a1", "a1 is occupied"),
        ("position startpos moves a1 xd1", "no mill was just closed"),
        ("position startpos moves a7 a1 d7 d1 g7 d2", "a man must be taken first"),
        ("position fen rubbish", "is no position of morris"),
        ("position fen OOO*****/********/******** w p p 2 7 0 9", "shows other numbers of men"),
        ("go depth x", "depth is followed by a whole number"),
        ("setoption name Magic value 3", "there is no option 'Magic'"),
        ("\x00\x01\ufffd", "unknown command"),
    ],
    "nboard": [
        ("dance", "unknown command"),
        ("set depth deep", "set depth takes a whole number"),
        ("set game (;GM[Go];)", "is no game: it has no BO"),
        ("set game (;BO[8 xx *];)", "is not 64 characters"),
        (f"set game {GAME_SENT.replace('W[F6', 'B[F6')}", "it is white's turn"),
        ("move A1", "turns no disc over"),
        ("move", "is no move"),
        ("hint many", "hint takes a whole number"),
    ],
    "gomocup": [
        ("START 4", "boards have 15 or 19 lines, not 4"),
        ("START", "START takes a whole number"),
        ("RECTSTART 15,19", "boards are square"),
        ("TURN 15,0", "15,0 is no point"),
        ("TURN a,b", "'a,b' is not 2 whole numbers"),
        ("TURN -1,3", ""),
        ("INFO timeout_turn soon", "timeout_turn takes a whole number"),
    ],
}
ALIVE = {"uci": ("info string ", "isready", "readyok"), "nboard": ("warning ", "ping 1", "pong 1")}
ALIVE["gomocup"] = ("ERROR ", "START 15", "OK")


@pytest.mark.parametrize(
    ("protocol", "line", "words"), [(name, *one) for name, all_of in REFUSED.items() for one in all_of]
)
def test_what_cannot_be_obeyed_is_told_and_the_talk_goes_on(protocol: str, line: str, words: str) -> None:
    error, asked, answer = ALIVE[protocol]
    talk = Talk(protocol)
    talk.say(*(["START 15"] if protocol == "gomocup" else []))
    told = talk.say(line)
    assert told[0].startswith(error) and words in told[0]
    assert talk.say(asked) == [answer]


@pytest.mark.parametrize(
    ("line", "answer"), [("DANCE", "UNKNOWN DANCE"), ("DAN\rCE", "UNKNOWN DAN CE"), ("ABOUT", 'name="Kibitzer"')]
)
def test_gomocup_answers_and_goes_on(line: str, answer: str) -> None:
    talk = Talk("gomocup")
    talk.say("START 15")
    assert talk.say(line)[0].startswith(answer)
    assert talk.say("BEGIN")[0].count(",") == 1


# The command


def engine(text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "daemon.cli", "engine", *arguments]
    return subprocess.run(command, input=text, capture_output=True, cwd=ROOT, timeout=120, check=False)


def test_the_command_survives_garbage_and_ends_with_its_input() -> None:
    text = b"START 15\n\xff\xfe\x00\n" + b"X" * 200_000 + b"\nBEGIN\n"
    done = engine(text, "--game", "gomoku", "--protocol", "gomocup", "--player", "random:seed=1")
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "OK"
    assert lines[-1].count(",") == 1
    assert all(line.startswith("UNKNOWN") for line in lines[1:-1])


def test_the_command_refuses_a_protocol_of_another_game_and_a_player_that_is_not_there(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def refused(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["engine", *arguments])
        said, errors = capfd.readouterr()
        assert (ended.value.code, said) == (2, "")
        return errors

    assert refused("--game", "morris", "--protocol", "nboard") == (
        "kibitzer engine: nboard is spoken for reversi, not for nine_mens_morris\n"
    )
    for board in ("six", "three"):
        told = refused("--game", "morris", "--protocol", "uci", "--rule", board)
        assert f"uci is spoken for morris on board nine, not on board {board}" in told
    told = refused("--game", "gomoku", "--protocol", "gtp", "--rule", "swap2=true")
    assert told == "kibitzer engine: gtp has no words for the choices of swap2=true\n"
    told = refused("--game", "reversi", "--protocol", "nboard", "--player", "nobody")
    assert "there is no agent 'nobody'" in told


@pytest.mark.parametrize(("option", "value"), [("MoveTime", "1"), ("MoveTimeMs", "300")])
def test_uci_keeps_the_time_that_an_option_sets_for_a_go_without_limits(option: str, value: str) -> None:
    talk = Talk("uci", "mcts:nodes=1000000000")
    assert any(line.startswith(f"option name {option} type spin") for line in talk.say("uci"))
    began_s = time.monotonic()
    *_, best = talk.say(f"setoption name {option} value {value}", "position startpos", "go")
    assert best.startswith("bestmove ")
    assert time.monotonic() - began_s > 0.1
    assert talk.say(f"setoption name {option} value ever") == [
        f"info string {option} is a whole number from 0 to {3600 if option == 'MoveTime' else 3600000}, not 'ever'"
    ]


def test_uci_scores_are_whites_whoever_is_to_move() -> None:
    lost_for_white = "OO*O****/@@@**@**/@******* {side} m s 3 0 5 0"
    talk = Talk("uci", "minimax:depth=1")
    for side in "wb":
        *_, info, _ = talk.say(f"position fen {lost_for_white.format(side=side)}", "go depth 1")
        words = info.split()
        assert int(words[words.index("score") + 2]) < 0


def test_nboard_waits_for_the_code_before_it_says_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("agents.protocols.session.Thinking.wait_for_code", lambda _, s=0.0: waited.append(s))
    assert Talk("nboard").say("nboard 2") == ["set myname Kibitzer"]
    assert waited


def test_uci_is_spoken_for_chess_with_claims_left_out_and_scores_of_the_mover() -> None:
    kernels.load("chess")  # else the first answers are the plain search's, without its score
    talk = Talk("uci", "alphabeta:depth=2", "chess")
    best = talk.say("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "go depth 1")[-1].split()
    assert best[0] == "bestmove" and len(best[1]) == 4
    info, best_move = talk.say("position fen k7/8/8/8/8/8/1q6/7K b - - 0 1", "go depth 2")
    assert best_move.startswith("bestmove ") and "score cp " in info and "score cp -" not in info
    assert talk.say("position fen 8 w - - 0 1")[0].startswith("info string position not changed")


def test_uci_tells_castling_by_the_rook_once_chess960_is_switched_on() -> None:
    talk = Talk("uci", "random", "chess")
    session, lines = talk.session, talk.lines

    def castling() -> list[str]:
        session.hear("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        position = session._standing.position
        return session._tokens(position, session._game.parse_move(position, "O-O"))

    session.hear("uci")
    assert "option name UCI_Chess960 type check default false" in lines and castling() == ["e1g1"]
    session.hear("setoption name uci_chess960 value true")
    assert castling() == ["e1h1"]
    session.hear("position startpos moves e2e4")
    assert session._standing.position == line_of_play(games.load("chess"), ["e4"])[-1]
    session.hear("setoption name UCI_Chess960 value false")
    session.hear("setoption name UCI_Chess960 value maybe")
    assert castling() == ["e1g1"] and lines[-1] == "info string UCI_Chess960 is true or false, not 'maybe'"
    session.close()
