"""SGF records: what is read of each game, and what is refused."""

from __future__ import annotations

import pytest

import games
from daemon.record.formats.imported import Imported, ImportFault
from daemon.record.formats.sgf_reading import read_sgf
from rules.turns import line_of_play


def read(text: str) -> tuple[Imported, list[str]]:
    found = read_sgf(text, "", {})
    return found, [ply.text for ply in found.plies]


def test_the_main_line_is_the_first_variation_and_other_properties_are_passed_over() -> None:
    text = "(;GM[4] FF [4]\nC[a [remark\\], escaped]SZ[15];B[hh]\n(;W[ii];B[jj]) (;W[aa]))(;GM[4];B[aa])"
    assert read(text)[1] == ["h8", "i7", "j6"]


def test_a_choice_without_a_stone_is_a_ply() -> None:
    found, moves = read("(;GM[4]SZ[19]RU[swap2 exact_five];B[aa];W[ss];B[jj];KC[black])")
    assert moves == ["a19", "s1", "j10", "black"]
    assert [found.rules[name] for name in ("swap2", "exact_five", "renju")] == ["true", "true", "false"]


def test_white_begins_where_its_stone_is_the_first() -> None:
    assert read("(;GM[4];W[hh];B[ii])")[0].rules["first"] == "white"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no game in the text"),
        ("()", "no game in the text"),
        ("(;GM[4];B[hh]", "cut short"),
        ("(;GM[4];B[hh)", "'B\\[hh\\)' is no SGF"),
        ("(;GM[4]))", "not opened|outside"),
        ("(;GM[4]) and more", "'and more' is no SGF"),
        (";GM[4]", "outside the parentheses"),
        ("(GM[4])", "before the first node"),
        ("(;GM[2];B[aa])", "GM\\[2\\] is another game; we know go GM\\[1\\] and gomoku GM\\[4\\]"),
        ("(;GM[4]SZ[13];B[aa])", "size is one of 15, 19, not '13'"),
        ("(;GM[4];B[hh];W[])", "nobody passes"),
        ("(;GM[4];B[hh];B[ii])", "a stone of W is to be laid"),
        ("(;GM[1]SZ[9];B[aa];AW[bb])", "within the game"),
        ("(;GM[1]SZ[10];B[aa])", "size is one of 9, 13, 19"),
        ("(;GM[4];B[zz])", "no point 'zz' on a board of 15 lines"),
        ("(;GM[4]RU[renju];W[hh])", "renju black begins"),
        ("(;GM[4];C[" + "x" * (1 << 20) + "])", "a record has at most"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_is_no_record_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ImportFault, match=said):
        read(text)


GO = "(;GM[1]FF[4]SZ[9]RU[Chinese]KM[7.5]RE[W+5.5]C[one \\] two];B[ee];W[cc]C[good](;B[gg];W[];B[tt])(;B[aa]))"


def test_a_game_of_go_has_rules_komi_and_both_ways_to_write_a_pass() -> None:
    found, moves = read(GO)
    assert moves == ["E5", "C7", "G3", "pass", "pass"]
    assert {name: found.rules[name] for name in ("size", "komi", "scoring", "superko")} == {
        "size": "9", "komi": "7.5", "scoring": "area", "superko": "true",
    }  # fmt: skip
    assert found.claim is not None and found.claim.winner == 1


def test_a_handicap_is_ours_or_a_position_set_up_and_white_begins() -> None:
    fixed, _ = read("(;GM[1]SZ[9]HA[2]KM[0.5]AB[cg][gc];W[ee])")
    assert (fixed.rules["handicap"], fixed.start) == ("2", "")
    free, moves = read("(;GM[1]SZ[9]HA[2]AB[aa:ba];W[ee])")
    assert (free.rules["handicap"], moves) == ("0", ["E5"])
    assert free.start.startswith("XX......./") and " w " in free.start


def test_a_pass_that_a_record_of_go_leaves_out_is_put_in() -> None:
    assert read("(;GM[1]SZ[9];B[ee];B[cc];W[gg])")[1] == ["E5", "pass", "C7", "G3"]


def test_territory_at_the_end_tells_which_stones_are_dead() -> None:
    rows = ["aa", "bb", "ab", "cb", "ba", "ca", "ac", "bc", "cc"]
    stones = "".join(f";{'BW'[ply % 2]}[{point}]" for ply, point in enumerate(rows))
    found, moves = read(f"(;GM[1]SZ[9]{stones};W[];B[]TB[bb][ca])")
    assert moves[-1] == "pass:C9"
    assert games.load("go").outcome(line_of_play(games.load("go"), moves)[-1]) is not None
    assert found.claim is None
