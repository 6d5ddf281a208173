"""The whole command line: version, shell completion, schemas, and the message when a package is missing."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import daemon
import games
from agents import kernels
from daemon.cli import main as command_line
from daemon.cli import streams
from daemon.cli.main import COMMANDS, main
from daemon.cli.schema import SCHEMAS, of_bus, of_config, of_page
from daemon.commands.command import NAMES, Correct, Hand, Move, NewGame, Pass, as_object
from daemon.config.settings import Config

ROOT = Path(__file__).resolve().parents[2]


def test_version_is_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kibitzer {daemon.__version__}\n"


def completed(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """What a shell offers to complete at the end of the line."""
    words = line.split(" ")
    monkeypatch.setenv("_KIBITZER_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    with pytest.raises(SystemExit):
        main([])
    return set(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("kibitzer do", {"doctor"}),
        ("kibitzer games exp", {"export"}),
        ("kibitzer demo --la", {"--language"}),
        ("kibitzer move --ag", {"--agent"}),
        ("kibitzer schema b", {"bus"}),
        ("kibitzer nonsense --x", set()),
    ],
)
def test_shells_complete_commands_and_options(
    line: str, offered: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(line, monkeypatch, capsys) == offered


def test_names_of_commands_are_completed_without_importing_any() -> None:
    code = "import sys, daemon.cli.main as m; sys.exit(0 if not m.main([]) and 'cv2' not in sys.modules else 3)"
    code = f"import atexit, sys; atexit.register(lambda: print('cv2' in sys.modules)); {code}"
    known = {"_KIBITZER_COMPLETE": "complete_bash", "COMP_WORDS": "kibitzer ", "COMP_CWORD": "1"}
    told = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT), **known}, capture_output=True, text=True, timeout=60
    )
    *names, imported = told.stdout.split()
    assert imported == "False"
    assert set(names) == {name for name, entry in COMMANDS.items() if entry.module}


def test_the_daemon_imports_no_game_but_the_one_played() -> None:
    code = "import sys, daemon.cli.run, games\nfor name in ('go', 'morris'): games.find(name); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    first, imported = (set(line.split()) for line in done.stdout.splitlines())
    assert {game for game in games.names() if f"games.{game}" in first} == {"go"}
    assert {game for game in games.names() if f"games.{game}" in imported - first} == {"nine_mens_morris"}
    assert not {"sklearn", "scipy", "torch", "numba", "fontTools", "segno"} & imported, "needed by few, or later"


@pytest.mark.parametrize("of", SCHEMAS)
def test_schemas_are_printed_as_json(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["schema", of])
    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out)["$schema"].startswith("https://json-schema.org/")


def test_schema_of_the_settings_has_every_section() -> None:
    assert of_config()["properties"].keys() == Config.model_fields.keys()
    assert of_config()["additionalProperties"] is False


def test_schema_of_the_bus_has_every_message() -> None:
    assert {"StateMessage", "ErrorMessage", "ReadyMessage", "HeartbeatMessage", "ReplyMessage"} <= of_bus()[
        "$defs"
    ].keys()


@pytest.mark.parametrize(
    "command", [Move("d2-d3", ply=3), Hand(("3-4", "0-0"), side="red"), Pass(), Correct("d2", "light"), NewGame()]
)
def test_schema_of_the_page_takes_the_commands_that_are_sent(command: Move | Hand | Pass | Correct | NewGame) -> None:
    sent = as_object(command)
    forms = {form["properties"]["command"]["const"]: form for form in of_page()["properties"]["tell"]["oneOf"]}
    assert forms.keys() == set(NAMES)
    form = forms[str(sent["command"])]
    assert set(form["required"]) <= sent.keys() <= form["properties"].keys()
    assert form["additionalProperties"] is False
    assert of_page()["properties"].keys() >= {"live", "events", "healthz", "readyz"}


def test_what_needs_machine_code_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError("No module named 'numba'", name="numba")

    monkeypatch.setattr(command_line, "load", absent)
    assert main(["solve"]) == 2
    assert "numba is not installed; `./kibitzer doctor` installs it" in capsys.readouterr().err


def test_without_numba_agents_play_in_plain_python() -> None:
    code = "import sys; sys.modules['numba'] = None; from daemon.cli.main import main; main(sys.argv[1:])"
    words = ["move", "--game", "reversi", "--agent", "alphabeta", "--depth", "2"]
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "depth 2" in done.stdout + done.stderr


def test_kernels_are_there_where_numba_is() -> None:
    assert "gomoku" in kernels.names()


@pytest.mark.parametrize(("to", "why"), [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")])
def test_output_that_is_full_or_closed_is_said_in_one_line(to: str, why: str) -> None:
    line = ["sh", "-c", f'exec "$0" -m daemon.cli --version >{to}', sys.executable]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (75, f"kibitzer: standard output cannot be written: {why}\n")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_what_a_terminal_cannot_show_is_escaped_as_in_json(encoding: str) -> None:
    written = io.BytesIO()
    shown = streams.Output(written, encoding, streams.ESCAPED)
    said = {"text": "Bạn đi trước \U0001f600", "photo": "game\udcff.jpg"}
    shown.write(json.dumps(said, ensure_ascii=False))
    shown.flush()
    assert json.loads(written.getvalue().decode(encoding)) == said


def test_ctrl_c_while_the_program_is_still_imported_ends_it_quietly() -> None:
    code = (
        "import os, signal, sys, daemon.cli.__main__ as start\n"
        "class Interrupts:\n"
        "    @staticmethod\n"
        "    def find_spec(name, *_):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupts)\n"
        "start.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "kibitzer: stopped\n")
