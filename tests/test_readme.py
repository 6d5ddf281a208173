"""Checks README and docs: commands exist, options are known, links resolve, named files are there."""

from __future__ import annotations

import functools
import json
import re
import shlex
from pathlib import Path

import pytest
import typer.core
import typer.main

import games
from calibration.template import load_template
from daemon.cli.main import COMMANDS, load

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]


def command_lines() -> list[tuple[str, list[str]]]:
    """Every `./kibitzer ...` line in the shell blocks of README and docs."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["./kibitzer"]:
                    found.append((page.name, words[1:]))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_files_that_the_docs_name_exist() -> None:
    """Whole paths, and bare names of Python files: in a folder of the same line, if it names one."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "var"}
    python = {path.name for folder in folders for path in (ROOT / folder).rglob("*.py") if folder[0] != "."}
    missing = []
    for page in PAGES:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            names = [re.sub(r"<\w+>|[A-Z]{3,}", "*", name) for name in re.findall(r"`([\w./<>*-]+)`", line)]
            within = [name for name in names if name.partition("/")[0] in folders and "/" in name]
            missing += [f"{page.name}:{number} {name}" for name in within if not any(ROOT.glob(name.rstrip("/")))]
            bare = {name for name in names if "/" not in name and name.endswith(".py")}
            beside = {path.name for name in within if name.endswith("/") for path in (ROOT / name).glob("*.py")}
            missing += [f"{page.name}:{number} {name}" for name in sorted(bare - (beside or python))]
    assert missing == []


def test_every_command_has_its_line_in_the_table_and_every_named_one_exists() -> None:
    named = {
        page.name: set(re.findall(r"`kibitzer ([a-z-]+)", page.read_text(encoding="utf-8")))
        for page in (ROOT / "README.md", ROOT / "docs" / "commands.md")
    }
    assert set.union(*named.values()) <= set(COMMANDS)
    assert set(COMMANDS) <= named["commands.md"]


def test_the_readme_is_one_screen() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 700


@functools.cache
def options_of(command: str) -> set[str]:
    """Every option that a command takes."""
    known = typer.main.get_command(load(command))
    if isinstance(known, typer.core.TyperGroup):
        known = known.commands[command]
    return {option for parameter in known.params for option in (*parameter.opts, *parameter.secondary_opts)}


def test_every_option_shown_in_the_docs_is_known() -> None:
    for page, words in command_lines():
        command = words[0]
        assert command in COMMANDS, f"{page} shows kibitzer {command}"
        if not COMMANDS[command].module or COMMANDS[command].group:
            continue
        for option in (word for word in words[1:] if word.startswith("--")):
            assert option in options_of(command), f"{page} shows kibitzer {command} {option}"


def test_labels_of_the_calibration_page_are_of_the_right_length() -> None:
    page = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    block = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert block is not None
    cells = [entry["cells"] for entry in json.loads(block[1])["images"].values()]
    game = games.load("morris")
    assert all(len(board) == len(game.cells) and set(board) <= set(game.classes) for board in cells)
    order = " ".join(load_template("nine_mens_morris").cell_names)
    assert order in page
