"""The wheel beside two distributions that bring packages of the same names, `daemon` and `agents`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OTHERS = ("python-daemon==3.1.2", "openai-agents==0.24.0")
DEMO = ("demo", "--headless", "--fast", "--rule", "men=3", "--plies", "6", "--json")
AGENTS = ("agents", "--game", "morris", "--json")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")


def pip(*words: str | Path) -> None:
    """Skips the test where pip can't reach its index."""
    done = subprocess.run([*PIP, *map(str, words)], capture_output=True, text=True, timeout=600)
    if "NewConnectionError" in done.stderr or "No matching distribution" in done.stderr:
        pytest.skip("pip reaches no package index")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("wheels")
    pip("wheel", "--no-deps", "-w", folder, ROOT)
    pip("download", "--no-deps", "-d", folder, *OTHERS)
    return sorted(folder.iterdir(), key=lambda path: path.name.startswith("kibitzer"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home, and a folder to start from with a package `daemon` of its own."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "daemon").mkdir()
    (folder / "daemon" / "__init__.py").touch()
    return folder


@pytest.mark.parametrize("last", ["kibitzer", "others"])
def test_an_installation_is_itself_whichever_was_installed_last(
    last: str, wheels: list[Path], home: Path, tmp_path: Path
) -> None:
    """It plays a demo where the others came last, which takes longest; else it lists its agents."""
    venv.create(tmp_path, with_pip=False)
    packages = sysconfig.get_path("purelib", vars={"base": str(tmp_path)})
    Path(packages, "needed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    python = tmp_path / "bin" / "python"
    for wheel in wheels if last == "kibitzer" else reversed(wheels):
        pip("--python", python, "install", "--no-deps", wheel)
    installed = {path.name for path in Path(packages).iterdir() if path.is_dir() and path.suffix != ".dist-info"}
    assert installed == {"kibitzer", "daemon", "agents"}

    ours = ("PYTHONPATH", "PYTHONSAFEPATH", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in ours and "XDG" not in name}
    played = subprocess.run(
        [tmp_path / "bin" / "kibitzer", *(DEMO if last == "others" else AGENTS)],
        cwd=home, env={**kept, "HOME": str(home)}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    told = json.loads(played.stdout)
    if last == "others":
        assert told["plies"] >= 6 and told["wrong_boards"] == told["missed_plies"] == 0
    else:
        assert "alphabeta" in [agent["name"] for agent in told["agents"]]
