"""Spoken commands: every verb and move in every language, and nothing else; what is asked back, and for how long."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
from daemon.commands.command import Adopt, Agree, Coach, Move, NewGame, Pause, Repeat, Resign, Resume, Undo, mark_of
from daemon.commands.spoken.conversation import ANSWER_S, Conversation, Reply, Table
from daemon.commands.spoken.grammar import NOTHING, called, phrases_of, symbols_of, understand, understand_words
from daemon.commands.spoken.words import _TABLES, LETTERS, VERBS, plain, spoken_forms, words_of
from daemon.game.line_of_play import played
from daemon.judging.referee import Referee
from daemon.run.move_words import choice_words, move_words
from daemon.words.translation import LANGUAGES, speak
from rules import AnyGame

WAKE = "Kibitzer"
RECORDED = {"en": 17, "ro": 10, "pl": 7, "vi": 2, "pt-br": 9}
"""How many of the recorded commands are understood or asked back."""
TRANSCRIPTS = Path(__file__).with_name("spoken_transcripts.tsv")
RECORDED_MOVES = ("d6-d5", "d6-d7", "f5", "a1-a4")
SPOKEN_GAMES = ("nine_mens_morris", "reversi", "gomoku", "co_ganh")


def positions(game: AnyGame, count: int) -> list[object]:
    """Positions of a random game."""
    chance, position, found = random.Random(7), game.initial(), []
    while len(found) < count and game.outcome(position) is None:
        found.append(position)
        position = game.apply(position, chance.choice(list(game.legal_moves(position))))
    return found


def names(meanings: dict[str, str], meant: str) -> list[str]:
    return [name for name, own in meanings.items() if own == meant]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verb_is_understood_as_it_is_written_and_spoken(language: str) -> None:
    for verb in VERBS:
        for phrase in spoken_forms(verb, language):
            for text in (phrase, f"{phrase.capitalize()}.", phrase.upper(), f" {phrase} !"):
                assert understand(text, language, ()).verb == verb, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_of_letters_and_numbers_means_one_thing(language: str) -> None:
    words = words_of(language)
    assert set(words.letters.values()) == set(LETTERS)
    assert set(words.numbers.values()) == {str(number) for number in range(1, 20)}
    assert not words.letters.keys() & words.numbers.keys() and not words.letters.keys() & words.verbs.keys()
    assert not words.between & (words.letters.keys() | words.numbers.keys())
    spelled = [name for entry in _TABLES[language]["letters"].split() for name in entry.split("/") if name != "_"]
    assert len({plain(name.replace("_", " "), language) for name in spelled}) == len(spelled), (
        "a name means two letters"
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SPOKEN_GAMES)
def test_every_legal_move_is_understood_in_every_way_of_saying_it(name: str, language: str) -> None:
    game, words = games.load(name), words_of(language)
    between = min(words.between)
    for position in positions(game, 1 if name == "gomoku" else 12):
        moves = [game.format_move(position, move) for move in game.legal_moves(position)]
        for move in moves:
            if move == "pass":
                assert understand("pass", "en", moves).verb == "pass"
                continue
            symbols = symbols_of(move)
            letters = [names(dict(words.letters), one) for one in symbols[::2]]
            numbers = [names(dict(words.numbers), one) for one in symbols[1::2]]
            for number in range(max(map(len, letters))):
                cells = [
                    f"{own[number % len(own)]} {told[number % len(told)]}"
                    for own, told in zip(letters, numbers, strict=True)
                ]
                for text in (" ".join(cells), f" {between} ".join(cells), ", ".join(cells).upper()):
                    said = understand(text, language, moves)
                    assert said.moves == (move,) and said.verb is None, text
            assert understand(move, language, moves).moves == (move,)


def test_a_move_is_sure_only_if_no_word_misheard_makes_another_legal_move_of_it() -> None:
    assert understand("d6 to d5", "en", ["d6-d5", "a1-a4"]).sure
    assert not understand("d6 to d5", "en", ["d6-d5", "d6-d7"]).sure
    assert not understand("d6 to d5", "en", ["d6-d5", "b6-d5"]).sure
    assert understand("d6 to d5", "en", ["d6-d5", "b6-b4"]).sure


def test_a_move_that_is_not_said_whole_is_never_carried_out() -> None:
    takes = ["d6-d5xg7", "d6-d5xg4", "a1-a4"]
    assert understand("d6 to d5", "en", takes).moves == ("d6-d5xg7", "d6-d5xg4")
    assert understand("d six d five takes g seven", "en", takes).moves == ("d6-d5xg7",)
    half = understand("d6 to d5", "en", ["d6-d5xg7"])
    assert half.moves == ("d6-d5xg7",) and not half.sure


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_recogniser_wrote_down_means_what_was_said_or_nothing(language: str) -> None:
    """Recorded: nothing is taken for another command, however wrong it is written."""
    understood = lines = 0
    for line in TRANSCRIPTS.read_text(encoding="utf-8").splitlines()[1:]:
        code, said, written = line.split("\t")
        if code == language:
            meant = understand(called(written, language, WAKE) or "", language, RECORDED_MOVES)
            assert meant == NOTHING or dataclasses.replace(meant, near="") == understand(said, language, RECORDED_MOVES)
            understood, lines = understood + (meant != NOTHING), lines + 1
    assert lines >= 20 and understood == RECORDED[language]


FOREIGN = """the|d|6|d6 to|to d5|d6 to d5 please now|d6 and then d5|undo it now|yes no|d6 d7 d8 d9|z9|d²|١٢
I would like to go on holiday|d 6 d 5 d 6 d 5 d 6 d 5 d 6 d 5 d 6 d 5|\0\ud800|pass me the salt|"""


@pytest.mark.parametrize("text", FOREIGN.replace("\n", "|").split("|"))
def test_anything_else_means_nothing(text: str) -> None:
    assert understand(text, "en", ["d6-d5", "d6-d7"]) == NOTHING


def test_a_command_begins_with_the_call_as_recognisers_write_it() -> None:
    for text in (
        "Kibitzer, undo",
        "Kibbitzer undo.",
        "kibitser undo",
        "Kibitz her, undo",
        "Kiebitzer undo",
        "KIBITZA undo",
    ):
        assert called(text, "en", WAKE) == "undo", text
    for text in ("undo", "the kibitzer said undo", "kibbutz undo", "keep it sir undo", "kitchen undo", "", "Kib undo"):
        assert called(text, "en", WAKE) is None, text
    assert called("Kibitzer", "en", WAKE) == ""
    assert called("Bàn cờ, gợi ý", "vi", "Bàn cờ") == "gợi ý"


def test_a_recogniser_is_told_every_verb_and_every_move() -> None:
    told = phrases_of(["d6-d5xg7", "f5", "pass", "8H6-8I1"], "en")
    assert {"undo", "i resign", "yes", "d 6 d 5 g 7", "f 5"} <= set(told)
    assert not any("h" in phrase.split() for phrase in told)
    for phrase in told:
        assert understand(phrase, "en", ["d6-d5xg7", "f5"]) != NOTHING, phrase


TABLE = Table("en", mark_of("one", ["d2"]), ("d6-d5", "d6-d7", "a1-a4"))


def hear(conversation: Conversation, text: str, now_s: float = 0.0, table: Table = TABLE) -> Reply | None:
    return conversation.hear(text, table, WAKE, now_s)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("pause", Pause()),
        ("go on", Resume()),
        ("say it again", Repeat()),
        ("hint", Coach()),
        ("a1 to a4", Move("a1-a4", mark=TABLE.mark)),
    ],
)
def test_what_can_be_put_right_is_carried_out_at_once(text: str, command: object) -> None:
    assert hear(Conversation(), f"Kibitzer, {text}") == Reply(command)
    assert hear(Conversation(), text) is None, "without the call"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("undo", Undo(mark=TABLE.mark)),
        ("new game", NewGame()),
        ("I resign", Resign(mark=TABLE.mark)),
        ("take the board as it is", Adopt(mark=TABLE.mark)),
        ("I agree", Agree(mark=TABLE.mark)),
        ("d6 to d5", Move("d6-d5", mark=TABLE.mark)),
    ],
)
def test_what_loses_something_or_may_be_misheard_needs_a_yes(text: str, command: object) -> None:
    conversation = Conversation()
    asked = hear(conversation, f"Kibitzer, {text}")
    assert asked is not None and asked.command is None and asked.words.endswith("Say: Kibitzer, yes.")
    assert hear(conversation, "yes") is None, "somebody else's yes"
    assert hear(conversation, "Kibitzer, yes", ANSWER_S) == Reply(command)
    assert hear(conversation, "Kibitzer, yes", ANSWER_S) is None, "once"


def test_words_that_are_nearly_a_command_are_asked_back() -> None:
    conversation = Conversation()
    asked = hear(conversation, "Kibitzer, continua")
    assert asked == Reply(words="Did you say: continue? Say: Kibitzer, yes.")
    assert hear(conversation, "Kibitzer, yes") == Reply(Resume())
    assert hear(conversation, "Kibitzer, contain") is None
    assert hear(conversation, "Kibitzer, yes I di") is None, "an answer is never only like one"


def test_a_question_ends_with_no_with_time_with_the_position_and_with_another_command() -> None:
    conversation = Conversation()
    hear(conversation, "Kibitzer, I resign")
    assert hear(conversation, "Kibitzer, no") == Reply(words="Then I leave it as it is.")
    assert hear(conversation, "Kibitzer, yes") is None
    hear(conversation, "Kibitzer, I resign")
    assert hear(conversation, "Kibitzer, yes", ANSWER_S + 0.1) is None
    hear(conversation, "Kibitzer, new game")
    later = Table("en", mark_of("two", ["d2"]))
    assert hear(conversation, "Kibitzer, yes", table=later) is None
    hear(conversation, "Kibitzer, I resign")
    hear(conversation, "Kibitzer, pause")
    assert hear(conversation, "Kibitzer, yes") is None


def test_moves_are_not_understood_where_a_camera_watches() -> None:
    assert hear(Conversation(), "Kibitzer, a1 to a4", table=Table("en", TABLE.mark)) is None


def test_a_move_with_a_choice_is_to_be_said_whole() -> None:
    table = Table("en", TABLE.mark, ("d6-d5xg7", "d6-d5xg4"))
    assert hear(Conversation(), "Kibitzer, d6 d5", table=table) == Reply(
        words="Say the whole move, with what it takes."
    )


SAID = {
    "en": ("knight to f3", "pawn to e four", "g one f three"),
    "ro": ("cal pe f3", "pion pe e patru", "g1 f3"),
    "pl": ("skoczek na f3", "pion na e cztery", "g1 f3"),
    "vi": ("mã đến f3", "tốt đến e4", "g1 f3"),
    "pt-br": ("cavalo para f3", "peão para e4", "g1 f3"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_moves_are_said_in_the_words_of_their_game(language: str) -> None:
    speak(language)
    try:
        words = move_words(Referee(games.load("chess")), language)
        meant = [understand_words(text, language, words).moves for text in SAID[language]]
    finally:
        speak("en")
    assert meant == [("Nf3",), ("e4",), ("Nf3",)]
    assert understand_words("knight", language, words) == NOTHING


PROMOTES = "1n6/P6k/8/8/8/8/7P/K7 w - - 0 1"
CHOSEN = {
    "en": ("knight", "promote to knight", "promote to a knight", "becomes a knight"),
    "ro": ("cal", "promovez în cal", "devine cal", "este un cal"),
    "pl": ("skoczek", "promocja na skoczka", "promuję na skoczka", "to jest skoczek"),
    "vi": ("mã", "phong mã", "phong cấp thành mã", "thành mã"),
    "pt-br": ("cavalo", "promover a cavalo", "vira um cavalo", "promove para cavalo"),
}
TOLD = {
    "en": ("pawn to a8", "a seven a eight knight", "pawn to a8, promote to knight", "takes on b8", "pawn takes on b8"),
    "ro": ("pion pe a8", "a7 a8 cal", "pion pe a8 promovează în cal", "ia pe b8", "pion ia pe b8"),
    "pl": ("pion na a8", "a7 a8 skoczek", "pion na a8 promocja na skoczka", "bije na b8", "pion bije na b8"),
    "vi": ("tốt đến a8", "a7 a8 mã", "tốt đến a8 phong mã", "ăn b8", "tốt ăn b8"),
    "pt-br": (
        "peão para a8",
        "a7 a8 cavalo",
        "peão para a8 promove para cavalo",
        "captura em b8",
        "peão captura em b8",
    ),
}


@pytest.fixture
def spoken_in(request: pytest.FixtureRequest) -> Iterator[str]:
    speak(request.param)
    yield request.param
    speak("en")


@pytest.mark.parametrize("spoken_in", LANGUAGES, indirect=True)
def test_a_promotion_is_told_with_its_move_or_when_the_pawn_has_gone(spoken_in: str) -> None:
    game = games.load("chess")
    referee = Referee(game, history=[game.parse_position(PROMOTES)])
    words = move_words(referee, spoken_in)
    meant = [understand_words(text, spoken_in, words).moves for text in TOLD[spoken_in]]
    assert meant == [("a8=Q",), ("a8=N",), ("a8=N",), ("axb8=Q",), ("axb8=Q",)]
    move = game.parse_move(referee.position, "a8=Q")
    referee.make(played(game, referee.position, move))
    for text in CHOSEN[spoken_in]:
        said = understand_words(text, spoken_in, choice_words(referee, spoken_in))
        assert said.moves == ("a8=N",) and said.sure, text


@pytest.mark.parametrize("spoken_in", LANGUAGES, indirect=True)
def test_mate_and_check_need_not_be_said(spoken_in: str) -> None:
    game = games.load("chess")
    referee = Referee(game, history=[game.parse_position("6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1")])
    words = move_words(referee, spoken_in)
    short = {phrase for phrase, move in words.items() if move == "Re8#"}
    assert len([phrase for phrase in short if phrase.endswith("e 8")]) >= 2
    assert all(understand_words(phrase, spoken_in, words).moves == ("Re8#",) for phrase in short)


NUMBERED = {
    "en": ("twenty-two to eighteen", "22 18", "twenty two takes eighteen"),
    "ro": ("douăzeci și doi la optsprezece", "22 18", "de la 22 la 18"),
    "pl": ("dwadzieścia dwa na osiemnaście", "22 18", "z 22 na 18"),
    "vi": ("hai mươi hai đến mười tám", "22 18", "hai mươi hai mười tám"),
    "pt-br": ("vinte e dois para dezoito", "22 18", "22 para dezoito"),
}


@pytest.mark.parametrize("spoken_in", LANGUAGES, indirect=True)
def test_squares_with_numbers_and_points_of_go_are_said_in_every_language(spoken_in: str) -> None:
    draughts = games.load("draughts")
    words = move_words(Referee(draughts, history=[draughts.parse_position("W:W22,30:B1,12")]), spoken_in)
    for text in NUMBERED[spoken_in]:
        assert understand_words(text, spoken_in, words).moves == ("22-18",), text
    assert understand_words("18", spoken_in, words) == NOTHING
    go = games.load("go")
    legal = [go.format_move(go.initial(), move) for move in go.legal_moves(go.initial())]
    assert understand("d4", spoken_in, legal).moves == ("D4",)
    table = Table(spoken_in, "m", legal)
    heard = Conversation().hear(f"Kibitzer, {spoken_forms('pass', spoken_in)[0]}", table, WAKE, 0.0)
    assert heard is not None and heard.command == Move("pass", mark="m")


def test_a_capture_of_several_men_is_told_by_its_ends_unless_two_have_the_same() -> None:
    game = games.load("draughts")
    one = move_words(Referee(game, history=[game.parse_position("B:W18,27,32:B9,14")]), "en")
    assert understand_words("14 takes 23", "en", one).moves == ("14x23",)
    two = game.parse_position("B:W6,7,14,15:B2")
    legal = [game.format_move(two, move) for move in game.legal_moves(two)]
    words = move_words(Referee(game, history=[two]), "en")
    assert len(legal) > len({text.split("x")[-1] for text in legal})
    assert understand_words(f"2 to {legal[0].split('x')[-1]}", "en", words) == NOTHING


def test_what_a_pawn_became_is_told_by_its_name_and_only_after_it_went() -> None:
    game = games.load("chess")
    position = game.parse_position("8/P6k/8/8/8/8/7P/K7 w - - 0 1")
    referee = Referee(game, history=[position])
    assert "knight" not in choice_words(referee, "en")
    move = game.parse_move(position, "a8=Q")
    referee.make(played(game, position, move))
    assert choice_words(referee, "en")["knight"] == "a8=N"
    heard = Conversation().hear("Kibitzer, knight", Table("en", "m", (), choice_words(referee, "en")), WAKE, 0.0)
    assert heard is not None and heard.command == Move("a8=N", mark="m")
