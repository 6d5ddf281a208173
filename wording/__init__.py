"""Sentences for people before translation: English templates with named values.

Rules and vision make a `Sentence` and know no language; the daemon renders it in the players' language
(`daemon/words/translation.py`). `str` gives the English text. Every template is written out where it is used, as the
first argument of `sentence` or `sentence_n`, so that it can be extracted for the catalogues.

    sentence("{side:Nom} laid {count} stones, {cells}.", side=Term("side", "light"), count=2, cells=("a1", "a4"))

A value in braces may name its form after a colon: a case (`nom`, `gen`, `dat`, `acc`; with a capital, `Nom`, if it
begins the sentence) or the plural, `pl`. In English only the capital and the plural have an effect.
"""

from __future__ import annotations

import dataclasses
import functools
import gettext
from collections.abc import Iterable, Sequence
from typing import Literal, TypeVar

MAX_NAMED = 8


@dataclasses.dataclass(frozen=True)
class Term:
    kind: str
    """Category, such as `side`: the same word may be translated differently in another."""
    name: str


@dataclasses.dataclass(frozen=True)
class Decimal:
    """A number with its digits as they are to be shown; the point becomes the language's own mark."""

    digits: str


@dataclasses.dataclass(frozen=True)
class Listing:
    """A list such as "a1, a4 and a7"; if it is long, the first few items and how many more."""

    items: tuple[Value, ...]
    most: int = MAX_NAMED
    joint: Literal["and", "or"] = "and"


@dataclasses.dataclass(frozen=True)
class Sentence:
    """A template and the values for its braces."""

    template: str
    """English template; the singular if `many` is not empty."""
    values: tuple[tuple[str, Value], ...] = ()
    many: str = ""
    """English template for a `count` other than 1; empty if there is no plural."""
    count: int = 1

    def __str__(self) -> str:
        return render(self, ENGLISH)


Value = str | int | float | Decimal | Term | Listing | Sentence
Sentences = tuple[Sentence, ...]
Given = Value | Sequence[str]

S = TypeVar("S", bound=str)


class Translator:
    """Puts sentences into the language of a catalogue; what the catalogue lacks stays English."""

    def __init__(self, catalogue: gettext.NullTranslations) -> None:
        self._catalogue = catalogue

    def text(self, template: str) -> str:
        return self._catalogue.gettext(template)

    def plural(self, one: str, many: str, count: int) -> str:
        return self._catalogue.ngettext(one, many, count)

    def form(self, term: Term, form: str) -> str:
        """The term in a form that a translated template asks for: gen, dat, acc, pl or name; else the nominative."""
        entry = self._catalogue.pgettext(term.kind, term.name)
        if entry == term.name:
            return plural(entry) if form == "pl" else entry
        forms = _forms_of(entry)
        return forms.get(form, forms["nom"])


@functools.cache
def _forms_of(entry: str) -> dict[str, str]:
    """The forms of a term in an entry such as `albul|gen=albului|name=alb`: the nominative comes first.

    `name` is the form used by itself, as on a button.
    """
    first, *others = entry.split("|")
    return {"nom": first, **dict(other.split("=", 1) for other in others)}


ENGLISH = Translator(gettext.NullTranslations())


def plural(name: str) -> str:
    thing, of, rest = name.partition(" of ")
    for one, many in (("man", "men"), ("half", "halves")):
        if thing.endswith(one):
            return f"{thing[: -len(one)]}{many}{of}{rest}"
    return f"{thing}s{of}{rest}"


def noun(kind: str, name: S) -> S:
    """The name, marked for the catalogues as the name of a `Term`."""
    return name


def sentence(template: str, /, **values: Given) -> Sentence:
    return Sentence(template, _fixed(values))


def untranslated(text: str) -> Sentence:
    """A sentence that stays English in every language, such as a command line's error."""
    return Sentence("{text}", (("text", text),))


def sentence_n(one: str, many: str, count: int, /, **values: Given) -> Sentence:
    return Sentence(one, _fixed({**values, "count": count}), many, count)


def listing(items: Iterable[Value], most: int = MAX_NAMED, joint: Literal["and", "or"] = "and") -> Listing:
    return Listing(tuple(items), most, joint)


def apart(one: Sequence[Value], other: Sequence[Value]) -> tuple[Sequence[Value], Sequence[Value]]:
    """Where two accounts part: both without the beginning and the end that they share, but for one word of each."""
    most = max(min(len(one), len(other)) - 1, 0)
    first = next((at for at in range(most) if one[at] != other[at]), most)
    rest = most - first
    last = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    return one[first : len(one) - last], other[first : len(other) - last]


def render(said: Sentence, translator: Translator) -> str:
    template = translator.plural(said.template, said.many, said.count) if said.many else translator.text(said.template)
    return template.format_map({name: _Bound(value, translator) for name, value in said.values})


def render_all(said: Iterable[Sentence], translator: Translator) -> str:
    return " ".join(filter(None, (render(one, translator) for one in said)))


def plain(said: Iterable[Sentence]) -> str:
    return render_all(said, ENGLISH)


def express(value: Value, translator: Translator) -> str:
    return format(_Bound(value, translator))


class _Bound:
    def __init__(self, value: Value, translator: Translator) -> None:
        self._value, self._translator = value, translator

    def __format__(self, spec: str) -> str:
        value = self._value
        if isinstance(value, float):
            return format(value, spec)
        text = self._text(value, spec.lower())
        return f"{text[:1].upper()}{text[1:]}" if spec[:1].isupper() else text

    def _text(self, value: Value, form: str) -> str:
        match value:
            case Term():
                return self._translator.form(value, form)
            case Decimal():
                return value.digits.replace(".", self._translator.form(Term("mark", noun("mark", ".")), form))
            case Listing():
                return self._row(value, form)
            case Sentence():
                return render(value, self._translator)
        return str(value)

    def _row(self, row: Listing, form: str) -> str:
        items = [self._text(item, form) for item in row.items]
        if not items[1:]:
            return "".join(items)
        if len(items) > row.most:
            left = len(items) - row.most
            listed = ", ".join(items[: row.most])
            more = sentence_n("{listed} and {count} more", "{listed} and {count} more", left, listed=listed)
            return render(more, self._translator)
        listed = ", ".join(items[:-1])
        if row.joint == "or":
            return render(sentence("{listed} or {last}", listed=listed, last=items[-1]), self._translator)
        return render(sentence("{listed} and {last}", listed=listed, last=items[-1]), self._translator)


def fixed(value: Given) -> Value:
    if isinstance(value, str | int | float | Decimal | Term | Listing | Sentence):
        return value
    return Listing(tuple(value))


def _fixed(values: dict[str, Given]) -> tuple[tuple[str, Value], ...]:
    return tuple((name, fixed(value)) for name, value in values.items())
