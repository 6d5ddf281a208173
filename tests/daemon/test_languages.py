"""What is said in five languages: all of it is translated and comes from whole templates; every voice can be heard."""

from __future__ import annotations

import ast
import random
import re
import string
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import games
from calibration.guide import lessons
from calibration.template import load_template
from daemon.belief import missed
from daemon.bus import hints
from daemon.cli.voices import is_heard
from daemon.game.clocks import GameClock, TimeControl
from daemon.game.effects import Announcement
from daemon.judging import adopting, corrections, phrases
from daemon.judging.cell_overrides import cell_of, letter_of
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from daemon.match.clock_service import ClockService, spoken_time
from daemon.voice.speech import MAX_LENGTH
from daemon.voice.spelling import spelled
from daemon.voice.voice import Voice
from daemon.words import catalogues, translation
from daemon.words.phrase_book import examples, names_in, spoken_messages
from daemon.words.translation import (
    LANGUAGES,
    Message,
    as_words,
    in_words,
    messages,
    page_words,
    speak,
    translator_of,
    worded,
)
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import EMPTY, AnyGame, MoveError, Outcome, piece_noun
from tests.daemon.storms import Table, look, show, storm
from vision.calibrating.guided_words import advice, correction, found
from vision.calibrating.lesson_check import Mistakes
from vision.calibrating.survey import Shown, survey
from vision.calibrating.verdict import Expectation, Verdict
from wording import Sentence, Term

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = [language for language in LANGUAGES if language != "en"]
TERMS = [one for one in messages() if one.context not in ("", "page")]


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    speak("en")


def templates_of(message: Message, language: str) -> set[str]:
    words = translator_of(language)
    if not message.many:
        return {words.text(message.text)}
    return {words.plural(message.text, message.many, count) for count in (*range(30), 100, 101, 1000)}


def test_the_catalogues_hold_what_the_sources_say_and_are_compiled() -> None:
    stale = [path.name for path, content in catalogues.fresh().items() if path.read_bytes() != content]
    assert not stale, f"run `python -m daemon.words.catalogues`: {stale}"


@pytest.mark.parametrize("language", TRANSLATED)
def test_nothing_lacks_a_translation(language: str) -> None:
    assert not catalogues.untranslated(catalogues.catalogue_of(language))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_translation_takes_the_values_of_the_english_and_only_these(language: str) -> None:
    wrong = []
    for message in spoken_messages():
        if message.context:
            continue
        given = names_in(message.text) | names_in(message.many)
        for template in templates_of(message, language):
            used = names_in(template)
            # A singular form need not name the count.
            if not used <= given or not given - {"count"} <= used:
                wrong.append((message.text, template))
    assert not wrong


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_pages_words_keep_what_the_page_fills_in(language: str) -> None:
    own = [one.text for one in messages() if one.context == "page"]
    assert set(own) <= set(page_words(language))
    assert all(names_in(word) == names_in(page_words(language)[word]) for word in own)
    assert not page_words("en")


@pytest.mark.parametrize("language", ["ro", "pl", "pt-br"])
def test_every_form_that_a_language_asks_for_exists(language: str) -> None:
    forms = {
        (form or "").lower()
        for message in spoken_messages()
        if not message.context
        for template in templates_of(message, language)
        for _, name, form, _ in string.Formatter().parse(template)
        if name is not None
    }
    assert forms <= {"", "nom", "gen", "dat", "acc", "pl", "name"}
    words = translator_of(language)
    for side in (one.text for one in TERMS if one.context == "side"):
        assert words.form(Term("side", side), "gen") != words.form(Term("side", side), "nom")
    for piece in (one.text for one in TERMS if one.context == "piece" and one.text != "empty"):
        assert words.form(Term("piece", piece), "pl") != words.form(Term("piece", piece), "nom")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_is_whole_and_short_enough_to_be_said_at_once(language: str) -> None:
    for message in spoken_messages():
        for text in examples(message, language):
            assert text and not re.search(r"[{}|]", text), text
            assert len(text) <= MAX_LENGTH


