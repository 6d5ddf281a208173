"""Files of version 0.1 are still readable (a record, a table profile, settings), and its commands still exist."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

import games
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli.main import COMMANDS
from daemon.config.settings import load_config
from daemon.storage.journal import Journal
from daemon.storage.stored_line import line_of
from vision.pose import rectify
from vision.reading.reader import Reader
from vision.simulated.style import default_style
from vision.simulated.table import SimulatedTable

EARLIER = Path(__file__).parent / "earlier" / "0.1"
OF_THEN = """
    adaptation agents arena bench bundle calibrate demo doctor engine eval-descriptors eval-neural evaluate-dominoes
    games keys match move one-move perft play print-board read reload replay run score-dominoes serve serve-neural
    service settle soak solve table tables tell test train voices watch worker
"""


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


def test_its_commands_are_there() -> None:
    assert set(OF_THEN.split()) <= set(COMMANDS)
