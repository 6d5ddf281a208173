"""SECURITY.md names a test for every promise, and there is each of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"`([a-z_/]+\.py)::(test_\w+)`")


def names_of_tests(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_promise_names_tests_that_there_are() -> None:
    _, _, table = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("\n| promise | test |\n|---|---|\n")
    rows = [line.strip("|").split("|") for line in table.partition("\n\n")[0].splitlines()]
    assert len(rows) > 20
    for promise, tests in rows:
        named = NAMED.findall(tests)
        assert named and not NAMED.sub("", tests).strip(" ,"), f"{promise}: {tests}"
        missing = [f"{path}::{name}" for path, name in named if name not in names_of_tests(path)]
        assert not missing, promise
