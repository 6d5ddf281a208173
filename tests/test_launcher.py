"""The launcher: what it installs, and that it says what is missing."""

from __future__ import annotations

import importlib.machinery
import importlib.util
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


def test_demo_needs_neither_torch_nor_test_tools(launcher: ModuleType) -> None:
    names = {pin.split("==")[0] for pin in launcher.requirements(launcher.EXTRAS.get("demo", ()))}
    assert "opencv-python" in names
    assert not names & {"torch", "torchvision", "onnx", "pytest", "mypy"}


def test_test_installs_the_training_packages_too(launcher: ModuleType) -> None:
    names = {pin.split("==")[0] for pin in launcher.requirements(launcher.EXTRAS["test"])}
    assert {"torch", "torchvision", "pytest", "ruff", "mypy"} <= names


def test_every_package_is_pinned(launcher: ModuleType) -> None:
    assert all("==" in pin for pin in launcher.requirements(("train", "test")))


def test_missing_library_is_reported_by_its_debian_package(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "SYSTEM_LIBRARIES", {"libnowhere1": "libnowhere.so.1"})
    monkeypatch.setattr(launcher, "SYSTEM_PROGRAMS", {"nowhere-utils": "nowhere-program"})
    assert launcher.missing_system_packages() == ["libnowhere1", "nowhere-utils"]


def test_without_root_the_command_is_named_and_the_start_goes_on(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher, "SYSTEM_LIBRARIES", {"libnowhere1": "libnowhere.so.1"})
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 1000)
    launcher.install_system_packages()
    assert "sudo apt-get install -y --no-install-recommends libnowhere1" in capsys.readouterr().err


def run_cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "daemon.cli", *arguments], capture_output=True, text=True, timeout=60, cwd=ROOT
    )


def test_help_lists_every_command_without_importing_any() -> None:
    heavy = "print(sorted(set(sys.modules) & {'cv2', 'numpy'}))"
    code = f"import sys; from daemon.cli.main import main; main(['--help']); {heavy}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert result.stdout.rstrip().endswith("[]")
    assert "demo" in result.stdout


def test_unknown_command_names_the_nearest_one() -> None:
    result = run_cli("dmeo")
    assert result.returncode == 2
    assert "did you mean 'demo'?" in result.stderr
    assert "Traceback" not in result.stderr


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


def test_llvm_is_named_where_it_cannot_be_installed(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 1000)
    launcher.install_system_packages(["libllvm19"])
    said = capsys.readouterr().err
    assert "sudo apt-get install -y --no-install-recommends libllvm19" in said
    assert "espeak" not in said