def test_games_sides_ends_and_pieces_are_in_the_catalogues() -> None:
    known = {(one.context, one.text) for one in messages()}
    for name in games.shipped():
        for rules in ({}, {"swap2": "true"}) if name == "gomoku" else ({},):
            game = games.load(name, rules)
            assert ("game", game.title) in known
            assert {("side", side) for side in game.sides} <= known
            pieces = (game.classes[1:] if set(game.pieces) == {EMPTY} else game.pieces) if not rules else ()
            owners = [piece_noun(game, letter) for letter in pieces]
            assert {("piece", one.name) for one in owners if isinstance(one, Term)} <= known


def test_every_way_a_game_ends_has_its_words() -> None:
    for name in games.shipped():
        sources = [*(ROOT / "games").glob(f"{name}.py"), *(ROOT / "games" / name).rglob("*.py")]
        reasons = {
            node.args[1].value
            for path in sources
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Outcome"
            and isinstance(node.args[1], ast.Constant)
        }
        assert reasons and reasons <= set(games.find(name).about.endings)


class Marked:
    """A language that puts every template in brackets; it refuses templates that the catalogues lack."""

    def __init__(self) -> None:
        self._known = {(one.context, one.text) for one in messages()}

    def text(self, template: str) -> str:
        assert ("", template) in self._known, f"not in the catalogues: {template}"
        return f"⟦{template}⟧"

    def plural(self, one: str, many: str, count: int) -> str:
        return self.text(one)[:-1].replace(one, one if count == 1 else many) + "⟧"

    def form(self, term: Term, form: str) -> str:
        assert (term.kind, term.name) in self._known, f"not in the catalogues: {term}"
        return f"⟦{term.name}⟧"


class Overheard(Referee):
    """A referee that records the text of every announcement."""

    said: list[str]

    def announce(self, code: Any, *said: Sentence, **rest: Any) -> Announcement:
        self.said.append(in_words(*said))
        return super().announce(code, *said, **rest)


def glued(text: str) -> str:
    """The part of a text that comes from no template."""
    while (inner := re.sub(r"⟦[^⟦⟧]*⟧", "", text)) != text:
        text = inner
    return text.strip()


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation._Speaking, "translator", Marked())


def told(command: Callable[..., Any], *arguments: Any) -> str:
    """The text that a command announces, or why it is refused."""
    try:
        effects = command(*arguments)
    except Refusal as refusal:
        return in_words(*refusal.said)
    if not isinstance(effects, list):
        return ""
    return " ".join(in_words(*one.said) for one in effects if isinstance(one, Announcement))


def overheard(game: AnyGame, agents: tuple[str | None, str | None] = (None, None)) -> Overheard:
    referee = Overheard(game, agents)
    referee.said = []
    return referee


