"""How the catalogues are written: one register, whole grammar, one word for a thing."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

import pytest

from daemon.commands.command import DECLARED
from daemon.match.clock_service import spoken_time
from daemon.words.phrase_book import COUNTS, EXAMPLES
from daemon.words.translation import (
    LANGUAGES,
    Message,
    as_words,
    compiled,
    in_words,
    messages,
    page_words,
    speak,
    translator_of,
    worded_n,
)
from wording import Decimal, Term, plural, render, sentence

TRANSLATED = [language for language in LANGUAGES if language != "en"]
CASED = {"ro": ("gen", "pl"), "pl": ("gen", "acc", "pl"), "pt-br": ("gen", "pl")}
"""Forms that differ from the nominative: the accusative of Romanian and Portuguese is the same word."""
TERMS = {"side": "side", "other": "side", "one": "side", "colour": "side", "piece": "piece", "exchanged": "piece"} | {
    name: value.kind for name, value in EXAMPLES.items() if isinstance(value, Term)
}
"""Kinds of the names that a term fills in."""
STOPS = ".?!:,;"
PLACES = re.compile(r"\b(?:d[eoa]|n[oa]|em|por|pel[oa]|ao|com) \{(\w+)(?::[Nn]om)?\}")
"""In Portuguese, a preposition and what would have to be contracted with the article of its name."""
QUOTED = re.compile("„[^”]*”|“[^”]*”")
"""The text of a button in a sentence, which is short as buttons are."""
START = r"(?:^|[.:;,] |\bsau |\bapoi |\bși |\bi |\balbo |\boraz |\blub )"
FAMILIAR = {
    "ro": r"\b(?:tu|tine|ție|ta|tău|tale|tăi|îți|ți|te rog)\b|\w[ăe]-(?:o|l|le|mă)\b|\w[lz]-o\b",
    "pl": r"\b(?:ty|tw[oó]j\w*|twoi\w*|ciebie|cię|tobie|masz|możesz|musisz|chcesz|grasz|zaczynasz)\b",
    "vi": r"\b(?:mày|tao|quý vị|các bạn)\b",
    "pt-br": r"\b(?:tu|teu|tua|vós|vosso|vocês|joguem|coloquem|digam|vejam|continuem)\b",
}
"""What speaks to people in another register than the catalogue's own."""
ORDERS = {
    "ro": "scanează deschide închide încearcă folosește apasă permite instalează conectează sprijină găsește așază "
    "anulează schimbă lipește alege atinge mută pune",
    "pl": "zeskanuj otwórz zamknij naciśnij użyj oprzyj sprawdź wybierz ustaw przesuń połóż połóżcie kładźcie znajdź "
    "zmień zatrzymaj poczekaj zainstaluj zezwól połącz dotknij spróbuj podaj kliknij zacznij cofnij weź wyłącz",
}
"""Imperatives of the familiar second person: right on a button, wrong in a sentence."""
UNWANTED = {
    "ro": r"\b(?:cinci|șase|patru|trei) la rând\b|avantaj câștigător|ultimul spațiu",
    "pl": r"\baparat|\bkoś(?:ć|ci)\b|\bkostk|\bpartia\b|\bpartii\b|\bpartię\b|\bfigur|\bod \{time\}|\bpowstaje\b",
    "vi": r"máy ảnh|hoàn tác|nước (?:đi )?được lấy lại|lấy lại nước|[Tt]ốt đứng",
    "pt-br": r"\b(?:a|uma|da|na|nenhuma|última) jogada\b|\bjogadas\b|\bfilas?\b|\btrios?\b|\btelefone\b|\b[Vv]olte\b",
}
"""A second word for what the catalogue's glossary calls otherwise, or one that is wrong."""
NOUNS = frozenset(
    "mutări piese discuri puncte minute secunde partide imagini câmpuri poziții regine turnuri nebuni cai pioni "
    "procese privitori".split()
)
"""What is counted in Romanian, by its plural; other words after a number need no "de"."""


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    speak("en")


def written(language: str) -> Iterator[tuple[Message, str]]:
    """Every message but the terms, with each of its translations."""
    words = translator_of(language)
    for message in messages():
        if message.many:
            counts = (*COUNTS, 22, 100)
            yield from ((message, one) for one in {words.plural(message.text, message.many, count) for count in counts})
        elif message.context in ("page", "option"):
            yield message, words.form(Term(message.context, message.text), "")
        elif not message.context:
            yield message, words.text(message.text)


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_end_as_the_english_and_have_single_blanks(language: str) -> None:
    wrong = []
    for message, text in written(language):
        ends = {one[-1] for one in (message.text, text) if one[-1] in STOPS}
        if text != " ".join(text.split()) or (ends and message.text[-1] != text[-1]):
            wrong.append((message.text, text))
    assert not wrong


@pytest.mark.parametrize("language", TRANSLATED)
def test_people_are_spoken_to_in_one_register(language: str) -> None:
    familiar = re.compile(FAMILIAR[language], re.IGNORECASE)
    assert not [text for _, text in written(language) if familiar.search(QUOTED.sub("", text))]


