"""Games as other programs write them: encodings, line ends, odd headers, several in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.storage.formats.imported import ImportFault
from daemon.storage.formats.reading import read_game, read_games
from daemon.storage.stored_game import StoredGame

PGN = '[White "José Müller"]\n[Black "Ana"]\n\n1. e4 e5 2. Nf3 {ça va} *\n'
SGF = "(;GM[1]SZ[9]PB[Müller]CA[{charset}];B[ee];W[gc])"
GGF = (
    "(;GM[Othello]PB[a]PW[b]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[d6];)"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_pgn_is_read_in_any_encoding_with_any_line_ends(tmp_path: Path, encoding: str, end: str) -> None:
    path = tmp_path / "theirs.pgn"
    path.write_bytes(PGN.replace("\n", end).encode(encoding))
    game = read_game(path)
    assert (game.players, game.moves) == (("José Müller", "Ana"), ("e4", "e5", "Nf3"))
    assert game.comments == {3: "ça va"}


@pytest.mark.parametrize(
    ("name", "charset", "encoding"),
    [
        ("Müller", "UTF-8", "utf-8"),
        ("Müller", "ISO-8859-1", "latin-1"),
        ("Müller", "zlib", "latin-1"),
        ("古力", "GB2312", "gb2312"),
        ("Łukasz", "ISO8859-2", "iso-8859-2"),
    ],
)
def test_an_sgf_is_read_in_the_encoding_that_it_names(tmp_path: Path, name: str, charset: str, encoding: str) -> None:
    path = tmp_path / "theirs.sgf"
    path.write_bytes(SGF.format(charset=charset).replace("Müller", name).encode(encoding))
    assert read_game(path).players[0] == name


def test_bytes_of_another_kind_of_file_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "photo.sgf"
    path.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(ImportFault, match="it is no text"):
        read_game(path)


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("bare.pgn", "1. e4 e5 2. Nf3 *", "e4 e5 Nf3"),
        ("tags.pgn", '[White  "a" ] [Black "b"]\n%line\n;words\n\n1.e4 e5 *', "e4 e5"),
        (
            "signs.pgn",
            '[White "a"]\n\n1. e4 !? +- e5 ± 2. d4 N exd4 $14 3. c4 dxc3 e.p. = 1/2-1/2',
            "e4 e5 d4 exd4 c4 dxc3",
        ),
        ("half.pgn", '[White "a"]\n\n1. e4 e5 ½-½', "e4 e5"),
        ("lines.sgf", "(\r\n;GM[1]SZ[9]\r\n;B[ee]\r\n;W[gc])", "E5 G7"),
        ("server.ggf", f"1 {GGF}", "f5 d6"),
        ("lines.ggf", GGF.replace("(;", "(\r\n;").replace(";)", ";\r\n)"), "f5 d6"),
    ],
)
def test_headers_and_signs_that_others_write(tmp_path: Path, name: str, text: str, moves: str) -> None:
    (tmp_path / name).write_text(text, newline="")
    assert read_game(tmp_path / name).moves == tuple(moves.split())


def test_a_tag_in_a_comment_is_no_name_and_begins_no_game(tmp_path: Path) -> None:
    path = tmp_path / "one.pgn"
    path.write_text('[White "a"]\n\n1. e4 {see\n[White "x"]\n; there} e5 1-0\n')
    game = read_game(path)
    assert (game.players[0], game.moves) == ("a", ("e4", "e5"))


def test_each_game_of_a_file_is_imported_and_a_faulty_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "club.pgn"
    path.write_text(PGN + "\n" + PGN.replace("2. Nf3", "2. Nf6") + "\n\n" + PGN.replace("e5", "c5"))
    first, fault, last = read_games(path)
    assert isinstance(first, StoredGame) and isinstance(last, StoredGame)
    assert (first.moves[1], last.moves[1]) == ("e5", "c5")
    assert str(fault).startswith("game 2: move 2, Nf6: wrong_movement: ")
    assert read_game(path, number=3).moves == last.moves
    with pytest.raises(ImportFault, match="it holds 3 games: choose one with --number"):
        read_game(path)
    with pytest.raises(ImportFault, match="it holds 3 games: there is no number 4"):
        read_game(path, number=4)