@pytest.mark.parametrize("name", games.shipped())
@pytest.mark.parametrize("agents", [(None, None), (None, "two")], ids=["people", "agent"])
def test_nothing_is_said_that_is_not_in_the_catalogues(
    name: str, agents: tuple[str | None, str | None], marked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name_of in ((adopting, "MAX_MOVES_ASKED"), (missed, "MAX_MOVES"), (missed, "MAX_MOVES_BESIDES")):
        monkeypatch.setattr(module, name_of, 300)  # what is said depends little on how far is looked
    game = games.load(name)
    for seed in range(3):
        table, referee = Table(game, random.Random(seed)), overheard(game, agents)
        look(table, referee)
        for _ in range(3):
            storm(table, referee, 4, doubts=True)
            show(referee, table.misread())
            side = game.sides[game.to_move(referee.position)]
            referee.said += [
                told(corrections.undo, referee),
                told(corrections.say_pass, referee),
                told(corrections.set_mover, referee),
                told(adopting.adopt, referee, table.reading(), side),
                told(corrections.resign, referee),
                told(corrections.undo, referee),
                told(corrections.side_of, game, "nobody"),
                told(cell_of, game, "z99"),
                told(letter_of, game, "queen"),
                in_words(*hints.advice(game, referee.position, "{}").said),
            ]
            table.mend()
            look(table, referee)
        assert len(referee.said) > 20
        assert not [text for text in referee.said if glued(text)]


@pytest.mark.parametrize("name", games.shipped())
def test_every_reason_why_a_board_or_a_move_is_wrong_is_in_the_catalogues(name: str, marked: None) -> None:
    game, dice = games.load(name), random.Random(7)
    position, said = game.initial(), []
    for _ in range(25):
        if game.outcome(position) is not None:
            break
        position = game.apply(position, dice.choice(game.legal_moves(position)))
        for _ in range(25):
            board = list(game.board(position))
            for cell in dice.sample(range(len(board)), dice.choice((1, 1, 2, 3))):
                board[cell] = dice.choice(game.classes)
            said.append(translation.in_words(*game.fault(position, "".join(board)).said))
        cells = dice.sample(game.cells, 3)
        for text in (cells[0], "-".join(cells[:2]), "-".join(cells[:2]) + f"x{cells[2]}", "pass", "e2e4", "pass:1-2"):
            try:
                game.parse_move(position, text)
            except MoveError as error:
                said.append(translation.reason(error))
    assert not [text for text in said if glued(text)]


@pytest.mark.parametrize("name", games.shipped())
def test_everything_that_a_guided_calibration_asks_for_is_in_the_catalogues(name: str, marked: None) -> None:
    game = games.load(name)
    template = load_template(game.name)
    empty, first, *others = lessons(game, template)
    laid = np.ones(len(first.board), dtype=np.bool_)
    cells = tuple(cell for piece in first.pieces for cell in piece.cells)
    kinds = template.letters[1:]
    odd = tuple((cell, kinds[kinds.index(first.board[cell]) - 1]) for cell in cells)
    mistakes = [Mistakes(missing=cells[:3]), Mistakes(extra=cells[:2]), Mistakes(odd=odd), Mistakes(odd=odd[:1])]
    said = [in_words(lesson.said) for lesson in (empty, first, *others)]
    said += [in_words(*correction(one, first, template, laid)) for one in mistakes]
    said += [in_words(*correction(Mistakes(extra=cells), empty, template, laid))]
    said += [in_words(*advice(np.zeros((360, 640, 3), np.uint8), template, seen_before=True)), in_words(*found(0.5))]
    assert not [text for text in said if glued(text)]


def test_what_is_expected_of_a_profile_and_what_speaks_against_it_is_in_the_catalogues(marked: None) -> None:
    template = load_template("nine_mens_morris")
    boards = ["." * 24, lessons(games.load("morris"), template)[1].board]
    tables = [SimulatedTable(template, board, default_style(), seed=4, size_px=(160, 120)) for board in boards]
    shown = [Shown(table.render(), table.pose, board) for table, board in zip(tables, boards, strict=True)]
    found_there = survey(shown, template)
    said = [in_words(one.said) for one in found_there]
    said += [in_words(*Expectation(right, 96, 24).said) for right in (96, 60)]
    said += [in_words(*one) for one in Verdict(Expectation(60, 96, 24, by_picture=False), ()).objections]
    assert len(found_there) > 5 and not [text for text in said if glued(text)]


def test_how_a_game_is_lost_is_told_of_the_side_that_lost() -> None:
    game = games.load("morris")
    assert in_words(*phrases.result(game, Outcome(0, "no_legal_move"))) == "Light wins: dark cannot move."
    assert in_words(*phrases.result(game, Outcome(1, "two_men_left"))) == "Dark wins: light has only two men left."
    speak("ro")
    assert in_words(*phrases.result(game, Outcome(0, "no_legal_move"))) == "Albul câștigă: negrul nu poate muta."


def test_the_health_of_a_clock_is_told_in_the_players_language() -> None:
    speak("pt-br")
    timer = ClockService(GameClock(TimeControl("game", 100.0)), lambda: 0.0)
    assert timer.status(("light", "dark"))["text"] == "o branco 1:40, o preto 1:40 (o tabuleiro ainda não foi visto)"


def test_sentences_take_the_forms_of_their_language() -> None:
    game = games.load("morris")
    dark, two = phrases.named(game, 1), {"cells": ["a1", "a4", "a7"]}
    expected = {
        "en": ("It is dark's turn.", "Take a1, a4 and a7 away.", "2 minutes and one second"),
        "ro": ("Este rândul negrului.", "Luați ce este pe a1, a4 și a7.", "2 minute și o secundă"),
        "pl": ("Kolej czarnego.", "Proszę zabrać to, co stoi na a1, a4 i a7.", "2 minuty i jedną sekundę"),
        "vi": ("Đến lượt Đen.", "Hãy lấy quân ở a1, a4 và a7 ra.", "2 phút và 1 giây"),
        "pt-br": ("É a vez do preto.", "Retire o que está em a1, a4 e a7.", "2 minutos e um segundo"),
    }
    for language, (turn, away, time) in expected.items():
        speak(language)
        assert worded("It is {side:gen}'s turn.", side=dark) == turn
        assert worded("Take {cells} away.", **two) == away
        assert as_words(spoken_time(121)) == time


def test_sides_and_pieces_may_be_called_in_english_and_in_the_language_that_is_spoken() -> None:
    game = games.load("morris")
    speak("pl")
    assert [corrections.side_of(game, name) for name in ("light", "Biały", "czarny", "dark")] == [0, 0, 1, 1]
    assert [letter_of(game, name) for name in ("dark", "czarny pionek", "biały", "empty")] == ["B", "B", "W", "."]
    with pytest.raises(Refusal) as refused:
        corrections.side_of(game, "zielony")
    assert "Grają biały i czarny; nie ma tu zielony" in in_words(*refused.value.said)


def test_a_language_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="there is no language 'de'; the languages are en, ro, pl, vi, pt-br"):
        speak("de")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_heard_in_its_own_voice(language: str, caplog: pytest.LogCaptureFixture) -> None:
    speak(language)
    game = games.load("morris")
    position = game.initial()
    text = in_words(*phrases.ply_sentences(game, position, game.parse_move(position, "d2")))
    voice = Voice(language, 165)
    try:
        assert is_heard(voice.render(spelled(text), threading.Event()))
        assert not caplog.records  # a missing voice would be logged
    finally:
        voice.close()


