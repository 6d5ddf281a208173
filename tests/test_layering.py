"""Imports run one way: wording <- games <- calibration <- vision <- daemon, games <- agents <- daemon."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("wording", "games", "calibration", "vision", "agents", "daemon", "models")
ALLOWED = {
    "wording": {"wording"},
    "games": {"games", "wording"},
    "calibration": {"calibration", "games", "wording"},
    "vision": {"vision", "calibration", "games", "wording"},
    "agents": {"agents", "games", "wording"},
    "daemon": {"daemon", "vision", "calibration", "games", "agents", "wording"},
    "models": {"models", "vision", "calibration", "games", "agents", "wording"},
}
SIGHT = ("sources", "primitives", "finding", "watching", "reading", "calibrating")
"""Packages of `vision`, each built on those before it."""
AGENT_TYPES = {"agents.agent", "agents.certificates", "agents.messages"}
GATHERERS = (ROOT / "daemon" / "cli.py", ROOT / "daemon" / "bench_cli.py")


def imports(path: Path) -> set[str]:
    """Every module name that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            # `from agents import messages` names the module agents.messages.
            found |= {f"{module}.{alias.name}" if module in PACKAGES else module for alias in node.names}
    return found


def sources() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    ours = {name for name in imports(path) if name.split(".")[0] in PACKAGES}
    wrong = {name for name in ours if name.split(".")[0] not in ALLOWED[package]}
    if path not in GATHERERS:
        assert not wrong, f"{path.name} imports {wrong}"
    if package == "daemon" and path not in GATHERERS:
        agents = {name for name in ours if name.split(".")[0] == "agents"}
        beyond = {name for name in agents if not any(name.startswith(known) for known in AGENT_TYPES)}
        assert not beyond, f"the daemon sees agents' message types only, not {beyond}"
    assert not any(name.startswith("models.train") for name in ours) or path.is_relative_to(ROOT / "models" / "train")


@pytest.mark.parametrize("package", SIGHT)
def test_sight_is_built_one_way(package: str) -> None:
    later = [f"vision.{name}." for name in SIGHT[SIGHT.index(package) + 1 :]]
    for path in sorted((ROOT / "vision" / package).glob("*.py")):
        wrong = {name for name in imports(path) if name.startswith(tuple(later))}
        assert not wrong, f"{path.name} imports {wrong}"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_training_recipes_import_torch(path: Path) -> None:
    heavy = {name for name in imports(path) if name.split(".")[0] in ("torch", "torchvision", "onnx", "mitsuba")}
    assert not heavy or path.is_relative_to(ROOT / "models" / "train")


@pytest.mark.parametrize("path", sorted((ROOT / "games").glob("*.py")), ids=lambda path: path.name)
def test_rules_are_pure(path: Path) -> None:
    standard = {name for name in imports(path) if name.split(".")[0] not in PACKAGES}
    foreign = {name for name in standard if name.split(".")[0] not in sys.stdlib_module_names}
    assert not foreign, f"games use the standard library only, not {foreign}"
