"""A language that nobody speaks: every translated letter is written wide, so that a narrow one was never translated."""

from __future__ import annotations

import re
import string

import pytest

from daemon.i18n import translation
from daemon.i18n.translation import messages
from wording import Term

LANGUAGE = "ro"
"""Instead of which it is spoken."""
WIDE = {ord(narrow): ord(narrow) + 0xFEE0 for narrow in string.ascii_letters}
NARROW = re.compile(r"[A-Za-z]+(?:['_-][A-Za-z]+)*")
NAMES = re.compile(r"[A-Za-z0-9]*[0-9][A-Za-z0-9]*|\b[A-Za-z]\b")
"""Cells and moves, alike in every language: letters with a figure among them, or one letter alone."""


class Pseudo:
    """Refuses templates that the catalogues do not have."""

    def __init__(self) -> None:
        self._known = {(one.context, one.text) for one in messages()}

    def text(self, template: str) -> str:
        """The template, wide but for the names in its braces."""
        assert ("", template) in self._known, f"not in the catalogues: {template}"
        return widened(template)

    def plural(self, one: str, many: str, count: int) -> str:
        """The template that goes with that number, wide."""
        assert ("", one) in self._known, f"not in the catalogues: {one}"
        return widened(one if count == 1 else many)

    def form(self, term: Term, form: str) -> str:
        """The name, wide; as it is where the catalogues have none, such as an agent's."""
        return widened(term.name) if (term.kind, term.name) in self._known else term.name


def widened(template: str) -> str:
    """A template with wide letters; what stands in braces is as it was."""
    parts = []
    for literal, name, form, _ in string.Formatter().parse(template):
        parts.append(literal.translate(WIDE))
        if name is not None:
            parts.append(f"{{{name}:{form}}}" if form else f"{{{name}}}")
    return "".join(parts)


def untranslated(text: str, known: frozenset[str] = frozenset()) -> list[str]:
    """The words of a text that are in no language but English; names of cells, moves and what is `known` are none."""
    return [word for word in NARROW.findall(NAMES.sub("", text)) if word not in known]


def speak_pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on whoever asks for `LANGUAGE` gets this one."""
    pseudo = Pseudo()
    translation.page_words.cache_clear()
    real = translation.tongue_of
    monkeypatch.setattr(translation, "tongue_of", lambda language: pseudo if language == LANGUAGE else real(language))
