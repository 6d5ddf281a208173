"""A game from an installed package (connect four in `tests/packages`) works everywhere, though no file names it."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents import heuristics, levels, registry
from agents.minimax import minimax
from agents.plain_search import PlainSearch
from agents.search import WIN
from calibration import sheet
from daemon.bundles.bundle_file import BundleFile
from daemon.bundles.bundle_requests import BundleRequest, ask
from daemon.bundles.replaying import replay
from daemon.cli import main
from daemon.config.settings import Config
from daemon.judging import phrases
from daemon.judging.referee import Referee
from daemon.page.view import play_view
from daemon.setup.catalogue import Catalogue
from daemon.setup.menu import menu_of
from daemon.words import catalogues, translation
from rules import Outcome
from rules.turns import line_of_play
from tests.daemon.bundles.stormy import DARK, LIGHT, StormyTable
from tests.daemon.play.test_no_camera import Table
from tests.waiting import PATIENCE_S
from vision.reading import which_board

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ROOT / "tests" / "packages"
PATH = os.pathsep.join((str(ROOT), str(PACKAGES)))
REMEMBERED: tuple[Any, ...] = (
    games.installed,
    games.shipped,
    games._brought,
    heuristics._module,
    registry._classes,
    levels.of,
    sheet.known_sheets,
    which_board.drawings,
    translation.translator_of,
    translation.page_words,
)
"""Caches that are filled once per process."""


@pytest.fixture(autouse=True, scope="module")
def brought() -> Iterator[None]:
    """Makes the package importable during these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PACKAGES))
        patch.setenv("PYTHONPATH", PATH)
        forget()
        yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "connect_four"]:
        del sys.modules[name]
    forget()


def forget() -> None:
    importlib.invalidate_caches()
    for function in REMEMBERED:
        function.cache_clear()


