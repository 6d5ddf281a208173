"""The command line as a program: how it ends, and its message when it cannot do what was asked."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from daemon.cli.main import main
from lab.demo import cli as demo_cli
from system import family
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
START_S = 120.0
END_S = 60.0
"""Seconds; both limits are generous: on a loaded machine the imports alone take 18 s, and the end 5 s."""


def start(*words: str) -> subprocess.Popen[bytes]:
    """Starts a command as a terminal does: Ctrl-C is not ignored."""
    return subprocess.Popen(
        [sys.executable, "-m", "daemon.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def children(process: int) -> list[int]:
    """Ids of the child processes of a process, zombies included."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, IndexError):
            if folder.name.isdecimal() and (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(process):
                found.append(int(folder.name))
    return found


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process = start("demo", "--headless", "--fast")
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_stopped_demo_leaves_no_process_and_no_folder(
    demo: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals, status: int
) -> None:
    started = wait_for(lambda: children(demo.pid))
    assert any(tmp_path.iterdir())
    demo.send_signal(number)
    _, said = demo.communicate(timeout=END_S)
    assert demo.returncode == status
    assert b"Traceback" not in said
    wait_for(lambda: all(family.is_gone(one) for one in started))  # the guard ends a moment later
    assert not any(tmp_path.iterdir())


def test_demo_that_is_stopped_while_its_services_open_ends_as_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_cli, "open_session", stopped)
    result = CliRunner().invoke(demo_cli.app, ["--headless", "--fast"])
    assert result.exit_code == 0
    assert "stopped before the first game" in result.stderr


def status_of(main: str, folder: Path) -> int:
    """Exit status of the command line when its main function has `main` as its body."""
    (folder / "stand_in.py").write_text(
        "import contextlib, daemon.cli.main, signal, time\n"
        f"def main(words):\n{textwrap.indent(main, '    ')}\n"
        "daemon.cli.main.main = main\n"
        "daemon.cli.main.run()\n"
    )
    known = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    return subprocess.run([sys.executable, "-m", "stand_in"], cwd=folder, env=known, timeout=START_S).returncode


def test_ctrl_c_that_was_handled_within_code_from_a_string_does_not_end_by_a_signal(tmp_path: Path) -> None:
    assert status_of("with contextlib.suppress(KeyboardInterrupt): exec('raise KeyboardInterrupt')", tmp_path) == 0


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_whose_exception_was_dropped_ends_the_program_all_the_same(
    tmp_path: Path, number: str, status: int
) -> None:
    dropped = f"""\
class Closing:
    def __del__(self):
        signal.raise_signal(signal.{number})
        time.sleep(0)
Closing()
time.sleep(60)
return 0"""
    assert status_of(dropped, tmp_path) == status


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("runn",), "did you mean 'run'"),
        (("test",), "./kibitzer test"),
        (("watch", "--game", "morris", "--source", ""), "a source is a camera"),
        (("watch", "--game", "ludo", "--source", "0"), "there is no game 'ludo'"),
        (("move", "--game", "morris", "--moves", "d2 d2"), "d2 is occupied"),
    ],
)
def test_wrong_usage_is_a_line_on_standard_error_and_status_2(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        sys.exit(main(list(words)))
    out, error = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert said in error
    assert error.count("\n") == 1


def test_bus_address_that_is_refused_ends_the_daemon_with_the_status_that_no_restart_follows(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        f'[bus]\nstate = "tcp://0.0.0.0:5555"\n[journal]\npath = "{tmp_path}/journal.sqlite"\n'
        "[speech]\nenabled = false\n[page]\nenabled = false\nwindow = false\n",
        encoding="utf-8",
    )
    process = start("run", "--config", str(config))
    _, error = process.communicate(timeout=START_S)
    assert process.returncode == 2, error
    assert b"kibitzer run: 'tcp://0.0.0.0:5555' is refused" in error


def test_reader_that_goes_away_ends_the_command_quietly() -> None:
    process = start("schema", "config")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, error = process.communicate(timeout=START_S)
    assert b"Traceback" not in error and b"BrokenPipe" not in error
    assert process.returncode != 2


def test_help_needs_no_terminal_no_home_and_no_import_of_a_command() -> None:
    code = "import atexit, sys; atexit.register(lambda: print(sorted({'cv2', 'numpy'} & set(sys.modules))))"
    process = subprocess.run(
        [sys.executable, "-c", f"{code}; from daemon.cli.__main__ import run; sys.argv[1:] = ['--help']; run()"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in ("TERM", "COLUMNS", "HOME")},
        capture_output=True,
        timeout=START_S,
    )
    assert process.returncode == 0
    assert b"kibitzer demo" in process.stdout and process.stdout.endswith(b"[]\n")
