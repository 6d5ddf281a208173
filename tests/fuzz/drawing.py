"""Inputs drawn by hypothesis: well-formed but wrong in content, as a faulty program would send them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from daemon.commands.command import NAMES
from tests.fuzz.entry import Entry

TEXTS = st.one_of(st.text(max_size=70), st.sampled_from(["", "d2", "\x00", "x" * 65, "a b", "1", "w1", "random", "s1"]))
NUMBERS = st.one_of(st.integers(), st.floats(), st.integers(-2, 9), st.sampled_from([2**53, 2**53 + 1, 2**64]))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


def objects(*examples: bytes) -> st.SearchStrategy[bytes]:
    """JSON objects like the examples, with some fields replaced, left out or added."""

    def changed(base: dict[str, Any], changes: dict[str, Any], gone: set[str]) -> bytes:
        found = {name: value for name, value in (base | changes).items() if name not in gone}
        return json.dumps(found).encode()

    bases = [json.loads(example) for example in examples]
    names = st.sampled_from(sorted({name for base in bases for name in base}))
    return st.builds(
        changed,
        st.sampled_from(bases),
        st.dictionaries(st.one_of(names, TEXTS), ANYTHING, max_size=3),
        st.one_of(st.just(set()), st.sets(names, max_size=2)),
    )


def commands() -> st.SearchStrategy[bytes]:
    fields = st.dictionaries(st.sampled_from(["side", "move", "cell", "piece"]), ANYTHING, max_size=3)
    return st.builds(
        lambda name, more: json.dumps({"command": name, **more}).encode(), st.sampled_from([*NAMES, "", "x"]), fields
    )


def toml() -> st.SearchStrategy[bytes]:
    """Settings files: known sections and keys with values of every type."""
    values = st.one_of(
        st.integers(),
        st.floats(),
        st.booleans(),
        TEXTS,
        st.lists(NUMBERS, max_size=6),
        st.dictionaries(TEXTS, TEXTS, max_size=2),
    )
    from daemon.config.settings import Config

    keys = [
        (section, key)
        for section, field in Config.model_fields.items()
        for key in getattr(field.annotation, "model_fields", {"x": 0})
    ]

    def written(pairs: list[tuple[tuple[str, str], Any]]) -> bytes:
        sections: dict[str, list[str]] = {}
        for (section, key), value in pairs:
            sections.setdefault(section, []).append(f"{key} = {_toml_value(value)}")
        text = "".join(f"[{name}]\n" + "\n".join(lines) + "\n" for name, lines in sections.items())
        return text.encode("utf-8", "surrogatepass")

    return st.lists(st.tuples(st.sampled_from(keys), values), max_size=4, unique_by=lambda pair: pair[0]).map(written)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml_value(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value).replace("Infinity", "inf").replace("NaN", "nan")


def strategy_for(entry: Entry) -> st.SearchStrategy[bytes]:
    if entry.name == "config":
        return toml()
    if entry.name == "command":
        return commands()
    if all(_is_object(one) for one in entry.seeds):
        return objects(*entry.seeds)
    pieces = st.sampled_from([*entry.seeds, *entry.words, b" ", b"\n", b"0", b"-"])
    first = st.sampled_from(entry.seeds)
    mixed = st.tuples(first, st.integers(0, 60), st.lists(st.one_of(pieces, st.binary(max_size=4)), max_size=4)).map(
        lambda drawn: drawn[0][: drawn[1]] + b"".join(drawn[2]) + drawn[0][drawn[1] :]
    )
    return st.one_of(mixed, st.lists(pieces, max_size=6).map(b"".join), st.binary(max_size=64))


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except ValueError:
        return False


def draw(entry: Entry, count: int, chance_seed: int, feed: Callable[[bytes], None]) -> None:
    """Passes `count` drawn inputs to `feed`."""

    @seed(chance_seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy_for(entry))
    def drawn(data: bytes) -> None:
        feed(data[: entry.longest])

    drawn()