@pytest.mark.parametrize("language", ORDERS)
def test_sentences_ask_politely_and_only_buttons_are_short(language: str) -> None:
    orders = re.compile(rf"{START}(?:{ORDERS[language].replace(' ', '|')})\b", re.IGNORECASE)
    sentences = (text for _, text in written(language) if text[-1] in ".!")
    assert not [text for text in sentences if orders.search(QUOTED.sub("", text))]


@pytest.mark.parametrize("language", TRANSLATED)
def test_one_thing_has_one_word(language: str) -> None:
    unwanted = re.compile(UNWANTED[language])
    assert not [text for _, text in written(language) if unwanted.search(text)]


def test_an_agent_has_its_turn_with_an_article_in_romanian() -> None:
    assert not [text for _, text in written("ro") if re.search(r"(?:rândul|mutarea|a) \{agent\}", text)]


@pytest.mark.parametrize("language", CASED)
def test_every_case_that_is_asked_for_is_filled(language: str) -> None:
    entries, lacking = compiled(language), set()
    asked = {
        (TERMS[name], form.lower())
        for _, text in written(language)
        for _, name, form, _ in string.Formatter().parse(text)
        if name in TERMS and form and form.lower() in CASED[language]
    }
    assert asked
    for kind, form in asked:
        names = {one.text for one in messages() if one.context == kind and one.text != "empty"}
        for name in names - {plural(one) for one in names}:
            if f"|{form}=" not in entries.pgettext(kind, name):
                lacking.add((kind, name, form))
    assert not lacking


def test_articles_are_contracted_in_portuguese() -> None:
    cells = ("one", "other")  # they name sides only where a side is named, too
    bare = [
        text
        for _, text in written("pt-br")
        for name in PLACES.findall(text)
        if TERMS.get(name) in ("side", "piece") and (name not in cells or "{side" in text)
    ]
    assert not bare


def test_romanian_puts_de_after_twenty_and_only_then() -> None:
    words, wrong = translator_of("ro"), []
    for message in (one for one in messages() if one.many):
        for count in (1, 2, 5, 19, 20, 21, 22, 101, 119, 120):
            text = words.plural(message.text, message.many, count)
            joined = re.findall(r"\{count\} ([^\W\d_]+)", text)
            if any(
                (word == "de") != (count % 100 == 0 or count % 100 > 19)
                for word in joined
                if word in NOUNS or word == "de"
            ):
                wrong.append((count, text))
    assert not wrong


@pytest.mark.parametrize(
    ("language", "knights", "left"),
    [
        ("ro", "1 cal, 2 cai, 5 cai, 21 de cai, 22 de cai", "un minut, 2 minute, 5 minute, 21 de minute, 22 de minute"),
        (
            "pl",
            "1 skoczek, 2 skoczki, 5 skoczków, 21 skoczków, 22 skoczki",
            "jedną minutę, 2 minuty, 5 minut, 21 minut, 22 minuty",
        ),
    ],
)
def test_numbers_take_the_plural_of_their_language(language: str, knights: str, left: str) -> None:
    speak(language)
    counts = (1, 2, 5, 21, 22)
    assert ", ".join(worded_n("{count} knight", "{count} knights", count) for count in counts) == knights
    assert ", ".join(as_words(spoken_time(60 * count)) for count in counts) == left


@pytest.mark.parametrize("language", ["ro", "pl", "vi"])
def test_no_sentence_names_a_command_in_english(language: str) -> None:
    """Its name can be typed, but not said or pressed; the notation of moves alone has `pass`."""
    names = "|".join(re.escape(name) for name in DECLARED if name != "pass")
    token = re.compile(rf"(?<![\w{{-])(?:{names})(?![\w}}-])")
    assert not [text for message, text in written(language) if not message.context and token.search(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_back_is_said_as_people_can_say_it(language: str) -> None:
    speak(language)
    for declared in DECLARED.values():
        if declared.asks is not None:
            command = in_words(declared.asks).partition(": ")[2].rstrip("?")
            assert command.casefold() in declared.spoken[language].split("/"), command


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_button_that_a_sentence_names_is_called_so_on_the_page(language: str) -> None:
    buttons, quoted = page_words(language), re.compile('[“"]([^”"]+)[”"]')
    named = [
        (text, buttons[one])
        for message, text in written(language)
        for one in quoted.findall(message.text)
        if one in buttons
    ]
    assert named and not [(text, button) for text, button in named if button not in text]


@pytest.mark.parametrize(("language", "shown"), [("en", "+0.3 discs"), ("ro", "+0,3 discuri"), ("pl", "+0,3")])
def test_decimals_are_written_as_the_language_writes_them(language: str, shown: str) -> None:
    said = render(sentence("{amount} discs", amount=Decimal("+0.3")), translator_of(language))
    assert said.startswith(shown)
