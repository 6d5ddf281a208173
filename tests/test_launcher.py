"""Tests the launcher: the packages it installs, and its messages if something is missing."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import io
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def launcher() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("kibitzer_launcher", str(ROOT / "kibitzer"))
    spec = importlib.util.spec_from_loader("kibitzer_launcher", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def names_of(launcher: ModuleType, *arguments: str) -> set[str]:
    """Names of the packages that a command line needs."""
    wanted = launcher.requirements(launcher.extras_of(list(arguments)))
    return {re.split(r"[<>=;\[ ]", one, maxsplit=1)[0] for one in wanted}


@pytest.mark.parametrize(
    "line",
    ["demo", "", "--version", "bench search", "bench latency --hands 3", "bench tables", "bench verdicts",
     "bench --help", "bench pipeline --no-reference", "bench pipeline --help", "train --help", "arena gauntlet",
     "read photo.jpg", "calibrate --game morris", "eval-descriptors", "doctor"],
)  # fmt: skip
def test_no_command_but_training_needs_torch(launcher: ModuleType, line: str) -> None:
    names = names_of(launcher, *line.split())
    assert {"opencv-python", "numba"} <= names
    assert not names & {"torch", "torchvision", "onnx", "pytest", "mypy"}


@pytest.mark.parametrize(
    "line", ["train resnet18", "bench pipeline", "bench vision --game gomoku", "bench filmed --seed 0", "test"]
)
def test_training_and_what_is_compared_with_it_need_torch(launcher: ModuleType, line: str) -> None:
    assert {"torch", "torchvision", "onnx"} <= names_of(launcher, *line.split())


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("arena match random random --game morris --backend dask", True),
        ("tables build --men 7 --backend=dask --cluster host:8786", True),
        ("arena match random random --game morris --backend loky", False),
        ("arena match dask random --game morris", False),
        ("arena --help --backend dask", False),
        ("test", True),
    ],
)
def test_only_work_on_a_cluster_and_the_tests_need_dask(launcher: ModuleType, line: str, wanted: bool) -> None:
    assert ("dask" in names_of(launcher, *line.split())) == wanted


def test_test_installs_the_tools_too(launcher: ModuleType) -> None:
    assert {"matplotlib", "pytest", "ruff", "mypy"} <= names_of(launcher, "test", "--help")


def test_the_lock_pins_every_package_that_is_named(launcher: ModuleType) -> None:
    pins = [line for line in launcher.LOCK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", pin) for pin in pins)
    named = {name.lower() for name in names_of(launcher, "test")}
    assert named <= {pin.split("==")[0] for pin in pins}
    assert "torch==2.13.0" in pins


def test_packages_are_installed_as_the_lock_has_them(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    called = []
    monkeypatch.setattr(launcher, "LOG", tmp_path / "log")
    monkeypatch.setattr(launcher, "DOWNLOADS", tmp_path / "downloads")
    monkeypatch.setattr(launcher, "start", lambda command, _: called.append(command) or subprocess.Popen(["true"]))
    launcher.pip_install(["numpy>=2"])
    assert not (tmp_path / "downloads").exists()
    assert called[0][-3:] == ["--constraint", str(ROOT / "requirements.lock"), "numpy>=2"]


def test_the_players_are_prepared_with_the_installation_but_not_for_tests(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done: list[str] = []
    monkeypatch.setattr(launcher, "VENV", tmp_path)
    monkeypatch.setattr(launcher, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(launcher, "missing_system_packages", list)
    monkeypatch.setattr(launcher, "pip_install", lambda _: done.append("packages"))
    monkeypatch.setattr(launcher, "compile_searches", lambda game: done.append(f"players {game}".strip()))
    monkeypatch.setattr(launcher, "run_program", lambda _: 0)
    monkeypatch.setattr(launcher, "run_checks", lambda _: 0)
    for command, what in (("demo", ["packages", "players morris"]), ("run", []), ("test", ["packages"])):
        monkeypatch.setattr(sys, "argv", ["kibitzer", command])
        assert launcher.main() == 0
        assert done == what
        done.clear()


def test_what_prepares_the_players_counts_the_parts_of_each(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agents.compile_ahead", "co_ganh", "nine_mens_morris"],
        env=launcher.environment(), cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    counts = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    whole = counts[0][1]
    assert counts == sorted(counts) and counts[-1] == (whole, whole)
    monkeypatch.setattr(launcher, "PYTHON", Path("/bin/false"))
    launcher.compile_searches()  # what cannot be compiled there is compiled at the first move
    assert "preparing the players" in capsys.readouterr().err


PIP = """Collecting numpy>=2 (from -r x)
  Downloading numpy-2.4.6.whl (16.9 MB)
