"""Chess in PGN and draughts in PDN: read with all that other programs write, and written so that they read it."""

from __future__ import annotations

import io
import random
import re

import chess
import chess.engine
import chess.pgn
import pytest

import games
from daemon.record.formats.imported import Imported, ImportedPly, ImportFault, judged
from daemon.record.formats.movetext import to_movetext
from daemon.record.formats.played import play_again
from daemon.record.formats.reading import read_text
from daemon.record.stored_game import StoredGame
from games.chess import tags

ANNOTATED = """[Event "Club"]
[Site "?"]
[Date "2026.05.01"]
[Round "1"]
[White "Ana"]
[Black "Ben"]
[Result "1-0"]

% a line for another program
1.e4 {the king's pawn [%clk 0:09:58]} e5!? 2. Bc4 (2. Nf3 {usual (and good)} Nc6 (2... Nf6 3. Nxe5) 3. Bb5) 2...Nc6 $1
3. Qh5?! ; threatens mate
3... Nf6?? $4 4. Qxf7# 1-0
"""
THEIRS = """[Event "Cup"]
[White "Ana"]
[Black "Ben"]
[Result "1-1"]
[GameType "20,W,10,10,N2,0"]

1. 32-28 {a good start} 19-23 $1 2. 28x19 14x23 ; they go on
3. 37-32! (3. 37-31 {or so} (3. 34-29) 10-14) 10-14 1-1
"""
FROM_FEN = '[White "A"]\n[SetUp "1"]\n[FEN "4k3/P7/8/8/8/8/7P/4K3 w - - 0 40"]\n\n40. a8=N Kd7 41. Nb6+ *\n'
SHUFFLED = (
    '[White "A"]\n[Variant "Fischerandom"]\n[FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"]\n\n1. f4 *'
)


def written(text: str) -> tuple[str, chess.pgn.Game]:
    """Our PGN of a game that was read, and what another program makes of it."""
    out = to_movetext(play_again(read_text(text, "game.pgn")))
    parsed = chess.pgn.read_game(io.StringIO(out))
    assert parsed is not None and not parsed.errors
    return out, parsed


def test_comments_are_kept_and_variations_and_signs_are_read_over() -> None:
    stored = read_text(ANNOTATED, "game.pgn")
    assert stored.game == "chess" and stored.players == ("Ana", "Ben")
    assert stored.moves == ("e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#")
    assert stored.outcome is not None and (stored.outcome.winner, stored.outcome.reason) == (0, "checkmate")
    assert stored.comments == {1: "the king's pawn", 5: "threatens mate"}


def test_comments_are_written_as_they_were_read() -> None:
    long = "many words " * 50
    body = f"{{before it}} 1. e4 {{early; %eval}} {{again}} ({{or}} 1. d4) e5 ; so {{far\n2. Nf3 {{{long}}} * {{left}}"
    out, parsed = written(f'[White "A"]\n\n{body}')
    assert parsed.comment == "before it"
    told = [" ".join(node.comment.split()) for node in parsed.mainline()]
    assert told == ["early; %eval again", "so (far", long[:512].strip()]
    assert to_movetext(play_again(read_text(out, "again.pgn"))) == out


@pytest.mark.parametrize("text", [ANNOTATED, FROM_FEN, SHUFFLED])
def test_what_is_written_is_the_same_game_to_another_program_and_to_us(text: str) -> None:
    out, parsed = written(text)
    theirs = chess.pgn.read_game(io.StringIO(text))
    assert theirs is not None
    assert list(parsed.mainline_moves()) == list(theirs.mainline_moves())
    assert parsed.board().fen() == theirs.board().fen()
    assert parsed.headers["Result"] == theirs.headers["Result"]
    told = {name: value for name in ("Event", "Site", "Round") if (value := theirs.headers.get(name, "?")) != "?"}
    assert {name: parsed.headers[name] for name in told} == told
    again, one = read_text(out, "again.pgn"), read_text(text, "game.pgn")
    assert (again.moves, again.start, dict(again.rules)) == (one.moves, one.start, dict(one.rules))


def test_a_start_position_of_chess960_is_a_rule_and_not_set_up() -> None:
    stored = read_text(SHUFFLED, "game.pgn")
    assert stored.rules["start"] != "518" and not stored.start


