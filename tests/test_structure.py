"""From picture to effect no object keeps much that changes: where it does, what it does depends on what came before."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "vision/primitives",
    "vision/finding",
    "vision/watching",
    "vision/reading",
    "daemon/perception",
    "daemon/belief",
    "daemon/judging",
    "daemon/game",
    "daemon/scoring",
)
MAX_FIELDS = 12
"""Fields of one object, with those that it inherits, that are assigned after it was made."""


def classes() -> dict[str, ast.ClassDef]:
    """Every class of the rooms by its name."""
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    return {node.name: node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


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


def test_no_class_from_picture_to_effect_has_many_fields_that_change() -> None:
    known = classes()

    def fields(one: ast.ClassDef) -> set[str]:
        bases = [known[base.id] for base in one.bases if isinstance(base, ast.Name) and base.id in known]
        return changing(one).union(*(fields(base) for base in bases))

    counts = {name: fields(one) for name, one in known.items()}
    assert {"Aligner", "Watcher", "Pipeline", "BoardTracker", "Referee"} <= counts.keys()
    assert {name: sorted(found) for name, found in counts.items() if len(found) > MAX_FIELDS} == {}