Collecting scipy<2
"""


def test_the_bar_counts_what_is_downloaded_and_then_what_is_unpacked(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(launcher, "DOWNLOADS", tmp_path)
    monkeypatch.setattr(launcher, "VENV", tmp_path)
    assert launcher.state_of("", 250, 0) == (0, 250, "MB downloaded (looking them up)")
    for number, size in enumerate((3_000_000, 1_500_000)):
        (tmp_path / f"pip-unpack-{number}").mkdir()
        (tmp_path / f"pip-unpack-{number}" / "one.whl").write_bytes(bytes(size))
    assert launcher.state_of(PIP, 250, 0) == (4.5, 250, "MB downloaded (scipy)")
    assert launcher.state_of(PIP, 4, 0) == (4.5, 4.5, "MB downloaded (scipy)")
    assert launcher.state_of(PIP, 0, 0) == (4.5, 0, "MB downloaded (scipy)")
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in ("pip", "numpy"):
        (packages / f"{name}-1.dist-info").mkdir(parents=True)
    output = f"{PIP}Installing collected packages: numpy, scipy, attrs\n"
    assert launcher.state_of(output, 250, 1) == (1, 3, "packages unpacked")


def test_the_bar_overwrites_itself_and_fits_the_terminal(launcher: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Terminal()
    monkeypatch.setattr(launcher.sys, "stderr", told)
    monkeypatch.setenv("COLUMNS", "60")
    launcher.progress(125, 250, "MB downloaded (a-package-with-a-very-long-name)", "")
    start, text = told.getvalue()[:4], told.getvalue()[4:]
    assert start == "\r\033[K" and len(text) == 59
    assert text.startswith(f"  [{'#' * 15}{'.' * 15}] 125 of 250 MB down")
    launcher.progress(12, 0, "MB downloaded (torch)", "")
    assert told.getvalue().endswith("\r\033[K  12 MB downloaded (torch)")


def test_without_a_terminal_a_line_comes_at_every_50_mb_and_where_unpacking_begins(
    launcher: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ""
    for mb in range(0, 130, 7):
        told = launcher.progress(mb, 250, f"MB downloaded (package-{mb})", told)
    for packages in (1, 9, 41):
        told = launcher.progress(packages, 41, "packages unpacked", told)
    assert capsys.readouterr().err.splitlines() == [
        "kibitzer: 0 of 250 MB downloaded",
        "kibitzer: 56 of 250 MB downloaded",
        "kibitzer: 105 of 250 MB downloaded",
        "kibitzer: 1 of 41 packages unpacked",
    ]


def test_the_readme_names_the_size_that_the_bar_counts_to(launcher: ModuleType) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"downloads {launcher.DOWNLOAD_MB} MB" in readme


def test_missing_library_is_reported_by_its_debian_package(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "SYSTEM_LIBRARIES", {"libnowhere1": "libnowhere.so.1"})
    monkeypatch.setattr(launcher, "SYSTEM_PROGRAMS", {"nowhere-utils": "nowhere-program"})
    assert launcher.missing_system_packages() == ["libnowhere1", "nowhere-utils"]


@pytest.mark.parametrize("package", ["libnowhere1", "libllvm19"])
def test_without_root_the_command_is_named_and_the_start_goes_on(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], package: str
) -> None:
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 1000)
    launcher.install_system_packages([package], False)
    said = capsys.readouterr().err
    assert f"sudo apt-get install -y --no-install-recommends {package}" in said and "espeak" not in said


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "yes", "installs"),
    [("\n", False, True), ("Y\n", False, True), ("n\n", False, False), ("what?\n", False, False), ("", False, False),
     ("n\n", True, True)],
)  # fmt: skip
def test_root_is_asked_on_a_terminal_and_enter_is_yes(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, typed: str, yes: bool, installs: bool
) -> None:
    ran, told = [], Terminal()
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 0)
    monkeypatch.setattr(launcher.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(launcher.subprocess, "run", lambda command, **_: ran.append(command[:2]))
    monkeypatch.setattr(launcher.sys, "stdin", Terminal(typed))
    monkeypatch.setattr(launcher.sys, "stderr", told)
    launcher.install_system_packages(["espeak-ng"], yes)
    assert ran == ([["apt-get", "update"], ["apt-get", "install"]] if installs else [])
    assert "espeak-ng (the voice)" in told.getvalue()
    assert ("[Y/n]" in told.getvalue()) != yes


def test_root_without_a_terminal_is_not_asked(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 0)
    monkeypatch.setattr(launcher.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(launcher.sys, "stdin", io.StringIO("n\n"))
    assert launcher.may_install("system packages: espeak-ng", False)
    assert "installing system packages: espeak-ng" in capsys.readouterr().err


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_another_system_is_refused_in_one_line(system: str) -> None:
    code = (
        f"import runpy, sys; sys.platform = {system!r}; runpy.run_path({str(ROOT / 'kibitzer')!r}, run_name='__main__')"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert told.returncode == 1
    assert told.stderr == (
        f"kibitzer: runs on Linux, and this is {system}; docs/platforms.md says what works here instead\n"
    )


@pytest.mark.parametrize(
    ("library", "wanted"),
    [
        ("libLLVM-15.so.1", ["libllvm19"]),
        ("libLLVM-14.0.6.so.1", ["libllvm19"]),
        ("libLLVM.so", ["libllvm19"]),
        ("libLLVM-17.so.1", []),
        ("libLLVM.so.19.1", []),
    ],
)
def test_scenes_want_llvm_only_where_there_is_none_that_is_new_enough(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: str, wanted: list[str]
) -> None:
    monkeypatch.delenv("DRJIT_LIBLLVM_PATH", raising=False)
    monkeypatch.setattr(launcher, "LIBRARY_FOLDERS", (str(tmp_path),))
    assert launcher.missing_llvm() == ["libllvm19"]
    (tmp_path / library).touch()
    assert launcher.missing_llvm() == wanted


@pytest.mark.parametrize("where", ["prepare", "execve"])
def test_a_checkout_that_may_not_be_read_is_said_in_one_line(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(launcher.PYTHON))

    monkeypatch.setattr(launcher, "prepare", lambda *_: None)
    monkeypatch.setattr(launcher if where == "prepare" else launcher.os, where, denied)
    monkeypatch.setattr(launcher.sys, "argv", ["kibitzer", "doctor"])
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        assert launcher.main() == 75
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"kibitzer: {launcher.PYTHON}: Permission denied; who installed Kibitzer must let you")


def test_ctrl_c_between_the_launcher_and_the_program_waits_for_the_program(tmp_path: Path) -> None:
    program = tmp_path / "python"
    asked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    program.write_text(f"#!{sys.executable}\n{asked}\n", encoding="utf-8")
    program.chmod(0o755)
    code = (
        "import importlib.machinery as m, importlib.util as u, pathlib, sys\n"
        "loader = m.SourceFileLoader('launcher', sys.argv[1])\n"
        "launcher = u.module_from_spec(u.spec_from_loader('launcher', loader))\n"
        "loader.exec_module(launcher)\n"
        "launcher.PYTHON = pathlib.Path(sys.argv[2])\n"
        "launcher.run_program([])\n"
    )
    line = [sys.executable, "-c", code, str(ROOT / "kibitzer"), str(program)]
    told = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert told.stdout == "True\n", told.stderr