def test_a_set_up_start_where_black_moves_is_numbered_with_dots() -> None:
    text = '[White "A"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/P7/4K3 b - - 0 7"]\n\n7... Kd7 8. a4 *'
    out, parsed = written(text)
    assert "1... Kd7 2. a4" in out and [move.uci() for move in parsed.mainline_moves()] == ["e8d7", "a2a4"]


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("1. e4 e5 2. Ke3", "move 2, Ke3: wrong_movement"),
        ("1. e4 (1. d4 d5 2. c4) e5 2. Nf3 Ke6", "move 2..., Ke6: wrong_movement"),
        ("7... e5 8. e4 Ke6", "move 7..., e5"),
        ("1. e4 e5 2. Nf3 )", "after move 2: "),
        ("1. e4 (1. d4", "a parenthesis is not closed"),
        ("1. e4 e5)", "belongs to no move"),
        ("1. Nf3 Nf6 2. O-O", "illegal_castling"),
    ],
)
def test_what_is_no_game_is_refused_with_move_and_rule(moves: str, why: str) -> None:
    with pytest.raises(ImportFault, match=re.escape(why)):
        read_text(f'[White "A"]\n\n{moves} *', "game.pgn")


@pytest.mark.parametrize(
    ("score", "side", "text"),
    [
        (17, 0, "0.17"),
        (17, 1, "-0.17"),
        (0, 1, "0.00"),
        (-1250, 1, "12.50"),
        (999_995, 0, "#3"),
        (999_995, 1, "#-3"),
        (-999_994, 0, "#-3"),
        (-999_994, 1, "#3"),
        (-1_000_000, 0, "#-0"),
        (-1_000_000, 1, "#0"),
    ],
)
def test_an_evaluation_is_whites_in_pawns_or_the_moves_to_a_mate(score: int, side: int, text: str) -> None:
    assert (tags.evaluation_of(score, side), tags.score_of(text, side)) == (text, score)
    assert tags.score_of(f"{text},20", side) == score


def test_evaluations_of_others_are_read_for_the_mover_and_written_again() -> None:
    body = "1. e4 {[%eval 0.17]} e5 {[%eval 0.3]} 2. Nf3 {[%eval #-4]} *"
    read = read_text(f'[White "a"]\n\n{body}', "x.pgn")
    assert [ply.score for ply in read.plies] == [17, -30, -999_992]
    out, parsed = written(f'[White "a"]\n\n{body}')
    assert body.replace("0.3]", "0.30]") in out.replace("\n", " ")
    told = [node.eval() for node in parsed.mainline()]
    assert [one.white() for one in told if one] == [chess.engine.Cp(17), chess.engine.Cp(30), chess.engine.Mate(-4)]


def draughts(rules: dict[str, object], start: str = "") -> StoredGame:
    game, draw = games.load("draughts", rules), random.Random(7)
    position = game.parse_position(start) if start else game.initial()
    plies = []
    while len(plies) < 60 and (moves := game.legal_moves(position)):
        move = draw.choice(list(moves))
        plies.append(ImportedPly(game.format_move(position, move)))
        position = game.apply(position, move)
    options = {name: str(value) for name, value in vars(game.rules).items()}
    return judged(Imported("draughts", options, tuple(plies), ("Ana", "Ben"), start=start), "here")


@pytest.mark.parametrize("rules", [*games.find("draughts").about.rule_sets, "changed"])
def test_what_is_written_is_read_again(rules: str) -> None:
    stored = draughts({"flying": True, "king_plies": 70} if rules == "changed" else {"set": rules})
    text = to_movetext(play_again(stored))
    again = read_text(text, "game.pdn")
    assert (again.rules, again.players, again.outcome) == (stored.rules, stored.players, stored.outcome)
    assert [ply.move for ply in again.plies] == [ply.move for ply in stored.plies]
    assert "\n1. " in text and ("GameType" in text) and ("takes" not in text)


def test_a_game_that_was_set_up_is_written_with_its_fen() -> None:
    stored = draughts({}, "W:W18,24,K10:B12,K22")
    text = to_movetext(play_again(stored))
    assert '[FEN "W:WK10,18,24:B12,K22"]' in text and "\n1... " in text
    assert read_text(text, "game.pdn").start == stored.start


def test_what_others_write_is_read() -> None:
    read = read_text(THEIRS, "cup.pdn")
    assert [ply.move for ply in read.plies] == ["32-28", "19-23", "28x19", "14x23", "37-32", "10-14"]
    assert read.rules["size"] == "10" and read.outcome is not None and read.outcome.winner is None
    assert read_text("1. 11-15 23-19 2. 8-11 2-0", "old.pdn").outcome.winner == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (THEIRS.replace("20,W", "24,W"), "GameType 24 of PDN is another game"),
        (THEIRS.replace("14x23", "18-22"), r"move 2\.\.\., 18-22: must_take: dark must take"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(ImportFault, match=said):
        read_text(text, "cup.pdn")
