"""All phrases of a language filled in with examples: for listening to them and for checks."""

from __future__ import annotations

import string
from collections.abc import Iterator

import wording
from daemon.words.translation import UNSPOKEN, Message, messages, translator_of
from wording import Given, Sentence, Term

COUNTS = (1, 2, 5, 21)
"""Numbers for which a language may use different plural forms."""
EXAMPLES: dict[str, Given] = {
    "side": Term("side", "light"),
    "other": Term("side", "dark"),
    "one": Term("side", "black"),
    "colour": Term("side", "white"),
    "sides": ("red", "green"),
    "piece": Term("piece", "dark man"),
    "exchanged": Term("piece", "light man"),
    "stone": Term("stone", "black stone"),
    "right": Term("stone", "white stone"),
    "wrong": Term("stone", "black stone"),
    "disc": Term("disc", "white disc"),
    "game": Term("game", "reversi"),
    "seen": Term("game", "gomoku"),
    "wanted": "d2",
    "why": wording.sentence("the game is over"),
    "what": wording.sentence("the game is over"),
    "foul": wording.sentence("two threes at once"),
    "counted": wording.sentence("{black} black and {white} white stones", black=8, white=7),
    "expected": "95 %",
    "turns": wording.sentence("to the left"),
    "edges": Term("edge", "left"),
    "points": "5",
    "time": wording.sentence_n("one minute", "{count} minutes", 2),
    "agent": "alphabeta",
    "answer": "d2",
    "name": "Ana",
    "command": "kibitzer play --game morris",
    "grade": wording.sentence("clear advantage"),
    "key": "n",
    "pieces": ("light", "dark"),
    "choices": ("black", "two"),
    "choice": Term("choice", "two"),
    "text": "d9",
    "listed": "a1, a4",
    "tile": "3-4",
    "tiles": wording.sentence("the {tile}", tile="3-4"),
    "double": "3-3",
    "halves": "3",
    "places": "7H",
    "pips": "3",
    "row": "8",
    "others": "4",
    "ones": "8",
    "done": "f4",
    "first": "a1",
    "last": "g7",
    "kind": Term("kind", "light man"),
    "kinds": Term("kind", "light men"),
    "alike": Term("kind", "dark men"),
    "asked": "15",
    "where": ("a1", "a4"),
    "accuracy": "99.5",
    "amount": "+3.2",
    "agents": wording.listing(["alphabeta", "random"], joint="or"),
    "port": "8766",
    "address": "127.0.0.1:8080",
    "step": "read",
    "late": "0.8",
    "rate": "14.9",
    "size": "1280x720",
    "megapixels": "50.1",
    "then": "d2",
    "way": "d2 → d3",
}
"""Example values by name in a phrase's braces; names in NUMBERS and CELLS share one value each."""
NUMBERS = frozenset(
    "number ply men most stones black white bonus opening degrees pixels percent seconds held told limit needed width "
    "low high judged steps found value".split()
)
CELLS = frozenset("cell origin point middle over cells taken due extra missing left moves move".split())


def examples(message: Message, language: str) -> Iterator[str]:
    """The phrase in that language, once for each of its plural forms.

    Raises KeyError naming a value for which there is no example.
    """
    translator = translator_of(language)
    if message.context:
        form = translator.form(Term(message.context, message.text), "")
        yield form
        return
    seen = set()
    for count in COUNTS if message.many else (1,):
        template = (
            translator.plural(message.text, message.many, count) if message.many else translator.text(message.text)
        )
        if template not in seen:
            seen.add(template)
            yield wording.render(_filled(message, count), translator)


def spoken_messages() -> list[Message]:
    return [one for one in messages() if one.context not in UNSPOKEN]


def names_in(template: str) -> set[str]:
    """The names in a template's braces, without their forms. Raises ValueError if a brace is not closed."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def _filled(message: Message, count: int) -> Sentence:
    names = names_in(message.text) | names_in(message.many)
    values = {name: _example(name) for name in names - {"count"}}
    if message.many:
        return wording.sentence_n(message.text, message.many, count, **values)
    return wording.sentence(message.text, **({"count": count} if "count" in names else {}), **values)


def _example(name: str) -> Given:
    if name in EXAMPLES:
        return EXAMPLES[name]
    if name in NUMBERS:
        return 12
    if name in CELLS:
        return "d2"
    raise KeyError(name)
