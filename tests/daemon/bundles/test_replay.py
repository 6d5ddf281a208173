"""Replaying a bundle gives the same verdicts as live play, wherever in a storm it begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.bundles.bundle_file import BundleFile
from daemon.bundles.bundle_requests import BundleRequest, ask
from daemon.bundles.replaying import replay
from daemon.cli.main import main
from tests.daemon.bundles.stormy import StormyTable

STORM = ["start", "move", "illegal", "resumed", "move", "move", "takeback", "move", "undo", "resumed"]


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> StormyTable:
    """A table after a storm, with one bundle for each length in seconds."""
    folder = tmp_path_factory.mktemp("bundles")
    table = StormyTable(folder)
    table.storm()
    table.bundles = {
        last: Path(ask(folder, BundleRequest(table="table", last_s=last, note="storm")).path) for last in (6, 10, 40)
    }
    table.keeper.close()
    return table


def test_the_storm_is_one(storm: StormyTable) -> None:
    assert [one.code for one in storm.said] == STORM


@pytest.mark.parametrize(("last", "verdicts"), [(6, 2), (10, 3), (40, 9)])
def test_a_bundle_gives_the_same_codes_moves_and_cells(storm: StormyTable, last: int, verdicts: int) -> None:
    with BundleFile(storm.bundles[last]) as bundle:
        played = replay(bundle)
    assert [pair.now and pair.now[1].verdict for pair in played.pairs] == [
        (one.code, one.move, one.cells) for one in [one for one in storm.said if one.code != "undo"][-verdicts:]
    ]
    assert played.same
    assert played.board == storm.table.board


def test_the_exit_status_is_0_where_all_is_the_same(storm: StormyTable, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(storm.bundles[6]), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (ended.value.code, told["same"], told["note"]) == (0, True, "storm")
    assert [one["now"]["code"] for one in told["verdicts"]] == ["move", "resumed"]
