"""Imports run one way: wording <- rules <- games <- calibration <- vision <- daemon <- lab; games <- agents."""

from __future__ import annotations

import ast
import functools
import graphlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GROUND = {"system", "wording", "rules"}
ALLOWED = {
    "system": set[str](),
    "wording": set[str](),
    "rules": {"wording"},
    "games": {"rules", "wording"},
    "calibration": {"games", "rules", "system", "wording"},
    "vision": {"calibration", "games", *GROUND},
    "agents": {"games", *GROUND},
    "daemon": {"vision", "calibration", "games", "agents", *GROUND},
    "lab": {"daemon", "vision", "calibration", "games", "agents", *GROUND},
}
"""Packages that each package may import, besides itself."""
PACKAGES = tuple(ALLOWED)
SIGHT = ("sources", "primitives", "finding", "watching", "reading", "calibrating")
"""Packages of `vision`; each imports only earlier ones."""
AGENT_TYPES = {"agents.agent", "agents.certificates", "agents.messages", "agents.values"}
GATHERER = ROOT / "daemon" / "cli" / "main.py"
SHIPPED_LAB = ("simulated", "demo")
"""What the wheel has of `lab`: what `kibitzer demo` needs."""
ROOMS = (
    ("words", "config"),
    ("game", "drawing", "scoring"),
    ("belief", "commands", "supervision"),
    ("judging",),
    ("bus", "record"),
    ("match",),
    ("perception", "voice"),
    ("page", "relay"),
    ("setup", "checks", "bundles"),
    ("run",),
    ("cli",),
)
"""Folders of `daemon`; each imports only folders from earlier lines, none from its own line."""


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Names of all modules that a file imports, including inside functions."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            # `from agents import messages` names the module agents.messages.
            found |= {f"{module}.{alias.name}" if is_package(module) else module for alias in node.names}
    return frozenset(found)


def names_from(path: Path, module: str) -> set[str]:
    """Names that a file imports from a module."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {
        alias.name
        for node in tree
        if isinstance(node, ast.ImportFrom) and node.module == module
        for alias in node.names
    }


def is_package(module: str) -> bool:
    return module.split(".")[0] in PACKAGES and ROOT.joinpath(*module.split(".")).is_dir()


def is_kernel(path: Path) -> bool:
    """Whether a file is a game's compiled search, which belongs to the agents though it lies in the game's folder."""
    return path.relative_to(ROOT).match("games/*/kernel/*.py")


def test_compiled_searches_stand_with_the_agents() -> None:
    files = {path: imports(path) for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}
    for path, names in files.items():
        if is_kernel(path):
            wrong = {name for name in names if name.split(".")[0] in set(PACKAGES) - {"agents"} - ALLOWED["agents"]}
            assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"
        elif path.relative_to(ROOT).parts[0] not in ("agents", "lab"):
            searches = {name for name in names if name.startswith("games.") and ".kernel" in name}
            assert not searches, f"{path.relative_to(ROOT)} imports {searches}"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_one_way(package: str) -> None:
    for path in sorted(path for path in (ROOT / package).rglob("*.py") if not is_kernel(path)):
        ours = {name for name in imports(path) if name.split(".")[0] in PACKAGES}
        wrong = {name for name in ours if name.split(".")[0] not in {package} | ALLOWED[package]}
        if path != GATHERER:
            assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"
        if package == "daemon" and path != GATHERER:
            agents = {name for name in ours if name.split(".")[0] == "agents"}
            beyond = {name for name in agents if not any(name.startswith(known) for known in AGENT_TYPES)}
            assert not beyond, f"{path.relative_to(ROOT)}: the daemon sees agents' message types only, not {beyond}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_part_of_the_program_imports_a_test(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        assert not {name for name in imports(path) if name.split(".")[0] == "tests"}, path.relative_to(ROOT)


@pytest.mark.parametrize("room", ["interpret", "judging"])
def test_who_judges_knows_no_language(room: str) -> None:
    """The judging code emits sentences; it looks up only people's words for objects in the table's language."""
    for path in sorted((ROOT / "daemon" / room).rglob("*.py")):
        assert names_from(path, "daemon.words.translation") <= {"called"}, path.name


@pytest.mark.parametrize("package", SIGHT)
def test_sight_is_built_one_way(package: str) -> None:
    later = [f"vision.{name}." for name in SIGHT[SIGHT.index(package) + 1 :]]
    for path in sorted((ROOT / "vision" / package).glob("*.py")):
        wrong = {name for name in imports(path) if name.startswith(tuple(later))}
        assert not wrong, f"{path.name} imports {wrong}"


def test_every_folder_of_the_daemon_is_a_room() -> None:
    rooms = {path.name for path in (ROOT / "daemon").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == {room for line in ROOMS for room in line}


@pytest.mark.parametrize("room", [room for line in ROOMS for room in line])
def test_the_daemon_is_built_one_way(room: str) -> None:
    line = next(number for number, rooms in enumerate(ROOMS) if room in rooms)
    beyond = {other for rooms in ROOMS[line:] for other in rooms} - {room}
    for path in sorted((ROOT / "daemon" / room).rglob("*.py")):
        wrong = {name for name in imports(path) if name.startswith("daemon.") and name.split(".")[1] in beyond}
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_no_file_is_built_on_itself() -> None:
    """Imports for types, and inside functions, count as well. `prepare` raises an error that names the cycle."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    modules = {path.relative_to(ROOT).with_suffix(""): path for path in paths}
    files = {
        ".".join(name.parent.parts if name.name == "__init__" else name.parts): path for name, path in modules.items()
    }
    graphlib.TopologicalSorter({name: imports(path) & files.keys() - {name} for name, path in files.items()}).prepare()


@pytest.mark.parametrize("package", PACKAGES)
def test_only_the_training_recipes_import_torch(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        heavy = {name for name in imports(path) if name.split(".")[0] in ("torch", "torchvision", "onnx", "mitsuba")}
        assert not heavy or path.is_relative_to(ROOT / "lab" / "train"), f"{path.relative_to(ROOT)}: {heavy}"


def test_what_the_wheel_has_of_the_laboratory_needs_no_more_of_it() -> None:
    for path in sorted(path for folder in SHIPPED_LAB for path in (ROOT / "lab" / folder).rglob("*.py")):
        beyond = {name for name in imports(path) if name.startswith("lab.") and name.split(".")[1] not in SHIPPED_LAB}
        assert not beyond, f"{path.relative_to(ROOT)} imports {beyond}"


@pytest.mark.parametrize("package", ["rules", "games"])
def test_rules_are_pure(package: str) -> None:
    for path in sorted(path for path in (ROOT / package).rglob("*.py") if not is_kernel(path)):
        others = {name.split(".")[0] for name in imports(path)} - set(PACKAGES)
        foreign = others - sys.stdlib_module_names
        assert not foreign, f"{path.relative_to(ROOT)} uses more than the standard library: {foreign}"