def kibitzer(*words: object) -> str:
    """Runs a command in a process of its own and returns its output."""
    command = [sys.executable, "-m", "daemon.cli", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def here(name: str, *words: object, code: int = 0) -> str:
    """Runs a command in this process and returns what it writes."""
    done = CliRunner().invoke(main.load(name), list(map(str, words)))
    assert done.exit_code == code, done.output
    return done.output


def test_it_is_found_with_its_board_its_levels_and_its_agent() -> None:
    assert "connect_four" in games.names() and "connect_four" not in games.shipped()
    assert games.find("four").title == "connect four"
    assert registry.games_of("centre") == ("connect_four",)
    assert levels.of("connect_four")[2].agent == "centre"


def test_a_package_that_brings_no_game_is_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = "[kibitzer.games]\nabsent = no_such_module\nreversi = connect_four\nother = connect_four\n"
    (tmp_path / "odd-1.0.dist-info").mkdir()
    (tmp_path / "odd-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    (tmp_path / "odd-1.0.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    forget()
    with pytest.warns(UserWarning) as warned:
        assert games.names() == tuple(sorted({*games.shipped(), "connect_four"}))
    assert [sum(name in str(one.message) for one in warned) for name in ("no_such_module", "'reversi'", "'other'")] == [
        1
    ] * 3
    assert games.find("reversi").title == "reversi" and games.find("four").title == "connect four"
    monkeypatch.undo()
    forget()


def test_it_keeps_what_every_game_promises() -> None:
    """Runs the contract tests in a separate process, since they collect the games before any fixture runs."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/games/test_contract.py"]
    done = subprocess.run([*command, "-k", "four"], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout


def test_agents_play_it_and_the_arena_counts() -> None:
    told = json.loads(here("arena", "match", "centre", "level-1", "--game", "four", "--games", 2, "--json"))
    assert told["tally"] == {"wins": 2, "draws": 0, "losses": 0} and told["reasons"] == {"four_in_a_row": 2}
    assert json.loads(here("move", "move", "--game", "four", "--agent", "alphabeta", "--depth", 2, "--json"))


def test_its_own_evaluation_judges_and_is_asked_only_where_the_board_is_quiet() -> None:
    game = games.load("four")
    (lines,) = heuristics.of(game).values()
    position, later = line_of_play(game, ["d1", "d2", "c1", "c2", "e1", "b1"])[-2:]
    assert heuristics.is_quiet(game, position) and not heuristics.is_quiet(game, later)
    search = PlainSearch(game)
    search.begin(position, None, exact=True)
    found = search.deepen(1)
    # Both ends of light's three win: the ply after the depth shows it.
    assert found.score == minimax(game, position, 1, lines) == 2 - WIN


def test_a_demo_of_it_is_recorded_written_and_read_again(tmp_path: Path) -> None:
    demo = "demo", "--game", "four", "--headless", "--fast", "--plies", 3, "--json"
    told = json.loads(kibitzer(*demo))
    assert (told["game"], told["wrong_boards"], told["missed_plies"]) == ("connect_four", 0, 0)
    record = tmp_path / "demo.sqlite"
    shutil.copy(told["journal"], record)
    moves = here("games", "show", "last", "--journal", record).splitlines()[-1].split()
    assert len(moves) == told["plies"]
    for name in ("moves", "json", "png"):
        here("games", "export", "last", "--journal", record, "--format", name, "--out", tmp_path / f"game.{name}")
    for name in ("moves", "json"):
        other = tmp_path / f"{name}.sqlite"
        here("games", "import", tmp_path / f"game.{name}", "--journal", other)
        assert here("games", "show", "last", "--journal", other).splitlines()[-1].split() == moves
    assert "sgf is for go and gomoku; connect_four is written as moves, json, png" in here(
        "games", "export", "last", "--journal", record, "--format", "sgf", code=2
    )


def test_it_stands_a_storm_with_illegal_moves() -> None:
    soak = "soak", "--games", "four", "--plies", 6, "--seed", 5, "--faults", "illegal", "--calm-s", 1, "--json"
    told = json.loads(kibitzer(*soak))
    assert (told["wrong_boards"], told["missed_plies"], told["unreported_illegal"]) == (0, 0, 0)
    assert told["by_fault"]["illegal"]["times"] > 0


def test_the_page_plays_and_shows_it(tmp_path: Path) -> None:
    table = Table(tmp_path, "connect_four", agents=("", "centre"))
    try:
        assert table.tell(command="move", move="d1", ply=0) == (200, {"code": "done", "text": "Light: d1."})
        table.wait(lambda: table.get("state")["moves"] == ["d1", "d2"])
        refusal = table.tell(command="move", move="a2", ply=2)
        assert refusal[0] == 409 and "a2 is not the lowest free cell of its column" in refusal[1]["text"]
        with urllib.request.urlopen(f"{table._address}board.svg", timeout=PATIENCE_S) as drawn:
            assert b"connect four" in drawn.read()
        assert [one["game"] for one in table.get("archive")["games"]] == ["connect_four"]
    finally:
        table.close()


def test_what_the_page_tells_besides_fits_it() -> None:
    game = games.load("four")
    told = play_view(Referee(game), watched=False)
    assert (told["title"], told["men"]) == ("Connect four", [{"board": 0, "taken": 0}] * 2)
    assert (told["limit"], told["hand"], told["passes"]) == (None, None, [])


def test_the_menu_offers_it() -> None:
    menu = menu_of(Config(), "0", Catalogue().wait(60))
    (game,) = (one for one in menu["games"] if one["name"] == "connect_four")
    assert game["title"] == "connect four" and len(game["levels"]) == 8
    assert "centre" in [agent["name"] for agent in game["agents"]]


def test_a_scene_of_it_is_played_again(tmp_path: Path) -> None:
    table = StormyTable(tmp_path, game="connect_four")
    white, black = table.game.pieces
    table.pass_time(2.0)
    table.lay("d1", white)
    table.lay("d2", black, DARK)
    table.lay("a2", white, LIGHT)  # there is no disc below it
    table.lift("a2")
    bundle = Path(ask(tmp_path, BundleRequest(table="table", last_s=30, note="four")).path)
    table.keeper.close()
    with BundleFile(bundle) as opened:
        played = replay(opened)
    assert played.same and played.board == table.table.board
    assert [one.code for one in table.said] == ["start", "move", "move", "illegal", "resumed"]


def test_its_own_words_are_spoken_and_what_lacks_is_english_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    game = games.load("four")
    try:
        translation.speak("pl")
        assert (
            translation.in_words(*phrases.result(game, Outcome(0, "four_in_a_row")))
            == "Wygrywa biały: cztery w rzędzie."
        )
        assert translation.page_words("pl")["connect four"] == "cztery w rzędzie"
        translation.speak("ro")
        assert (
            translation.in_words(*phrases.result(game, Outcome(0, "four_in_a_row"))) == "Albul câștigă: four in a row."
        )
    finally:
        translation.speak("en")
    assert catalogues.main(["--check"]) == 0
    told = capsys.readouterr().out
    assert "ro lacks: four in a row" in told and "pl lacks: four in a row" not in told
    assert "ro: 11 texts are said in English" in told and "pl: 8 texts are said in English" in told
