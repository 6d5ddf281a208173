"""Numbers from outside are numbers: every reader refuses `true`, and a text, in the place of each of them."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import json
import pkgutil
import typing
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ValidationError

import agents
import daemon
from agents.arena.play import Played, Use
from agents.books import book
from agents.tables import files as tables
from agents.values import Value
from daemon.bundles.bundle_file import BundleFile
from daemon.bundles.bundle_requests import _taken
from daemon.config.settings import load_config
from daemon.game.score_pad import ScorePad
from daemon.record.reviews import Best, JudgedPly, Review
from daemon.record.rows import _clock, _is_answer
from daemon.relay.following import Memory, Sent
from daemon.voice.wyoming import _length
from tests.fuzz.entry import TARGETS, Entry, met
from tests.fuzz.targets import entries_of

BAD: tuple[Callable[[float], object], ...] = (lambda _: True, str)
FREE = {
    ("choice", "rules", "limit"),  # rules and options are texts, whatever a page sends
    ("choice", "options", "depth"),
    ("record_json", "data", "score"),  # what an agent thought is free; its own reader checks it
}


def numbers(tree: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], float]]:
    """The place and value of every number in a tree of JSON."""
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from numbers(value, (*path, key))
    elif type(tree) in (int, float):
        yield path, tree


def with_another(tree: Any, path: tuple[str | int, ...], value: object) -> Any:
    changed = copy.deepcopy(tree)
    part = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return changed


def taken(reader: Callable[[Any], object], tree: Any, name: str = "") -> list[str]:
    """The numbers in whose place the reader takes something else."""
    found = {}
    for path, value in numbers(tree):
        names = [str(key) for key in path if isinstance(key, str)]
        if (name, *names[-2:]) in FREE:
            continue
        for bad in BAD:
            if reader(with_another(tree, path, bad(value))) is not False:
                found[".".join("*" if isinstance(key, int) else key for key in path)] = bad(value)
    return [f"{where} = {value!r}" for where, value in found.items()]


def trees(entry: Entry) -> Iterator[Any]:
    for seed in entry.seeds:
        try:
            tree = json.loads(seed)
        except ValueError:
            continue
        if isinstance(tree, dict | list) and met(entry, seed) is True:
            yield tree


@pytest.mark.parametrize("target", [target for target in TARGETS if target not in ("table", "games", "protocols")])
def test_what_is_fuzzed_takes_nothing_else_for_a_number(target: str) -> None:
    found: dict[str, list[str]] = {}
    for entry in entries_of(target):

        def reads(bad: Any, entry: Entry = entry) -> object:
            return met(entry, json.dumps(bad).encode())

        for tree in trees(entry):
            if read := taken(reads, tree, entry.name):
                found.setdefault(entry.name, []).extend(read)
    assert not found


USE = Use(3, 1.5, 0.7, 99, 12, 1)
PLAYED = dataclasses.asdict(Played("1", 0, "moves", 5, (1, 0.5), None, (USE, USE), 7, "a b"))
VALUE = Value(0.5, 1.0, 3, exact=True)
JUDGED = JudgedPly(1, 0, VALUE, Best("d3", VALUE, ("d3", "c5")), "d3", 0.25, 1.0)
REVIEW = Review("g", "abc", 0.5, "", "man", 1, "", "", {1: JUDGED}).as_object()
PAD = ScorePad(("Ana", "Ben"), 100, rounds=((5, 7), (0, -3))).as_object()
BOOK: list[Any] = [
    {"format": book.FORMAT, "game": "reversi", "rules": {}, "nodes": 99, "columns": list(book.COLUMNS)},
    {"key": "k", "line": "d3", "moves": [["c3", 5, 4, 9]]},
]
HEADER = dataclasses.asdict(tables.Header("rules", 3, 3, 1, 1, 1, 0, 0, 1, 0, "sum"))
MANIFEST: dict[str, Any] = {
    "format": "kibitzer-bundle",
    "version": 1,
    "created": "2026-11-28",
    "reason": "asked",
    "game": "nine_mens_morris",
    "eyes": {"settle_s": 0.5, "readings": 3, "lost_s": 2.0},
    "shape": {"far_side": 0.9},
    "place": {"image_from_board": [1.0] * 9, "error_px": 0.5, "quality": 1.0},
    "states": [{"declared": {"winner": 1, "reason": "resigned"}}],
    "standing": {"code": "illegal", "ply": 3, "cells": [1, 2]},
    "frames": [{"time_s": 0.5, "told": 0, "said": [{"code": "move", "ply": 1}]}],
    "left_out": 2,
}


def _written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def _bundle(folder: Path, tree: Any) -> object:
    path = folder / "bundle.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(tree))
        archive.writestr("frames/000000.jpg", b"")
    with BundleFile(path) as bundle:
        return bundle.manifest


def _table(folder: Path, tree: Any) -> object:
    head = (tables.MAGIC + json.dumps(tree).encode()).ljust(tables.HEADER_BYTES)
    return tables.read_header(_written(folder, "3-3.table", head + b"\0"))


def _request(folder: Path, tree: Any) -> object:
    return _taken(_written(folder, "1.json", json.dumps(tree).encode()), "table") or False


def _memory(folder: Path, tree: Any) -> object:
    memory = Memory(folder / "record", "address")
    memory._path.parent.mkdir(exist_ok=True)
    memory._path.write_text(json.dumps(tree))
    return Memory(folder / "record", "address").games or False


def _event(_folder: Path, tree: Any) -> object:
    return [_length(tree, name, 99) for name in tree]


def _settings(folder: Path, tree: Any) -> object:
    lines = (
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in one.items())
        for name, one in tree.items()
    )
    return load_config(_written(folder, "settings.toml", "".join(lines).encode()), {})


READERS: dict[str, tuple[Callable[[Path, Any], object], Any]] = {
    "bundle": (_bundle, MANIFEST),
    "request for a bundle": (_request, {"table": "table", "last_s": 5.0}),
    "what a relay has sent": (_memory, [dataclasses.asdict(Sent("g", 3))]),
    "review": (lambda _, tree: Review.of(tree), REVIEW),
    "score pad": (lambda _, tree: ScorePad.of(tree), PAD),
    "book": (
        lambda folder, tree: book.read(_written(folder, "b", b"\n".join(json.dumps(one).encode() for one in tree))),
        BOOK,
    ),
    "endgame table": (_table, HEADER),
    "game of an arena": (lambda _, tree: Played.from_json(tree), PLAYED),
    "event of a voice server": (_event, {"data_length": 1, "payload_length": 2}),
    "agent's answer in a record": (
        lambda _, tree: _is_answer(tree),
        {"move": "d3", "thought": {"score": 0.5, "depth": 3, "nodes": 9, "seconds": 0.1}},
    ),
    "clock in a record": (
        lambda _, tree: _clock({"clock": json.dumps(tree)}),
        {"kind": "game", "time_s": 60.0, "increment_s": 0},
    ),
    "settings": (_settings, {"page": {"port": 8765}, "clock": {"minutes": 5}, "journal": {"pictures_mb": 9}}),
}
"""How what is not fuzzed is read, and a good one of it."""


@pytest.mark.parametrize("name", READERS)
def test_what_is_read_takes_nothing_else_for_a_number(name: str, tmp_path: Path) -> None:
    reader, tree = READERS[name]
    assert reader(tmp_path, copy.deepcopy(tree)), "it takes the good one"

    def reads(bad: Any) -> object:
        try:
            return reader(tmp_path, bad)
        except (ValueError, TypeError):
            return False

    assert not taken(reads, tree)


def models() -> list[type[BaseModel]]:
    """Every class of fields of the program that is read from JSON or TOML."""
    for package in (agents, daemon):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith(("__main__", "daemon.cli.installed")):  # which changes where modules come from
                importlib.import_module(module.name)
    found, waiting = [], [BaseModel]
    while waiting:
        own = [
            one
            for one in waiting.pop().__subclasses__()
            if one.__module__.split(".")[0] in ("agents", "daemon", "pydantic")
        ]
        waiting += own
        found += [one for one in own if one.__module__.split(".")[0] != "pydantic"]
    return sorted(set(found), key=lambda one: (one.__module__, one.__name__))


def leaves(kind: Any) -> set[object]:
    """The types that a value of a field consists of: of a literal, those of its values."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return leaves(parts[0])
    if origin is Literal:
        return {type(one) for one in parts}
    return set().union(*map(leaves, parts)) if parts else {kind}


def test_no_field_of_numbers_takes_anything_else() -> None:
    """Whatever shape a field has: bare, in a list, in an object."""
    wrong = []
    for model in models():
        for name, field in model.model_fields.items():
            kinds = leaves(field.annotation)
            if not kinds & {int, float} or kinds & {Any, bool, str}:
                continue
            for bad in (True, "1"):
                for shape in (bad, [bad], [bad, bad], [bad] * 9, {"a": bad}):
                    try:
                        model.model_validate_json(json.dumps({name: shape}), strict=True)
                        faults = {name: False}
                    except ValidationError as error:
                        faults = {str(one["loc"][0]): True for one in error.errors() if one["loc"]}
                    if name not in faults:
                        wrong.append(f"{model.__module__}.{model.__name__}.{name} takes {shape!r}")
    assert len(models()) > 30 and not wrong
