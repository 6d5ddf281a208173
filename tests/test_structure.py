"""No object keeps much that changes: where it does, what it does depends on what came before.

And what sees and judges does not grow: its numbers and lines are bounded by what they were, until they are fewer.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("system", "wording", "rules", "games", "calibration", "vision", "agents", "daemon", "lab")
MAX_FIELDS = 12
"""Fields of one object, with those that it inherits, that are assigned after it was made."""


NUMBERED = ("vision", "daemon/perception", "daemon/belief", "daemon/judging")
MAX_NUMBERS = 512
"""Names given to numbers in the modules that see and judge; 250 are wanted."""
JUDGING = ("vision/watching", "daemon/perception", "daemon/belief", "daemon/judging")
MAX_LINES = 7_020
"""Lines of the modules that watch and judge; 6,000 are wanted."""


def classes(package: str) -> dict[str, ast.ClassDef]:
    """Every class outside the compiled searches by its name, the one with most fields where several have it."""
    files = [file for file in sorted((ROOT / package).rglob("*.py")) if "kernel" not in file.parts]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    found = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name: node for node in sorted(found, key=lambda one: len(changing(one)))}


def changing(one: ast.ClassDef) -> set[str]:
    """The fields that methods assign, but for those that only make the object."""
    methods = [node for node in one.body if isinstance(node, ast.FunctionDef)]
    later = [method for method in methods if method.name not in ("__init__", "__post_init__")]
    return {
        node.attr
        for method in later
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_no_class_has_many_fields_that_change(package: str) -> None:
    known = classes(package)

    def fields(one: ast.ClassDef) -> set[str]:
        names = [base.id for base in one.bases if isinstance(base, ast.Name) and base.id != one.name]
        return changing(one).union(*(fields(known[name]) for name in names if name in known))

    counts = {name: fields(one) for name, one in known.items()}
    assert counts or package == "system"
    assert {name: sorted(found) for name, found in counts.items() if len(found) > MAX_FIELDS} == {}


def numbers(tree: ast.Module) -> int:
    """How many names of a module stand for something with a number in it."""
    named = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None]
    return sum(
        isinstance(part, ast.Name)
        for node in named
        if any(isinstance(part, ast.Constant) and type(part.value) in (int, float) for part in ast.walk(node.value))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for part in ast.walk(target)
    )


def test_what_sees_and_judges_has_no_more_numbers_than_before() -> None:
    files = [file for room in NUMBERED for file in sorted((ROOT / room).rglob("*.py"))]
    own = [file for file in files if file.relative_to(ROOT).parts[1] != "sheet"]
    assert numbers(ast.parse("A, B = 1, 2.5\nC: int = 3\nD = 'none'\n")) == 3
    assert 0 < sum(numbers(ast.parse(file.read_text(encoding="utf-8"))) for file in own) <= MAX_NUMBERS


def test_what_watches_and_judges_has_no_more_lines_than_before() -> None:
    files = [file for room in JUDGING for file in sorted((ROOT / room).rglob("*.py"))]
    files.append(ROOT / "daemon" / "game" / "line_of_play.py")
    assert 0 < sum(file.read_text(encoding="utf-8").count("\n") for file in files) <= MAX_LINES
