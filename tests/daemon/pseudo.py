"""A pseudo-language that writes every translated letter full-width, so any ordinary letter was never translated."""

from __future__ import annotations

import re
import string

import pytest

from daemon.words import translation
from daemon.words.translation import messages
from wording import Term

LANGUAGE = "ro"
"""The real language that it replaces."""
WIDE = {ord(narrow): ord(narrow) + 0xFEE0 for narrow in string.ascii_letters}
NARROW = re.compile(r"[A-Za-z]+(?:['_-][A-Za-z]+)*")
NAMES = re.compile(r"[A-Za-z0-9]*[0-9][A-Za-z0-9]*|\b[A-Za-z]\b")
"""Cells and moves, the same in every language: letters with a digit among them, or a single letter."""


class Pseudo:
    """Refuses templates that are missing from the catalogues."""

    def __init__(self) -> None:
        self._known = {(one.context, one.text) for one in messages()}

    def text(self, template: str) -> str:
        """The template in full-width letters, except for the names in braces."""
        assert ("", template) in self._known, f"not in the catalogues: {template}"
        return widened(template)

    def plural(self, one: str, many: str, count: int) -> str:
        """The singular or plural template for that count, in full-width letters."""
        assert ("", one) in self._known, f"not in the catalogues: {one}"
        return widened(one if count == 1 else many)

    def form(self, term: Term, form: str) -> str:
        """The name in full-width letters, unchanged if the catalogues lack it, such as an agent's name."""
        return widened(term.name) if (term.kind, term.name) in self._known else term.name


def widened(template: str) -> str:
    """The template in full-width letters, with everything in braces unchanged."""
    parts = []
    for literal, name, form, _ in string.Formatter().parse(template):
        parts.append(literal.translate(WIDE))
        if name is not None:
            parts.append(f"{{{name}:{form}}}" if form else f"{{{name}}}")
    return "".join(parts)


def untranslated(text: str, known: frozenset[str] = frozenset()) -> list[str]:
    """The untranslated words of a text, except for cells, moves and `known` words."""
    return [word for word in NARROW.findall(NAMES.sub("", text)) if word not in known]


def speak_pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, `LANGUAGE` gives the pseudo-language."""
    pseudo = Pseudo()
    translation.page_words.cache_clear()
    real = translation.translator_of
    monkeypatch.setattr(
        translation, "translator_of", lambda language: pseudo if language == LANGUAGE else real(language)
    )
