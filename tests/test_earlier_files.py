"""Files of version 0.1 (a record, a table profile, settings) are still readable, and its commands still answer."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

import games
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli.main import COMMANDS, load, main
from daemon.config.settings import load_config
from daemon.record.journal import Journal
from daemon.record.stored_line import line_of
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from vision.pose import rectify
from vision.reading.reader import Reader

EARLIER = Path(__file__).parent / "earlier" / "0.1"
GONE = {"adaptation"}
"""Commands that went with what they were for."""


def test_its_record_is_read_and_gone_on_with(tmp_path: Path) -> None:
    record = shutil.copy(EARLIER / "record.sqlite", tmp_path)
    journal = Journal(Path(record))
    (stored,) = journal.games()
    game = games.load(stored.game, stored.rules)
    assert stored.moves == ("d2", "f4", "g7", "d6")
    assert [ply.move for ply in stored.undone] == ["a1"]
    assert game.board(line_of(game, stored).position).count("W") == 2
    journal.close()


def test_its_profile_reads_its_table() -> None:
    profile = TableProfile.load(EARLIER / "table.npz")
    game = games.load(profile.game)
    template = load_template(game.name).with_shape(profile.shape)
    reader, dice = Reader(template, profile), np.random.default_rng(4)
    for _ in range(4):
        board = "".join(dice.choice(list(game.classes), size=len(game.cells)))
        table = SimulatedTable(template, board, default_style(), seed=1, size_px=(640, 360))
        assert reader.read(rectify(table.render(), table.pose, template), 0.0).board == board


def test_its_settings_are_taken() -> None:
    assert load_config(EARLIER / "config.toml", {}).game.name == "nine_mens_morris"


def its_commands() -> list[tuple[list[str], set[str]]]:
    """Each command in words, and its options; without those that are gone."""
    lines = (EARLIER / "commands.txt").read_text(encoding="utf-8").splitlines()
    parts = [(name.split(), set(options.split())) for name, _, options in (line.partition(":") for line in lines)]
    return [(words, options) for words, options in parts if words[0] not in GONE]


def options_of(words: Sequence[str]) -> set[str]:
    """The options of a command as it is now. Raises KeyError if it is gone."""
    command: Any = get_command(load(words[0]))
    entered = words[1:] if COMMANDS[words[0]].group else words[:1] * hasattr(command, "commands")
    for name in entered:
        command = command.commands[name]
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def test_its_commands_take_their_options() -> None:
    gone = {" ".join(words): lost for words, options in its_commands() if (lost := options - options_of(words))}
    assert gone == {}


@pytest.mark.parametrize("name", sorted({words[0] for words, _ in its_commands()}))
def test_its_commands_answer_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"Usage: kibitzer {name} " in capsys.readouterr().out
