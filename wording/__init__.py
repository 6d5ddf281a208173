"""Sentences for people, before they are in any language: whole templates with named values, in English.

Rules and eyes make a `Sentence` and know of no language; the daemon says it in the players' own
(`daemon/i18n/translation.py`). As a string it is English. Every template is written out where it is used, as the first
argument of `sentence` or `sentence_n`: there the catalogues find it.

    sentence("{side:Nom} laid {count} stones, {cells}.", side=Term("side", "light"), count=2, cells=("a1", "a4"))

A value in braces may name the form in which a language puts it, after a colon: `nom`, `gen`, `dat`, `acc`, and with a
capital where it begins the sentence (`Nom`); `pl` is the plural. English has no others, and the capital.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeVar

MAX_NAMED = 8
"""Things that one sentence names; of more it says how many."""
FORMS = ("nom", "gen", "dat", "acc", "pl")
"""The forms of a term that a translated template may ask for."""


@dataclasses.dataclass(frozen=True)
class Term:
    """A thing with a name of its own in every language, such as a side or a piece."""

    kind: str
    """What it is, such as `side`: the same word may be another elsewhere."""
    name: str
    """In English."""


@dataclasses.dataclass(frozen=True)
class Listing:
    """Several things in a row: "a1, a4 and a7"; of many the first few, and how many more."""

    items: tuple[Value, ...]
    most: int = MAX_NAMED
    joint: Literal["and", "or"] = "and"


@dataclasses.dataclass(frozen=True)
class Sentence:
    """A template and what stands in its braces."""

    template: str
    """In English; of one thing, where `many` is not empty."""
    values: tuple[tuple[str, Value], ...] = ()
    many: str = ""
    """The template where `count` is not one."""
    count: int = 1

    def __str__(self) -> str:
        return render(self, ENGLISH)


Value = str | int | float | Term | Listing | Sentence
"""What may stand in a template."""
Said = tuple[Sentence, ...]
"""Whole sentences that follow each other."""
Given = Value | Sequence[str]
"""What may be given for it: several names in a row become a `Listing`."""


S = TypeVar("S", bound=str)


class Tongue(Protocol):
    """A language."""

    def text(self, template: str) -> str:
        """The template in this language."""

    def plural(self, one: str, many: str, count: int) -> str:
        """The one of the two templates that goes with that number, in this language."""

    def form(self, term: Term, form: str) -> str:
        """The term in one of `FORMS`; empty is the nominative."""


class English:
    """Everything as it was written."""

    def text(self, template: str) -> str:
        """The same."""
        return template

    def plural(self, one: str, many: str, count: int) -> str:
        """The first of one thing only."""
        return one if count == 1 else many

    def form(self, term: Term, form: str) -> str:
        """Its name."""
        return plural(term.name) if form == "pl" else term.name


ENGLISH = English()


def plural(name: str) -> str:
    """Of a noun: "light man" becomes "light men", and "half of a tile" "halves of a tile"."""
    thing, of, rest = name.partition(" of ")
    for one, many in (("man", "men"), ("half", "halves")):
        if thing.endswith(one):
            return f"{thing[: -len(one)]}{many}{of}{rest}"
    return f"{thing}s{of}{rest}"


def noun(kind: str, name: S) -> S:
    """The name, marked for the catalogues as the name of a `Term`."""
    return name


def sentence(template: str, /, **values: Given) -> Sentence:
    """A sentence of that template."""
    return Sentence(template, _fixed(values))


def untranslated(text: str) -> Sentence:
    """What is English for everybody: an error of a command line, say."""
    return Sentence("{text}", (("text", text),))


def sentence_n(one: str, many: str, count: int, /, **values: Given) -> Sentence:
    """A sentence about `count` things, which is also the value of that name."""
    return Sentence(one, _fixed({**values, "count": count}), many, count)


def listing(items: Iterable[Value], most: int = MAX_NAMED, joint: Literal["and", "or"] = "and") -> Listing:
    """Things in a row."""
    return Listing(tuple(items), most, joint)


def render(said: Sentence, tongue: Tongue) -> str:
    """The sentence in a language, with all that stands in it."""
    template = tongue.plural(said.template, said.many, said.count) if said.many else tongue.text(said.template)
    return template.format_map({name: _Bound(value, tongue) for name, value in said.values})


def render_all(said: Iterable[Sentence], tongue: Tongue) -> str:
    """Several sentences, one after the other."""
    return " ".join(filter(None, (render(one, tongue) for one in said)))


def plain(said: Iterable[Sentence]) -> str:
    """Several sentences, one after the other, in English."""
    return render_all(said, ENGLISH)


def express(value: Value, tongue: Tongue) -> str:
    """A value that stands for itself, in a language."""
    return format(_Bound(value, tongue))


class _Bound:
    """A value that is formatted in a language."""

    def __init__(self, value: Value, tongue: Tongue) -> None:
        self._value, self._tongue = value, tongue

    def __format__(self, spec: str) -> str:
        value = self._value
        if isinstance(value, float):
            return format(value, spec)
        text = self._text(value, spec.lower())
        return f"{text[:1].upper()}{text[1:]}" if spec[:1].isupper() else text

    def _text(self, value: Value, form: str) -> str:
        match value:
            case Term():
                return self._tongue.form(value, form)
            case Listing():
                return self._row(value, form)
            case Sentence():
                return render(value, self._tongue)
        return str(value)

    def _row(self, row: Listing, form: str) -> str:
        items = [self._text(item, form) for item in row.items]
        if not items[1:]:
            return "".join(items)
        if len(items) > row.most:
            left = len(items) - row.most
            listed = ", ".join(items[: row.most])
            more = sentence_n("{listed} and {count} more", "{listed} and {count} more", left, listed=listed)
            return render(more, self._tongue)
        listed = ", ".join(items[:-1])
        if row.joint == "or":
            return render(sentence("{listed} or {last}", listed=listed, last=items[-1]), self._tongue)
        return render(sentence("{listed} and {last}", listed=listed, last=items[-1]), self._tongue)


def fixed(value: Given) -> Value:
    """A value as a sentence keeps it."""
    if isinstance(value, str | int | float | Term | Listing | Sentence):
        return value
    return Listing(tuple(value))


def _fixed(values: dict[str, Given]) -> tuple[tuple[str, Value], ...]:
    """The values as they are kept."""
    return tuple((name, fixed(value)) for name, value in values.items())