@pytest.mark.parametrize("damage", ["halved", "flipped", "zeroed", "empty", "missing"])
def test_a_damaged_catalogue_is_named_and_english_takes_its_place(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole = (translation.FOLDER / "ro.mo").read_bytes()
    flipped = bytearray(whole)
    flipped[whole.index(b"partida s-a terminat")] ^= 0xFF  # no letter in UTF-8
    forms = {"halved": whole[: len(whole) // 2], "flipped": flipped, "zeroed": bytes(len(whole)), "empty": b""}
    if damage in forms:
        (tmp_path / "ro.mo").write_bytes(forms[damage])
    monkeypatch.setattr(translation, "FOLDER", tmp_path)
    assert translation.compiled("ro").gettext("the game is over") == "the game is over"
    assert f"{tmp_path / 'ro.mo'} cannot be read, so English takes its place" in caplog.text


def test_a_damaged_list_of_texts_is_named_and_the_page_is_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / translation.MESSAGES).write_text('[{"text": "ha', encoding="utf-8")
    monkeypatch.setattr(translation, "FOLDER", tmp_path)
    assert translation.messages.__wrapped__() == ()
    assert f"{tmp_path / translation.MESSAGES} cannot be read" in caplog.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_winners_points_are_said_first(language: str) -> None:
    speak(language)
    try:
        said = in_words(*phrases.result(games.load("reversi"), Outcome(1, "neither_can_lay", (14, 50))))
    finally:
        speak("en")
    assert said.index("50") < said.index("14")
