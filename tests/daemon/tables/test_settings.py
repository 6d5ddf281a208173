"""Tables that share a resource are refused before anything starts, and the shared resource is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.config.settings import ConfigError
from daemon.supervision.tables.settings import load_tables

OWN = {
    "bus.table": '"{n}"',
    "bus.state": '"tcp://127.0.0.1:{port}1"',
    "bus.reply": '"tcp://127.0.0.1:{port}2"',
    "journal.path": '"var/{n}.sqlite"',
    "page.port": "{port}3",
    "log.path": '"var/{n}.log"',
    "camera.source": '"/dev/video{port}"',
}


def write(folder: Path, name: str, port: int, **shared: str) -> Path:
    """Writes settings of a table of its own, except for the `shared` ones."""
    sections: dict[str, list[str]] = {}
    for key, value in OWN.items():
        section, _, option = key.partition(".")
        text = shared.get(key.replace(".", "_"), value.format(n=name, port=port))
        sections.setdefault(section, []).append(f"{option} = {text}")
    path = folder / f"{name}.toml"
    path.write_text("\n".join(f"[{name}]\n" + "\n".join(lines) for name, lines in sections.items()), encoding="utf-8")
    return path


def test_tables_that_share_nothing_are_accepted(tmp_path: Path) -> None:
    tables = load_tables([write(tmp_path, "hall", 510), write(tmp_path, "garden", 520)])
    assert [table.name for table in tables] == ["hall", "garden"]


@pytest.mark.parametrize(
    ("shared", "what"),
    [
        ({"bus_table": '"hall"'}, "bus.table = 'hall'"),
        ({"bus_state": '"tcp://127.0.0.1:5101"'}, "the port '5101'"),
        ({"bus_reply": '"tcp://localhost:5101"'}, "the port '5101'"),
        ({"page_port": "5101"}, "the port '5101'"),
        ({"page_port": "5103"}, "the port '5103'"),
        ({"journal_path": '"var/../var/hall.sqlite"'}, "journal.path"),
        ({"log_path": '"var/hall.log"'}, "log.path"),
        ({"camera_source": '"510"'}, "/dev/video510"),
    ],
)
def test_what_two_tables_share_is_named_with_both_files(tmp_path: Path, shared: dict[str, str], what: str) -> None:
    paths = [write(tmp_path, "hall", 510), write(tmp_path, "garden", 520, **shared)]
    with pytest.raises(ConfigError, match=r"hall\.toml and .*garden\.toml share") as refused:
        load_tables(paths)
    assert what in str(refused.value)


def test_free_ports_and_streams_may_be_the_same(tmp_path: Path) -> None:
    free = {"bus_state": '"tcp://127.0.0.1:*"', "page_port": "0", "camera_source": '"http://127.0.0.1:1/video"'}
    load_tables([write(tmp_path, "hall", 510, **free), write(tmp_path, "garden", 520, **free)])


def test_one_file_given_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write(tmp_path, "hall", 510))
    with pytest.raises(SystemExit) as ended:
        main(["run", "--config", path, "--config", path])
    assert ended.value.code == 2
    assert "is given twice" in capsys.readouterr().err


def test_options_of_one_table_are_refused_for_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(write(tmp_path, name, port)) for name, port in (("hall", 510), ("garden", 520))]
    with pytest.raises(SystemExit) as ended:
        main(["run", "--config", paths[0], "--config", paths[1], "--source", "0"])
    assert ended.value.code == 2
    assert "--source 0 goes with one --config" in capsys.readouterr().err
