"""A score pad in the terminal and on the page: rounds, totals, the target, undo, and what is refused."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from daemon.cli import pad as cli
from daemon.game.score_pad import ScorePad, ScorePadError
from daemon.page.web import WebPage
from daemon.record.score_pads import ScorePads
from tests.daemon.test_archive import ask


def command(journal: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.app, [*words, "--journal", str(journal)])
    return done.exit_code, done.stdout or done.stderr


@pytest.fixture
def page(tmp_path: Path) -> Iterator[WebPage]:
    made = WebPage(port=0, journal=tmp_path / "journal.sqlite")
    yield made
    made.close()


def test_rounds_add_up_until_somebody_reaches_the_target_and_undo_goes_back(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    assert command(journal, "show")[0] == 2
    assert command(journal, "new", "Ana", "Țară", "--target", "20")[0] == 0
    assert command(journal, "add", "12", "-3")[0] == 0
    status, text = command(journal, "add", "4", "25")
    assert status == 0 and text.splitlines()[-2:] == ["total   16    22", "Țară won."]
    assert command(journal, "add", "1", "1")[0] == 2
    assert "total   12    -3" in command(journal, "undo")[1]
    told = json.loads(command(journal, "show", "--json")[1])
    assert (told["rounds"], told["totals"], told["winners"]) == ([[12, -3]], [12, -3], [])
    command(journal, "new", "Ben", "Cid", "Dan")
    assert len(command(journal, "list")[1].splitlines()) == 2 and "Ben" in command(journal, "show")[1]
    assert "Ana" in command(journal, "show", told["pad_id"])[1]
    files = [path for path in ScorePads(journal).folder.iterdir() if path.suffix == ".json"]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)


def test_the_lowest_total_wins_where_pips_are_counted_and_level_players_share() -> None:
    pad = ScorePad(("Ana", "Ben", "Cid"), target=10, lowest=True)
    assert pad.add((4, 12, 4)).winners == ("Ana", "Cid")
    assert pad.add((4, 9, 4)).winners == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": ["Ana"]},
        {"players": ["Ana", "Ana"]},
        {"players": ["Ana", ""]},
        {"players": ["Ana", "B" * 33]},
        {"players": ["Ana", "Ben"], "target": -1},
        {"players": ["Ana", "Ben"], "target": 1.5},
        {"players": [1, 2]},
        {"players": ["Ana", "Ben"], "lowest": "yes"},
        {"players": ["Ana", "Ben"], "more": 1},
    ],
)
def test_the_page_refuses_what_is_no_pad_and_keeps_nothing(
    page: WebPage, wrong: dict[str, Any], tmp_path: Path
) -> None:
    assert ask(page, "score", {"action": "begin"} | wrong)[0] in (400, 409)
    assert json.loads(ask(page, "score")[2]) == {} and not ScorePads(tmp_path / "journal.sqlite").ids()


def test_the_page_and_the_terminal_write_on_the_same_pad_and_wrong_rounds_change_nothing(
    page: WebPage, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.sqlite"
    assert ask(page, "score", {"action": "undo"})[0] == 409
    assert ask(page, "score", {"action": "begin", "players": ["Ana", "Ben"], "target": 100})[0] == 200
    assert ask(page, "score", {"action": "add", "points": [7, 0]})[0] == 200
    command(journal, "add", "0", "9")
    for wrong in ([1], [1, 2, 3], [1, "2"], [1, 2.5], [1, True], [1, 10_000], "12"):
        assert ask(page, "score", {"action": "add", "points": wrong})[0] in (400, 409)
    assert json.loads(ask(page, "score")[2])["rounds"] == [[7, 0], [0, 9]]
    assert ask(page, "score", {"action": "undo"}, Origin="http://evil.example")[0] == 403


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "players": "ab"}', "\ufeff{", "[" * 9999]
)
def test_a_damaged_pad_is_named_and_the_others_can_be_read(tmp_path: Path, content: str) -> None:
    journal = tmp_path / "journal.sqlite"
    kept = ScorePads(journal).begin(ScorePad(("Ana", "Ben")))
    (ScorePads(journal).folder / "99999999T000000.json").write_text(content, "utf-8")
    with pytest.raises(ScorePadError, match=r"99999999T000000\.json cannot be read"):
        ScorePads(journal).read()
    assert command(journal, "show", kept.pad_id)[0] == 0
    assert kept.pad_id in command(journal, "list")[1]


def test_a_new_pad_is_the_newest_although_the_clock_was_set_back(tmp_path: Path) -> None:
    pads = ScorePads(tmp_path / "journal.sqlite")
    pads.begin(ScorePad(("Ana", "Ben")))
    pads._write(ScorePad(("Cid", "Dan"), pad_id="29991231T235959000000"))
    for names in (("Eve", "Fay"), ("Gil", "Hal")):
        begun = pads.begin(ScorePad(names))
        assert pads.read() == begun
    assert len(pads.ids()) == 4
