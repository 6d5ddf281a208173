"""The players' language: one for the whole daemon.

How a sentence gets into five languages:

1. Where it is made, write it whole, in English, with named values, as the first argument of `worded` (of `worded_n`
   if it depends on a number, singular and plural):

        worded("{side:Nom} has {time} left.", side=phrases.side(game, side), time=spoken_time(left_s))
        worded_n("The last move is taken back.", "{count} moves are taken back.", undone)

   Never build a sentence from parts that depend on each other grammatically: no f-string, no `+`. Two whole sentences
   may follow each other (`in_a_row`). Pass cells as a list of names, sides and pieces as a `wording.Term`: a
   translation can ask for their case (`{side:gen}`), and English for the capital (`{side:Nom}`).
2. Rules, eyes, referee and match know no language: they return a `wording.Sentence`, `sentence("...", ...)`
   instead of `worded`. Voice, page, terminal, record and log translate it to the players' language: `in_words`.
3. `python -m daemon.words.catalogues` reads all sources, adds new texts to `languages/*.po`, and compiles them.
   Translate the entries that it names, and run it again. Texts without a translation appear in English.

The page's own words: `t("...")` in `daemon/page/assets/*.js`, and in its HTML an element with the attribute `data-t`,
whose text is the key (or `data-t-title`, `data-t-aria-label`, `data-t-placeholder`, `data-t-alt`, whose value is, or
if empty that of the attribute itself).
The same command collects them; `page_words` gives them to the page, English as the key.

Texts for programmers and administrators (logs, `--help`, errors of a command line) stay English.
"""

from __future__ import annotations

import dataclasses
import functools
import gettext
import json
import logging
import struct
from collections.abc import Iterable
from pathlib import Path

import games
import wording
from wording import ENGLISH, Given, Sentence, Term, Translator

LANGUAGES = {
    "en": "English",
    "ro": "Română",
    "pl": "Polski",
    "vi": "Tiếng Việt",
    "pt-br": "Português (Brasil)",
}
LOGGER = logging.getLogger(__name__)
FOLDER = Path(__file__).with_name("languages")
"""Folder with a catalogue for each language but English: `ro.po` with its compiled `ro.mo`.

An installed package brings the words of its game in `languages/ro.mo` beside the game's module.
"""
MESSAGES = "messages.json"
"""Name of the file in it that lists all messages to translate."""
ON_PAGE = ("page", "part", "game", "side", "pips")
"""Contexts of the messages that the page needs."""
OPTION = "option"
"""Context of the rules and options in the menu: their names, descriptions and choices."""
UNSPOKEN = ("page", "part", OPTION)
"""Contexts of messages that are only read, never spoken."""


@functools.cache
def translator_of(language: str) -> Translator:
    """The translator into the language with that code. Raises ValueError listing the existing ones."""
    if language not in LANGUAGES:
        raise ValueError(f"there is no language {language!r}; the languages are {', '.join(LANGUAGES)}")
    if language == "en":
        return ENGLISH
    return Translator(compiled(language))


def compiled(language: str) -> gettext.NullTranslations:
    """The catalogue of a language other than English, with those of installed packages as fallbacks.

    A catalogue that cannot be read is logged and left out: what only it has is said in English.
    """
    brought = (games.file_of(name, f"languages/{language}.mo") for name in games.names())
    catalogue = gettext.NullTranslations()
    for path in (FOLDER / f"{language}.mo", *(path for path in brought if path.is_file())):
        try:
            with path.open("rb") as file:
                catalogue.add_fallback(gettext.GNUTranslations(file))
        except (OSError, ValueError, struct.error) as error:
            LOGGER.error("%s cannot be read, so English takes its place: %s; install Kibitzer again", path, error)
    return catalogue


@functools.cache
def page_words(language: str) -> dict[str, str]:
    """The page's words in that language, and the names of games and sides, by English text; empty in English.

    The page replaces `{name}` in them. Raises ValueError listing the existing languages.
    """
    translator = translator_of(language)
    if translator is ENGLISH:
        return {}
    # The page's own word takes precedence over a name with the same spelling.
    wanted = sorted((one for one in messages() if one.context in ON_PAGE), key=lambda one: one.context == "page")
    terms = [*_names_of_brought_games(), *(Term(one.context, one.text) for one in wanted)]
    return {term.name: translator.form(term, "name") for term in terms}


def _names_of_brought_games() -> list[Term]:
    brought = [games.load(name) for name in games.names() if name not in games.shipped()]
    return [term for game in brought for term in (Term("game", game.title), *(Term("side", one) for one in game.sides))]


@dataclasses.dataclass(frozen=True)
class Message:
    text: str
    """In English; the singular if `many` is not empty."""
    many: str = ""
    context: str = ""
    """`page` for the page's own words, the kind of a term, or empty."""


@functools.cache
def messages() -> tuple[Message, ...]:
    """All messages to translate, in the order of the sources; none if their file is damaged, which is logged."""
    path = FOLDER / MESSAGES
    try:
        return tuple(Message(**one) for one in json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        LOGGER.error("%s cannot be read, so the page is in English: %s; install Kibitzer again", path, error)
        return ()


class _Speaking:
    code = "en"
    translator: Translator = ENGLISH


def speak(language: str) -> None:
    _Speaking.translator, _Speaking.code = translator_of(language), language


def language() -> str:
    return _Speaking.code


def worded(template: str, /, **values: Given) -> str:
    return in_words(wording.sentence(template, **values))


def worded_n(one: str, many: str, count: int, /, **values: Given) -> str:
    return in_words(wording.sentence_n(one, many, count, **values))


def called(term: Term) -> set[str]:
    """The words by which people may call a term, in lower case: in English, and in their own language."""
    forms = {_Speaking.translator.form(term, form) for form in ("", "acc", "name")}
    return {name.casefold() for name in (term.name, *forms)}


def called_together(term: Term) -> set[str]:
    """The words by which people may call one or several of what a term names, as `called`."""
    return called(term) | {translator.form(term, "pl").casefold() for translator in (ENGLISH, _Speaking.translator)}


def alone(kind: str, name: str) -> str:
    return _Speaking.translator.form(Term(kind, name), "name")


def titled(name: str) -> str:
    return name.replace("_", " ")


def as_words(value: Given) -> str:
    return wording.express(wording.fixed(value), _Speaking.translator)


def reason(error: Exception) -> str:
    """An error's message for people, in their language if it was made as a sentence."""
    said = getattr(error, "said", None)
    return in_words(said) if isinstance(said, Sentence) else str(error)


def in_words(*said: Sentence) -> str:
    return wording.render_all(said, _Speaking.translator)


def in_a_row(sentences: Iterable[str]) -> str:
    return " ".join(filter(None, sentences))
