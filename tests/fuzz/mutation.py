"""Makes bad inputs from good ones: flips, cuts, doubles and splices bytes, inserts words, replaces JSON values."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

MAX_STEPS = 5
NUMBERS = (b"0", b"-1", b"1e999", b"-0.0", b"2147483648", b"9223372036854775808", b"1" * 400, b"0x10", b"1_0", b"NaN")
NASTY = (
    b"\x00",
    b"\xff\xfe",
    b"\r\n",
    b"\xe2\x80\xae",  # reverses the writing direction
    b"\xed\xa0\x80",  # half of a surrogate pair
    b"\xef\xbb\xbf",
    b"\xd9\xa3",  # an Arabic digit, which int() reads
    b"\xc2\xb2",  # a superscript, which isdigit() takes for a digit
    b"\x1b[2J",
    b"'\"`;--",
    b"../../",
    b"%s%n{0}",
    b"[" * 200,
    b"{" * 200,
    b"A" * 5000,
)
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53 + 1, 2**64, -(2**63), 0.5, -0.0, 1e308, float("nan"), float("inf"), "",
    " ", "x", "x" * 70, "x" * 5000, "\x00", "\u202e", "\ud800", "1", "true", "../x", "d2", [], {}, [[]], [None] * 300,
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")

Step = Callable[["Mutator", bytearray], None]


class Mutator:
    """Makes inputs from good ones; the same random seed makes the same inputs."""

    def __init__(self, seeds: Sequence[bytes], words: Sequence[bytes], chance: random.Random, longest: int) -> None:
        self.seeds = list(seeds) or [b""]
        self.words = (*words, *NASTY)
        self.chance = chance
        self._longest = longest

    def next(self) -> bytes:
        data = bytearray(self.chance.choice(self.seeds))
        if data[:1] in (b"{", b"[") and self.chance.random() < 0.5:
            data = bytearray(self._exchange(bytes(data)))
            if self.chance.random() < 0.7:
                return bytes(data[: self._longest])
        for _ in range(self.chance.randint(1, MAX_STEPS)):
            self.chance.choice(STEPS)(self, data)
        return bytes(data[: self._longest])

    def at(self, data: bytearray) -> int:
        return self.chance.randint(0, len(data))

    def span(self, data: bytearray) -> slice:
        """A random slice of the data, 32 bytes at most."""
        start = self.at(data)
        return slice(start, start + min(self.chance.randint(1, 32), len(data) - start))

    def _exchange(self, data: bytes) -> bytes:
        """The same JSON with one to three values or names changed; the data itself if it is not JSON."""
        try:
            tree = json.loads(data)
        except (ValueError, RecursionError):
            return data
        for _ in range(self.chance.randint(1, 3)):
            nodes = list(_containers(tree))
            if not nodes:
                return data
            node = self.chance.choice(nodes)
            key = self.chance.choice(list(node) if isinstance(node, dict) else range(len(node)))
            value = copy.deepcopy(self.chance.choice(VALUES))
            match self.chance.randrange(5):
                case 0:
                    del node[key]
                case 1 if isinstance(node, dict):
                    node[str(value)[:80]] = node.pop(key)
                case 2:
                    node[key] = [node[key]]
                case _:
                    node[key] = value
        return json.dumps(tree, ensure_ascii=self.chance.random() < 0.5).encode("utf-8", "surrogatepass")


def _containers(tree: Any) -> list[Any]:
    found, waiting = [], [tree]
    while waiting and len(found) < 1000:
        node = waiting.pop()
        if isinstance(node, dict | list) and node:
            found.append(node)
            waiting += node.values() if isinstance(node, dict) else node
    return found


def _turn(mutator: Mutator, data: bytearray) -> None:
    if data:
        data[mutator.chance.randrange(len(data))] ^= 1 << mutator.chance.randrange(8)


def _set(mutator: Mutator, data: bytearray) -> None:
    if data:
        data[mutator.chance.randrange(len(data))] = mutator.chance.randrange(256)


def _cut(mutator: Mutator, data: bytearray) -> None:
    del data[mutator.span(data)]


def _end(mutator: Mutator, data: bytearray) -> None:
    del data[mutator.at(data) :]


def _double(mutator: Mutator, data: bytearray) -> None:
    piece = data[mutator.span(data)]
    at = mutator.at(data)
    data[at:at] = piece * mutator.chance.choice((1, 1, 2, 20))


def _swap(mutator: Mutator, data: bytearray) -> None:
    first, second = mutator.span(data), mutator.span(data)
    data[first], data[second] = data[second], data[first]


def _word(mutator: Mutator, data: bytearray) -> None:
    at = mutator.at(data)
    data[at:at] = mutator.chance.choice(mutator.words)


def _replace(mutator: Mutator, data: bytearray) -> None:
    data[mutator.span(data)] = mutator.chance.choice(mutator.words)


def _number(mutator: Mutator, data: bytearray) -> None:
    found = list(_NUMBER.finditer(bytes(data[:4096])))
    if found:
        one = mutator.chance.choice(found)
        near = str(int(float(one[0][:9] or b"0")) + mutator.chance.choice((-1, 1, 10))).encode()
        data[one.start() : one.end()] = mutator.chance.choice((*NUMBERS, near, near, near))


def _splice(mutator: Mutator, data: bytearray) -> None:
    other = mutator.chance.choice(mutator.seeds)
    data[mutator.at(data) :] = other[mutator.chance.randint(0, len(other)) :]


def _case(mutator: Mutator, data: bytearray) -> None:
    where = mutator.span(data)
    data[where] = bytes(data[where]).swapcase()


def _lines(mutator: Mutator, data: bytearray) -> None:
    lines = bytes(data).split(b"\n")
    mutator.chance.shuffle(lines)
    data[:] = b"\n".join(lines)


STEPS: tuple[Step, ...] = (
    *(_turn, _set, _cut, _end, _double, _swap, _word, _word),
    *(_replace, _number, _number, _splice, _case, _lines),
)
