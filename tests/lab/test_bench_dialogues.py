"""The bench of dialogues counts what goes wrong, with engines that misbehave and with the real ones that there are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import games
from agents import engines as configured
from agents.engines import known
from lab.bench import dialogues
from lab.bench.talks import engines, gtp_user, tally, uci_user, xboard
from lab.bench.talks.engines import Partner
from lab.bench.talks.tally import OPINION, Tally, noted, our_engine
from lab.bench.talks.witnesses import Nobody, PythonChess
from rules.turns import line_of_play
from tests.agents import fake_engines

FAKE = str(Path(fake_engines.__file__).with_name("engine.py"))


def played(folder: Path, manner: str, count: int = 1, partner: Partner | None = None) -> Tally:
    command = (sys.executable, FAKE, "gtp", manner, str(folder / "marks"))
    found = Tally("fake")
    with noted(found, "agents"):
        engines.play(partner or Partner("gomoku", "gtp", command, "random"), command, found, count, folder)
    return found


@pytest.fixture(autouse=True)
def own_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(configured.FILE_VARIABLE, "")


def test_games_and_plies_are_counted_and_processor_time_of_both_sides(tmp_path: Path) -> None:
    found = played(tmp_path, "good", 3)
    assert (found.games, found.faults) == (3, [])
    assert found.plies >= 3 * 9  # nobody has five in a row sooner
    assert found.ours_s > 0 and found.theirs_s > 0
    assert "3 games" in found.lines()[0] and "no fault" in found.lines()[0]


@pytest.mark.parametrize(("manner", "kind"), [("dies_once", "ended"), ("lies", "illegal"), ("endless", "other")])
def test_a_fault_of_the_engine_is_counted_by_its_kind(tmp_path: Path, manner: str, kind: str) -> None:
    found = played(tmp_path, manner)
    assert found.games == 1
    assert {one for one, _ in found.faults} == {kind}
    assert f"{len(found.faults)} {kind}" in found.lines()[0]


class Contrary(Nobody):
    def judge(self, position: object) -> str:
        return "the other has won"


def test_another_opinion_on_the_end_is_told(tmp_path: Path) -> None:
    command = (sys.executable, FAKE, "gtp", "good", str(tmp_path / "marks"))
    found = played(tmp_path, "good", 1, Partner("gomoku", "gtp", command, "random", witness=Contrary))
    assert found.faults == [(OPINION, "game 1: the other has won")]


def test_python_chess_follows_a_game_and_says_what_differs() -> None:
    game = games.load("chess")
    mate = line_of_play(game, "f3 e5 g4 Qh4".split())
    witness = PythonChess(game)
    for position, text in zip(mate, "f3 e5 g4 Qh4".split(), strict=False):
        assert witness.see(position, game.parse_move(position, text)) == ""
    assert witness.judge(mate[-1]) == ""
    assert witness.judge(mate[0]).startswith("ended with None, by python-chess with Outcome")
    assert PythonChess(game).see(mate[1], game.parse_move(mate[1], "e5")).startswith("legal moves differ by")


def test_every_way_to_ask_by_uci_is_tried_in_whole_games() -> None:
    found = Tally("uci")
    uci_user.play(found, 1, "random")
    assert (found.games, found.faults) == (1, [])
    assert found.plies > 2 * len(uci_user.WAYS)


def test_two_engines_of_gtp_agree_on_boards_score_and_dead() -> None:
    found = Tally("gtp")
    gtp_user.play(found, 2, our_engine("go", "gtp", "random"), "random")
    assert (found.games, found.faults) == (2, [])
    assert found.plies > 0


GAME = '[White "A"]\n[Black "B"]\n[Result "{result}"]\n\n1. f3 e5 2. g4 {last} {{{told}}} {result}\n\n'


@pytest.mark.parametrize(
    ("last", "told", "result", "kinds"),
    [
        ("Qh4#", "Xboard adjudication: Checkmate", "0-1", []),
        ("Qh4#", "Xboard adjudication: Checkmate", "1-0", [OPINION]),
        ("d5", "White forfeits on time", "0-1", ["late"]),
        ("d5", "+0.20/8 0.5", "*", ["other"]),
        ("Qh3", "White resigns", "0-1", [OPINION]),
    ],
)
def test_the_games_that_xboard_wrote_are_judged(
    tmp_path: Path, last: str, told: str, result: str, kinds: list[str]
) -> None:
    (tmp_path / "games.pgn").write_text(GAME.format(last=last, told=told, result=result))
    found = Tally("xboard")
    assert xboard.read(found, tmp_path / "games.pgn", "fairymax") == 1
    assert [kind for kind, _ in found.faults] == kinds


def test_a_program_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(tally, "FOLDERS", ())
    assert known.FOLDERS
    names = [*engines.PARTNERS, "gtp-gnugo", "xboard"]
    assert dialogues.main(1, names) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == names
    assert all("not played: " in line and "not installed" in line for line in lines)


@pytest.mark.parametrize("name", ["stockfish", "gnugo", "grhino", "gtp-gnugo"])
def test_a_real_program_plays_a_game(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """GNU Go may be of another opinion on the dead stones of an unsettled end."""
    dialogues.main(1, [name])
    line, *faults = capsys.readouterr().out.splitlines()
    if "not installed" in line:
        pytest.skip(line)
    assert "   1 games" in line
    assert [one for one in faults if not one.startswith(f"    {OPINION}: game 1: counted")] == []
