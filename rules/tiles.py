"""What people call a domino tile."""

from __future__ import annotations

from wording import Sentence, Term, noun, sentence

PIP_NAMES = (
    noun("pips", "blank"),
    noun("pips", "one"),
    noun("pips", "two"),
    noun("pips", "three"),
    noun("pips", "four"),
    noun("pips", "five"),
    noun("pips", "six"),
)
"""Names of a tile's ends, by their pips."""


def tile_named(first: str, second: str) -> Sentence:
    """A tile as people name it, by its two ends as digits: "three-five", "double six"."""
    one, other = (Term("pips", PIP_NAMES[int(end)]) for end in (first, second))
    return sentence("double {pips}", pips=one) if first == second else sentence("{one}-{other}", one=one, other=other)
