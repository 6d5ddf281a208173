"""The terminal game, played through a pseudo-terminal as a person would."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from calibration.template import load_template
from daemon.cli import play as play_cli
from daemon.drawing.text_board import NEW, TextBoard
from daemon.run.terminal import MAX_LINE_BYTES, TypedLines
from lab.bench.pseudo_terminal import Terminal
from rules.options import switched_on


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for one in opened:
        one.close()


def opened(terminals: list[Terminal], journal: Path, *words: str) -> Terminal:
    terminals.append(Terminal(journal, *words))
    return terminals[-1]


def test_a_choice_is_told_with_what_it_does(terminals: list[Terminal], tmp_path: Path) -> None:
    words = ("--game", "gomoku", "--rule", "swap", "--black", "me", "--white", "me")
    terminal = opened(terminals, tmp_path / "game.sqlite", *words)
    terminal.until("first> ")
    for stone in ("h8", "a1"):
        terminal.say(stone, "first> ")
    assert "\nblack (Take the black stones)\n" in terminal.say("i9", "second> ")
    assert terminal.say("?", "second> ").startswith("?\nblack (Take the black stones)  a15")
    assert "Second: black." in terminal.say("black", "first> ")


def test_two_people_play_a_game_to_its_end_with_faults_undo_and_a_break(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    words = ("--game", "morris", "--rule", "men=3", "--light", "me", "--dark", "me")
    first = opened(terminals, tmp_path / "game.sqlite", *words)
    assert "nine men's morris: light ○, dark ●." in first.until("light> ")
    assert "a7  d7  g7" in first.say("?", "light> ")
    assert "7  ○───────────┬───────────┐" in first.say("a7", "dark> ")
    assert "a7 cannot be played: a7 is occupied." in first.say("a7", "dark> ")
    assert "is no move; moves look like d2" in first.say("nonsense", "dark> ")
    first.say("b6", "light> ")
    assert "Dark's b6 is taken back." in first.say("undo", "dark> ")
    first.say("b6", "light> ")
    first.process.send_signal(signal.SIGINT)
    go_on = f"The game is kept. To go on: kibitzer play {' '.join(words)} --journal {tmp_path / 'game.sqlite'}\n"
    assert go_on in first.until("sqlite\n")
    assert first.end() == 130
    again = opened(terminals, tmp_path / "game.sqlite", *words)
    assert "I resume the game after 2 moves." in again.until("light> ")
    again.say("d7", "dark> ")
    again.say("b4", "light> ")
    again.say("g7xb6", "dark> ")
    shown = again.say("f4", "quit> ")
    assert "Light wins" in shown or "Dark wins" in shown
    refused = again.say("position dark:OOO", "quit> ")
    assert "'dark:OOO' is not 24 letters M, E, O and four digits" in refused
    assert "It is dark's turn." in again.say("position dark:EOOOOOOOOOOOOOOOOOOOOOOO3201", "dark> ")
    assert "dark:EOOOOOOOOOOOOOOOOOOOOOOO3201" in again.say("position", "dark> ")
    again.say("quit", "The game is kept.")
    assert again.end() == 0


def test_a_game_against_an_agent_is_played_to_its_end(terminals: list[Terminal], tmp_path: Path) -> None:
    table = opened(terminals, tmp_path / "game.sqlite", "--game", "reversi", "--white", "random:seed=3")
    table.until("black> ")
    moves = 0
    while True:
        listed = table.say("?", "\nblack> ").splitlines()
        legal = next(line for line in listed if re.fullmatch(r"([a-h][1-8]|pass)(  ([a-h][1-8]|pass))*", line))
        moves += 1
        if "It is over." in table.say(legal.split()[0], "black> ", "It is over."):
            break
    assert moves >= 20
    assert table.say("quit", "The game is kept.")


def test_a_person_is_heard_while_the_agent_thinks(terminals: list[Terminal], tmp_path: Path) -> None:
    words = ("--game", "reversi", "--black", "me", "--white", "mcts:simulations=100000000")
    table = opened(terminals, tmp_path / "game.sqlite", *words)
    table.until("black> ")
    table.say("d3", "is thinking.")
    table.say("board", "a b c d e f g h")
    assert "I keep c3 until the agent has moved." in table.say("c3", "has moved.")
    table.say("quit", "The game is kept.")
    assert table.end() == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--game ludo", "kibitzer play: there is no game 'ludo'; the games are chess, co_ganh"),
        ("--game morris --green me", "the sides of nine men's morris are --light, --dark"),
        ("--game morris --dark", "there is no option '--dark'"),
        ("--game morris --dark nobody", "players.second.agent = 'nobody': there is no such agent"),
        ("--game morris --dark me --language fr", "speech.language = 'fr'"),
        ("--game morris --rule wings=true", "has no rule option 'wings'"),
    ],
)
def test_wrong_words_end_with_status_two_and_name_what_is_wrong(words: str, told: str) -> None:
    done = CliRunner().invoke(play_cli.app, words.split())
    assert (done.exit_code, told in done.output) == (2, True), done.output


def test_help_teaches_by_an_example() -> None:
    assert "Example: kibitzer play" in " ".join(CliRunner().invoke(play_cli.app, ["--help"]).output.split())


@pytest.mark.parametrize("name", games.names())
def test_every_board_is_drawn_with_every_cell_in_its_own_place(name: str) -> None:
    game = games.load(name)
    board = TextBoard(load_template(game.name, switched_on(game)))
    empty = board.draw("." * len(game.cells))
    for cell in (0, len(game.cells) // 2, len(game.cells) - 1):
        letters = ["."] * len(game.cells)
        letters[cell] = game.classes[-1]
        drawn = board.draw("".join(letters))
        assert sum(one != other for one, other in zip(empty, drawn, strict=True)) == 1
    assert board.draw("." * len(game.cells), {0}, colour=True).count(NEW) == 1


def test_coordinates_stand_beside_and_below_the_board() -> None:
    lines = TextBoard(load_template("nine_mens_morris")).draw("W" + "." * 22 + "B").splitlines()
    assert lines[0].startswith("7  ○") and lines[-1].split() == list("abcdefg")
    assert lines[-2].startswith("1  ") and lines[-2].endswith("●")


def test_lines_come_as_they_are_typed_and_long_ones_are_cut() -> None:
    reading, writing = os.pipe()
    typed = TypedLines(reading)
    assert typed.take(0.0) is None
    os.write(writing, b"d2\nf4\nha")
    assert [typed.take(0.0) for _ in range(3)] == ["d2", "f4", None]
    os.write(writing, b"lf\n" + b"x" * 1000)
    os.close(writing)
    assert typed.take(0.0) == "half"
    taken = [typed.take(0.0) for _ in range(4)]
    assert all(one is None or len(one) <= MAX_LINE_BYTES for one in taken) and typed.ended
    os.close(reading)


def test_dominoes_shows_diamonds_star_and_track_within_80_columns() -> None:
    game = games.load("dominoes")
    board = TextBoard(load_template(game.name), game)
    lines = board.draw("." * len(game.cells), pawns=[("R", 0), ("G", 7)]).splitlines()
    drawn = "\n".join(lines)
    assert max(map(len, lines)) <= 80
    assert [drawn.count(sign) for sign in "①②③④⑤★"] == [16, 16, 16, 16, 4, 1]
    assert (drawn.count("G"), drawn.count("R")) == (2, 0)  # the pawn, and the column's letter
    off = board.draw("." * len(game.cells))
    spaces = [line[4:] for line in off.splitlines()[:-1]]  # beside the rows stand their numbers
    values = sorted(int(one) for one in "".join(spaces) if one in "0123456")
    assert values == sorted(load_template(game.name).printed.track_values)  # type: ignore[union-attr]
    laid = board.draw("".join("5" if cell == game.about.star else "." for cell in range(len(game.cells))))
    assert "★" not in laid
