"""Records as other programs and people write them: what departs from a format is taken as it is meant, and named."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pkgutil
import time
import zipfile
from pathlib import Path

import chess
import pytest

import games
from daemon.record.formats.formats import content_of
from daemon.record.formats.imported import ImportFault
from daemon.record.formats.reading import read_games, read_several
from daemon.record.stored_game import COMMENT, StoredGame, StoredNote
from rules import PositionError

HEAD = '[Event "Club"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n'


def read(text: str, name: str) -> list[StoredGame]:
    found = list(read_several(text, name))
    assert all(isinstance(one, StoredGame) for one in found), found
    return [one for one in found if isinstance(one, StoredGame)]


def one(text: str, name: str) -> StoredGame:
    (game,) = read(text, name)
    return game


@pytest.mark.parametrize(
    ("moves", "played", "told"),
    [
        ("1 d4 d5 2 c4 e6 *", "d4 d5 c4 e6", "no dots"),
        ("1. d4 {a { within} d5 *", "d4 d5", ""),
        ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O\u2013O *", "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O", "hyphens"),
        ("1. e4 f5 2. Qh5ch g6 3. Be2 e.p. *", "e4 f5 Qh5+ g6 Be2", "check ch"),
        ("1. d4 d5 2. -- Nf6 3. c4 *", "d4 d5", "from move 2 on the moves are left out"),
        ("1. d4 \ufeffd5 *\x1a\x1a", "d4 d5", "Ctrl-Z"),
    ],
)
def test_moves_are_read_as_people_write_them(moves: str, played: str, told: str) -> None:
    game = one(HEAD + "\n" + moves, "x.pgn")
    assert " ".join(game.moves) == played
    assert told in "; ".join(game.departures) and bool(told) == bool(game.departures)


@pytest.mark.parametrize(
    ("result", "winner"),
    [("1/2", None), ("\u00bd\u2013\u00bd", None), ("0.5-0.5", None), ("1\u20130", 0), ("0:1", 1)],
)
def test_results_are_read_as_people_write_them(result: str, winner: int | None) -> None:
    game = one(f"{HEAD.replace('*', result)}\n1. d4 d5 {result}", "x.pgn")
    assert game.outcome is not None and game.outcome.winner == winner and game.departures


def test_a_forfeit_is_a_result_and_elsewhere_the_same_signs_judge_a_position() -> None:
    forfeit = one(HEAD.replace("*", "-/+") + "\n-/+", "x.pgn")
    assert forfeit.outcome is not None and forfeit.outcome.winner == 1 and "-/+" in forfeit.departures[0]
    judged = one(HEAD + "\n1. d4 +/- d5 *", "x.pgn")
    assert judged.outcome is None and judged.moves == ("d4", "d5")


def test_moves_after_the_end_by_the_rules_are_kept_and_written_again() -> None:
    there_and_back = " ".join(f"{2 * n + 1}. Nf3 Nf6 {2 * n + 2}. Ng1 Ng8" for n in range(5))
    game = one(f"{HEAD}\n{there_and_back} 11. e4 *", "x.pgn")
    assert len(game.plies) == 21 and game.outcome is None
    assert "after move 8... the game had ended (repetition): the moves after it are kept" in game.departures
    assert one(content_of(game, "pgn").decode(), "x.pgn").moves == game.moves


def test_dates_clocks_and_time_controls_come_out_as_they_went_in() -> None:
    text = (
        '[Event "Club"]\n[Date "1901.??.??"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n[TimeControl "40/7200:3600"]\n'
        '[Termination "Time forfeit"]\n\n1. d4 {[%clk 1:59:58.3]} d5 {[%clk 1:59:51]} 1-0\n'
    )
    game = one(text, "x.pgn")
    assert game.outcome is not None and game.outcome.reason == "time"
    written = content_of(game, "pgn").decode()
    for kept in ('[Date "1901.??.??"]', '[TimeControl "40/7200:3600"]', "%clk 1:59:58.3]", "%clk 1:59:51]"):
        assert kept in written
    assert '[Termination "time forfeit"]' in written and "UTCTime" not in written


def test_quotation_marks_in_a_tag_need_not_be_escaped() -> None:
    game = one('[Event "The "Old" Club"]\n[White "A"]\n[Black "B"]\n\n1. d4 d5 *', "x.pgn")
    assert game.event["name"] == 'The "Old" Club' and "not escaped" in game.departures[0]


def test_a_position_alone_makes_a_pgn_of_chess() -> None:
    game = one('[SetUp "1"]\n[FEN "7k/8/5K2/6Q1/8/8/8/8 w"]\n\n1. Qg7# *', "x.pgn")
    assert game.game == "chess" and game.moves == ("Qg7#",)


@pytest.mark.parametrize(
    ("text", "plies", "rules", "told"),
    [
        ("(;SZ[9]KM[0.5];B[ee];W[cc])", 2, {"komi": "0.5"}, "no GM"),
        ("(;GM[1]SZ[9]KM[7,5];B[ee])", 1, {"komi": "7.5"}, "KM[7,5]"),
        ("(;GM[1]SZ[19]KM[375];B[dd])", 1, {"komi": "7.5"}, "KM[375]"),
        ("(;GM[1]SZ[9];B[ee])", 1, {"komi": "0"}, "no komi"),
        ("(;GM[1]SZ[9]HA[2]KM[0.5];AB[cg][gc];W[ee])", 1, {"handicap": "2"}, "second node"),
        ("(;GM[1]SZ[9]HA[2]KM[0.5];B[cg];B[gc];W[ee])", 1, {"handicap": "2"}, "handicap stones"),
        ("(;GaMe[1]SiZe[9]KoMi[0.5];Black[ee];White[cc])", 2, {"komi": "0.5"}, "small letters"),
        ("Subject: a game\n\n(;GM[1]SZ[9]KM[0.5];B[ee])", 1, {"komi": "0.5"}, "before the record"),
        ("(;GM[1]SZ[9]KM[0.5]AB[];B[ee]PL[W];W[cc])", 2, {"komi": "0.5"}, "AB[] sets up nothing"),
        ("(;GM[1]SZ[9]KM[0.5];B[ee];W[tt];B[tt];W[tt])", 3, {"komi": "0.5"}, "after move 3"),
    ],
)
def test_go_is_read_as_programs_write_it(text: str, plies: int, rules: dict[str, str], told: str) -> None:
    game = one(text, "x.sgf")
    assert game.game == "go" and len(game.plies) == plies and rules.items() <= game.rules.items()
    assert told in "; ".join(game.departures)
    assert bool(told) == bool(game.departures)


@pytest.mark.parametrize(
    ("text", "name", "plies"),
    [
        ("(;GM[1]SZ[9]KM[0.5]C[a ) (; b];B[ee](;W[cc])(;W[dd]))\n(;GM[1]SZ[9]KM[0.5];B[cc])", "x.sgf", [2, 1]),
        ("2 " + 2 * ("(;GM[Othello]PC[x]PB[A]PW[B]RE[?]BO[8 " + "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27
                     + " *]B[f5]W[d6];)"), "x.ggf", [2, 2]),
        (HEAD + "\n1. d4 *\n\x1a\n\ufeff" + HEAD + "\n1. e4 e5 *", "x.pgn", [1, 2]),
    ],
)  # fmt: skip
def test_every_game_of_a_file_is_read(text: str, name: str, plies: list[int]) -> None:
    assert [len(game.plies) for game in read(text, name)] == plies


@pytest.mark.parametrize(
    ("tags", "moves", "played"),
    [
        ('[GameType "21"]', "1 11-15 22-17 2 8-11 *", "11-15 22-17 8-11"),
        ('[GameType "21"]', "1. 1115 2217 *", "11-15 22-17"),
        ('[GameType "21"]', "1. 11-15* 22-17 *", "11-15 22-17"),
        ('[GameType "21"]\n[SetUp "1"]\n[FEN "B:W14,22,32:B10,3"]', "1. 10x17 17x26 *", "10x26"),
        ('[GameType "25"]\n[SetUp "1"]\n[FEN "W:Wc3,Ka1:Bh6,h8"]', "1. c3-d4 *", "22-18"),
        ('[Variant "Standard"]\n[GameType "20"]', "1. 32-28 *", "32-28"),
    ],
)
def test_draughts_are_read_as_people_write_them(tags: str, moves: str, played: str) -> None:
    game = one(f'[Event "Club"]\n{tags}\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n{moves}', "x.pdn")
    assert game.game == "draughts" and " ".join(game.moves) == played


def test_a_time_below_nought_is_none() -> None:
    game = one("Piskvorky 15x15, 0:0, 0\n8,8,0\n9,9,-1\n8,9,1500\n", "x.psq")
    assert [ply.spent_s for ply in game.plies] == [0.0, None, 1.5]


PGN = HEAD + "\n1. e4 f5 2. Qh5+ g6 *"
SGF = "(;FF[4]GM[1]SZ[9]KM[6.5]C[a [b\\];B[ee];W[cc])"
PDN = '[Event "Club"]\n[Date "1901.??.??"]\n[GameType "21"]\n[Result "*"]\n\n1. 11-15 22-17 2. 15-18 *'
SHORT = HEAD + '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 Ke7 *'
ENGLISH = '[Event "x"]\n[GameType "21"]\n[FEN "W:W21,K22:B1-3"]\n\n1. 22-18 *'
DATED = HEAD + '[Site "1"]\n[Date "2026.07.28"]\n[TimeControl "40/7200"]\n\n1. e4 *'
DRAWN = PGN.replace("*", "1/2-1/2")
GGF = "(;GM[Othello]PB[A]PW[B]BO[8 " + "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27 + " *]B[f5]W[d6];)"
PSQ = "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,9,1\n"
ALONE = [
    ("x.pgn", PGN, "Qh5+", "Qh5ch", "the check ch is not written as + or #"),
    ("x.pgn", PGN, "Qh5+", "Qh5++", "the check ++ is not written as + or #"),
    ("x.pgn", PGN, "Qh5+", "Qh5 dblch", "the sign dblch beside a move is passed over"),
    ("x.pgn", PGN, "Qh5+", "Qh5+ \u00b1", "the sign \u00b1 beside a move is passed over"),
    ("x.pgn", PGN, "Qh5+", "Qh5+ ?!", "the sign ?! beside a move is passed over"),
    ("x.pgn", PGN, "Qh5+", "Qd1-h5+", "moves are not in standard algebraic notation, such as Qd1-h5+"),
    ("x.pgn", PGN, "e4", "e2e4", "moves are not in standard algebraic notation, such as e2e4"),
    ("x.pgn", PGN, " g6 *", " g6", "no result ends the moves"),
    ("x.pgn", DRAWN, "g6 1/2-1/2", "g6 \u00bd-\u00bd", "the result \u00bd-\u00bd is read as 1/2-1/2"),
    ("x.pgn", PGN, "g6 *", "g6 0-1", "the moves end with 0-1, not with the result * of the tag: the former counts"),
    ("x.pgn", PGN, '"*"', '"1-0 forfeit"', "the result '1-0 forfeit' of the tag is passed over"),
    ("x.pgn", PGN, '[White "A"]', '[White "A"]\n[White "C"]', "the tag White stands twice: the first counts"),
    ("x.pgn", DATED, "2026.07.28", "5/2026", "the date '5/2026' is not written as 2026.07.28"),
    ("x.pgn", DATED, "40/7200", "G/60", "TimeControl 'G/60' is kept as it is: no clock runs so"),
    ("x.pgn", SHORT, " - - 0 1", "", "the FEN has 2 of its six fields: what it leaves out is none"),
    ("x.pgn", SHORT, " 0 1", "", "the FEN has 4 of its six fields: what it leaves out is none"),
    ("x.pgn", SHORT, " 0 1", " 0", "the FEN has 5 of its six fields: what it leaves out is none"),
    ("x.pgn", DATED, "Site", "SetUp", "SetUp is 1, and there is no FEN: the game begins as usual"),
    ("x.pdn", PDN, "15-18", "15-18*", "the sign * beside a move is passed over"),
    ("x.pdn", PDN, "15-18", "1518", "squares are written by two digits, without a hyphen"),
    ("x.pdn", PDN, "2. 15", "2 15", "move numbers have no dots"),
    ("x.pdn", ENGLISH, "K22", "Kc3", "the FEN names squares by letters, and this GameType by numbers"),
    ("x.pdn", ENGLISH, "W:W21", "W: w21", "the FEN has blanks or other letters than W, B and K"),
    ("x.sgf", SGF, "KM[6.5]", "KM[6.5]AW[]", "AW[] sets up nothing"),
    ("x.sgf", SGF, ";W[cc]", ";W[cc]PL[B]", "PL after the first node is passed over"),
    ("x.sgf", SGF, ";W[cc]", ";W[cc];AE[]", "AE[] sets up nothing"),
    ("x.sgf", SGF, "KM[6.5]", "KM[6,5]", "KM[6,5] is read as 6.5"),
    ("x.psq", PSQ, "9,9,1", "9,9,-1", "a time below nought is none"),
]  # fmt: skip
"""A file that follows its standard, what of it is written otherwise, and what alone is told of that."""


@pytest.mark.parametrize(("name", "text", "part", "written", "told"), ALONE)
def test_each_departure_is_named_and_no_other(name: str, text: str, part: str, written: str, told: str) -> None:
    assert text.count(part) == 1
    assert one(text.replace(part, written), name).departures == (told,)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *sorted({(name, text) for name, text, *_ in ALONE}),
        ("x.pgn", PGN.replace("g6", "{a { within} g6 $14 {[%clk 0:01:00]}")),
        ("x.pgn", PGN.replace("g6 *", "; {\n2. ... g6! (2... Kd8?? 3. d4) *")),
        ("x.pgn", SHORT.partition("Result")[0].partition("[Event")[0] + SHORT[SHORT.index("[SetUp") :]),
        ("x.pgn", PGN.replace('[White "A"]', '[Date "1858.??.??"]\n[TimeControl "40/7200:3600"]')),
        ("x.pdn", PDN.replace("15-18", "15-18(!) {a word}").replace('"21"]', '"21"]\n[Variant "Checkers"]')),
        ("x.pdn", PDN.replace("11-15", "11-15!").replace("22-17", "22-17 $7")),
        ("x.pdn", '[GameType "25"]\n[FEN "W:Wc3,Ka1:Bh6,h8"]\n\n1. c3d4 h8-g7 2. a1-b2 *'),
        ("x.pdn", '[GameType "21,B,8,8,A0,0"]\n[FEN "W:Wc3,Ka1:Bh6,h8"]\n\n1. c3-d4 *'),
        ("x.pdn", '[GameType "20"]\n[Result "2-0"]\n\n1. 32-28 2-0'),
        ("x.sgf", SGF.replace("6.5", "6.50")),
    ],
)
def test_what_follows_its_standard_departs_in_nothing(name: str, text: str) -> None:
    assert one(text, name).departures == ()


def test_a_short_fen_leaves_out_what_another_program_leaves_out() -> None:
    fields = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 3 9".split()
    game = games.load("chess")
    for count in range(2, 7):
        text = " ".join(fields[:count])
        assert game.format_position(game.parse_position(text)) == chess.Board(text).fen()


def test_a_tag_in_a_comment_is_kept_as_its_words() -> None:
    game = one(f'{HEAD}\n1. e4 {{see\n[Site "Paris"]\nthere}} e5 *', "x.pgn")
    assert game.comments == {1: 'see [Site "Paris"] there'} and "site" not in game.event


def test_a_comment_with_a_brace_comes_back() -> None:
    game = one(PGN.replace("g6", "{a { within \u00bd} g6"), "x.pgn")
    assert game.comments == {3: "a { within \u00bd"}
    assert one(content_of(game, "pgn").decode(), "x.pgn").comments == game.comments


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.sgf", "(;GM[1]SZ[9]KM[1e999];B[ee])"),
        ("x.sgf", "(;GM[1]SZ[9]KM[1e99999999];B[ee])"),
        ("x.sgf", "(;GM[1]SZ[9]KM[1/0];B[ee])"),
        ("x.sgf", "(;GM[1]SZ[9]HA[2]KM[0.5];C[x];B[gc];W[ee])"),
        ("x.sgf", "(;GM[1]SZ[9]HA[2]KM[0.5];C[x];B[gc];C[y];B[cg];W[ee])"),
        ("x.pgn", PGN.replace("g6", "g6 {[%clk[%emt 0:00:01] 0:09:56 ] a} {[%clk} {0:01:00] b}")),
        ("x.ggf", GGF.replace("f5", "f5//1.5\x1f")),
        ("x.pgn", PGN.replace(" *", ' {a "b"]\n [Result "*"] c} *')),
        ("x.pgn", PGN.replace("g6", "g6 {[%cl\u202ek 0:09:56] a}")),
    ],
)
def test_what_broke_a_reader_once_is_read_and_comes_back(name: str, text: str) -> None:
    game, chosen = one(text, name), name[2:]
    again = one(content_of(game, chosen).decode(), name)
    assert (again.moves, again.rules, again.comments) == (game.moves, game.rules, game.comments)


def test_a_zip_with_a_broken_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tiles.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("1_01\u00e9.txt", "8H 6")
    path.write_bytes(path.read_bytes().replace("\u00e9".encode(), b"\xfc\xfc"))
    with pytest.raises(ImportFault, match="cannot be unpacked"):
        list(read_games(path))


def test_small_letters_in_a_ggf_lose_no_move() -> None:
    game = one(GGF.replace("GM[", "gm[").replace("B[f5]W[", "b[F5]w["), "x.ggf")
    assert game.moves == ("f5", "d6") and game.departures == ("names of properties are in small letters",)


@pytest.mark.parametrize("won", ["B+3.5", "W+9.5"])
def test_a_counted_game_of_go_comes_back_from_json_whoever_won_it(won: str) -> None:
    game = one(f"(;GM[1]SZ[9]KM[6.5]RE[{won}];B[cc];W[gc];B[];W[])", "x.sgf")
    assert game.outcome is not None and game.outcome.winner == "BW".index(won[0])
    again = one(content_of(game, "json").decode(), "x.json")
    assert (again.outcome, again.moves) == (game.outcome, game.moves)


@pytest.mark.parametrize("time", ["TM[600]OT[-1 fischer]", "TM[-600]", "TM[5000000]", "OT[-1 simple]"])
def test_a_time_control_that_cannot_be_is_none_and_the_game_comes_back(time: str) -> None:
    game = one(SGF.replace("KM", f"{time}KM"), "x.sgf")
    assert not game.clock and one(content_of(game, "json").decode(), "x.json").clock == game.clock


def test_what_a_document_says_of_the_event_is_no_longer_than_another_format_keeps() -> None:
    document = json.loads(content_of(one(HEAD.replace("Club", "Old Club") + "\n1. e4 *", "x.pgn"), "json"))
    (note,) = (note for note in document["notes"] if note["kind"] == "event")
    note["data"]["round"] = "x" * 5000
    game = one(json.dumps(document), "x.json")
    assert one(content_of(game, "pgn").decode(), "x.pgn").event == game.event == {"name": "Old Club", "round": "x" * 64}


def test_a_file_of_many_games_reads_the_list_of_games_once(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = []
    games.shipped.cache_clear()
    monkeypatch.setattr(
        "pkgutil.iter_modules", lambda path, real=pkgutil.iter_modules: listed.append(path) or real(path)
    )
    assert len(read((PGN + "\n") * 20, "x.pgn")) == 20 and len(listed) <= 1


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.pgn", PGN + " {%s"), ("x.sgf", "(;GM[1]C%s"), ("x.ggf", "(;GM[Othello]%s;)"), ("x.pdn", PDN[:-1] + "%s *")],
)
@pytest.mark.parametrize("part", ["{", "[", "A[", "18x11 11x18 ", "A"])
def test_a_longer_file_takes_no_more_than_its_share_of_time(name: str, text: str, part: str) -> None:
    spent_s = []
    for count in (5_000, 80_000):
        begun_s = time.process_time()
        with contextlib.suppress(ImportFault):
            list(read_several(text % (part * (count // len(part))), name))
        spent_s.append(time.process_time() - begun_s)
    assert spent_s[1] < 0.5 + 64 * spent_s[0]  # 16 times the length; the square of it is 256


GIVEN: dict[str, list[tuple[str, int]]] = {
    "a2_handicap_node2_fox.sgf": [("go", 2)],
    "a4_igs3pass.sgf": [("go", 4)],
    "b2_km_fox_0_ha.sgf": [("go", 4)],
    "d09_russianfen.pdn": [("draughts", 1)],
    "d13_variant_std.pdn": [("draughts", 2)],
    "d17_nodots.pdn": [("draughts", 3)],
    "e10_star.pdn": [("draughts", 2)],
    "e1c_stepwise.pdn": [("draughts", 2)],
    "e2_digits.pdn": [("draughts", 3)],
    "g02_two.ggf": [("reversi", 2), ("reversi", 2)],
    "p01_no_dots.pgn": [("chess", 6)],
    "p02_brace_in_comment.pgn": [("chess", 3)],
    "p03_half_result.pgn": [("chess", 4)],
    "p04_null_main.pgn": [("chess", 1)],
    "p06_quotes_in_tag.pgn": [("chess", 2)],
    "p07_endash_castle.pgn": [("chess", 8)],
    "p25_shortfen.pgn": [("chess", 2)],
    "p35_forfeit.pgn": [("chess", 0)],
    "q06_tags_fen_only.pgn": [("chess", 2)],
    "q07_negtime.psq": [("gomoku", 3)],
    "q08_bom_mid.pgn": [("chess", 2), ("chess", 2)],
    "q12_5fold.pgn": [("chess", 18)],
    "r2_partial_date.pgn": [("chess", 2)],
    "s03_empty_km.sgf": [("go", 4)],
    "s08_text_before.sgf": [("go", 2)],
    "s09_longnames.sgf": [("go", 2)],
    "s10_handicap_as_moves.sgf": [("go", 2)],
    "s21_km_comma.sgf": [("go", 2)],
    "s22_two_games.sgf": [("go", 2), ("go", 3)],
    "s38_gokifu.sgf": [("go", 2)],
    "t3_clk.pgn": [("chess", 2)],
    "u1_time_forfeit.pgn": [("chess", 2)],
    "u5_crlf_trailing.pgn": [("chess", 2)],
}


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_records_of_real_programs_are_read_whole(real_data: Path, name: str) -> None:
    found = list(read_games(real_data / "records" / name))
    kept = [one for one in found if isinstance(one, StoredGame)]
    assert [(game.game, len(game.plies)) for game in kept] == GIVEN[name] and len(kept) == len(found)
    for game in kept:
        chosen = {"chess": "pgn", "go": "sgf", "draughts": "pdn", "reversi": "ggf", "gomoku": "sgf"}[game.game]
        (again,) = read_several(content_of(game, chosen).decode(), f"x.{chosen}")
        assert isinstance(again, StoredGame)
        assert (again.moves, again.outcome, again.players) == (game.moves, game.outcome, game.players)


def test_an_illegal_move_is_refused_by_its_number_and_rule(real_data: Path) -> None:
    with pytest.raises(ImportFault, match=r"move 2\.\.\., Nf6: in_check"):
        list(read_games(real_data / "records" / "s2_illegal_check.pgn"))


@pytest.mark.parametrize(("rules", "fen"), [("english", "W:Wa2:Bb6"), ("international", "W:Wc3:Bb6")])
def test_a_square_that_the_board_lacks_makes_no_position(rules: str, fen: str) -> None:
    with pytest.raises(PositionError, match="there is no square"):
        games.load("draughts", {"set": rules}).parse_position(fen)


@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\u200e"])
def test_signs_that_nobody_sees_do_not_change_what_a_tag_says(hidden: str) -> None:
    text = f'[Date "2024.01{hidden}.02"]\n[White "A"]\n[Black "B"]\n[TimeControl "600{hidden}+2"]\n\n1. e4 *\n'
    game = one(text, "game.pgn")
    assert game.started.startswith("2024-01-02") and game.clock["time_s"] == 600.0
    assert not {"date", "control"} & game.event.keys()
    in_sgf = one(f"(;GM[1]FF[4]SZ[9]KM[6.5]DT[2024-01{hidden}-02];B[ee])", "game.sgf")
    assert in_sgf.started.startswith("2024-01-02") and "date" not in in_sgf.event


def test_a_day_counts_where_its_time_cannot_be() -> None:
    game = one('[Date "2026.07.28"]\n[UTCTime "25:00:00"]\n[White "A"]\n\n1. e4 *\n', "game.pgn")
    assert game.started.startswith("2026-07-28T00:00:00") and "date" not in game.event


def test_a_comment_of_no_words_is_none() -> None:
    game = one('[White "A"]\n\n1. e4 *\n', "game.pgn")
    noted = dataclasses.replace(game, notes=(StoredNote(COMMENT, " ", {}, 0, game.started),))
    assert noted.comments == {}
