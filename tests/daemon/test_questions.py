"""Questions about the board: heard in every language about every cell, answered at any time; hands are not told."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import games
from daemon.commands import command as told
from daemon.commands.command import (
    Clocks,
    Command,
    HowMany,
    LastMove,
    MovesFrom,
    Pause,
    Question,
    ReadBoard,
    Repeat,
    WhatIsOn,
    WhereAre,
    WhoseTurn,
)
from daemon.commands.spoken.conversation import Conversation, Reply, Table
from daemon.commands.spoken.grammar import asking_phrases
from daemon.commands.spoken.words import LETTERS, words_of
from daemon.config.seats import Seat
from daemon.game.clocks import GameClock, TimeControl
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from daemon.match import questions
from daemon.match.command_handlers import obey
from daemon.run.move_words import move_words, named_words
from daemon.voice.speech import MAX_LENGTH, MAX_WAITING, clean, in_phrases
from daemon.words.translation import LANGUAGES, in_words, speak
from rules import EMPTY, AnyGame, Described, figures_of
from rules.turns import line_of_play
from tests.daemon.match_bench import Bench, bench_with
from tests.daemon.readings import board_with
from tests.daemon.test_command_handlers import at, refuse, tell

WAKE = "Kibitzer"
GAMES = games.shipped()
SIZES = {"go": {"size": 19}, "draughts": {"size": 10}, "gomoku": {"size": 19}}
"""The largest boards."""


@pytest.fixture(params=LANGUAGES)
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
    speak(request.param)
    yield request.param
    speak("en")


def after(name: str, plies: int, seed: int = 3, start: Any = None, **rules: object) -> Referee:
    """A random game after some plies."""
    game, chance = games.load(name, rules), random.Random(seed)
    positions, moves = [game.initial() if start is None else start], list[str]()
    while len(moves) < plies and game.outcome(positions[-1]) is None:
        move = chance.choice(list(game.legal_moves(positions[-1])))
        moves.append(game.format_move(positions[-1], move))
        positions.append(game.apply(positions[-1], move))
    return Referee(game, (None, None), positions, moves)


def in_chess(text: str) -> Referee:
    game = games.load("chess")
    return Referee(game, history=[game.parse_position(text)])


def answered(question: Question, referee: Referee, seen: str | None = None) -> str:
    return in_words(*questions.answer(question, referee, seen, None))


def table_of(game: AnyGame, language: str) -> Table:
    return Table(language, "mark", named=named_words(game, language))


def hear(text: str, game: AnyGame, language: str = "en") -> Reply | None:
    return Conversation().hear(f"{WAKE}, {text}", table_of(game, language), WAKE, 0.0)


def asks(text: str, game: AnyGame, language: str = "en") -> Command | None:
    reply = hear(text, game, language)
    return None if reply is None else reply.command


# What is heard

ON_E4 = {
    "en": "what stands on e four|what is on e4|What's on echo four?|what is on square e 4|what is on e4 please",
    "ro": "ce este pe e4|ce e pe e patru|ce stă pe echo patru|ce este pe câmpul e4|ce este pe e4 vă rog",
    "pl": "co stoi na e4|co jest na e cztery|co stoi na echo cztery|co stoi na polu e4|proszę co stoi na e4",
    "vi": "e4 có gì|có gì ở e bốn|ô e4 có gì|trên ô echo bốn có gì|e4 có quân gì",
    "pt-br": "o que está em e4|o que tem em e quatro|o que há em echo quatro|o que há na casa e4|"
    "o que há em e4, por favor",
}
ON_22 = {
    "en": "what is on twenty two",
    "ro": "ce este pe douăzeci și doi",
    "pl": "co stoi na dwadzieścia dwa",
    "vi": "hai mươi hai có gì",
    "pt-br": "o que está em vinte e dois",
}
KNIGHTS = {
    "en": "where are the white knights|where is the white knight",
    "ro": "unde sunt caii albi|unde este calul alb",
    "pl": "gdzie są białe skoczki|gdzie jest biały skoczek",
    "vi": "mã trắng ở đâu|các mã trắng ở đâu",
    "pt-br": "onde estão os cavalos brancos|onde está o cavalo branco",
}
SAID_WHOLE = {
    "en": "what was the last move|how many pieces|whose turn is it|read the board|how much time is left|say that again",
    "ro": "care a fost ultima mutare|câte piese|al cui e rândul|citește tabla|ceasul|repetă",
    "pl": "jaki był ostatni ruch|ile bierek|czyj ruch|przeczytaj planszę|ile czasu zostało|powtórz",
    "vi": "nước cuối là gì|bao nhiêu quân|đến lượt ai|đọc bàn cờ|đồng hồ|nhắc lại",
    "pt-br": "qual foi a última jogada|quantas peças|de quem é a vez|leia o tabuleiro|quanto tempo resta|repita",
}


def test_questions_are_heard_as_people_say_them(spoken: str) -> None:
    chess = games.load("chess")
    for text in ON_E4[spoken].split("|"):
        assert asks(text, chess, spoken) == WhatIsOn("e4"), text
    assert asks(ON_22[spoken], games.load("draughts"), spoken) == WhatIsOn("22")
    for text in KNIGHTS[spoken].split("|"):
        question = asks(text, chess, spoken)
        assert isinstance(question, WhereAre)
        assert questions.pieces_called(chess)[question.piece] == "♘"
    kinds = (LastMove, HowMany, WhoseTurn, ReadBoard, Clocks, Repeat)
    assert tuple(type(asks(text, chess, spoken)) for text in SAID_WHOLE[spoken].split("|")) == kinds


@pytest.mark.parametrize("name", sorted(set(GAMES) - {"double_double_dominoes"}))
def test_every_cell_is_heard_by_every_way_of_asking_and_answered(name: str, spoken: str) -> None:
    game, table, words = games.load(name, SIZES.get(name, {})), None, words_of(spoken)
    referee, table = after(name, 12, **SIZES.get(name, {})), table_of(game, spoken)
    ways = [one for one in words.asking if one.kind == "cell"]
    assert {one.verb for one in ways} == {"what_is_on", "moves_from"} and len(ways) >= 8
    for number, cell in enumerate(game.cells):
        one = ways[number % len(ways)]
        text = " ".join([WAKE, *one.before, cell, *one.after])
        reply = Conversation().hear(text, table, WAKE, 0.0)
        assert reply is not None and reply.command == told.DECLARED[one.verb].kind(cell), text
        said = answered(WhatIsOn(cell), referee)
        assert cell in said and clean(said) == said
        assert cell in answered(MovesFrom(cell), referee)


@pytest.mark.parametrize("name", GAMES)
def test_every_question_is_answered_before_the_start_within_and_after_the_end(name: str, spoken: str) -> None:
    for plies in (0, 7, 600):
        referee = after(name, plies)
        for question in (LastMove(), HowMany(), WhoseTurn(), ReadBoard(), WhatIsOn(referee.game.cells[0])):
            said = answered(question, referee)
            assert said and "{" not in said and said[-1] == "."
        for piece in questions.pieces_called(referee.game):
            assert answered(WhereAre(piece), referee)


@pytest.mark.parametrize("name", GAMES)
def test_what_is_read_out_names_every_piece_once_and_fits_what_waits_to_be_spoken(name: str, spoken: str) -> None:
    referee = after(name, 40, **SIZES.get(name, {}))
    game, said = referee.game, questions.answer(ReadBoard(), referee, None, None)
    phrases = in_phrases(in_words(one) for one in said)
    assert len(phrases) <= MAX_WAITING and all(clean(one) == one for one in phrases)
    assert " ".join(phrases) == in_words(*said)
    if Described.of(game).rows() != ():
        words = " ".join(phrases).replace(",", " ").replace(".", " ").split()
        figures = figures_of(game, referee.position)
        for cell, letter in zip(game.cells, figures, strict=True):
            assert words.count(cell) == (letter != EMPTY) or cell.isdigit(), cell


def test_the_start_of_chess_is_spoken_in_few_phrases() -> None:
    said = questions.answer(ReadBoard(), Referee(games.load("chess")), None, None)
    assert [len(one) <= MAX_LENGTH for one in in_phrases(map(str, said))] == [True, True]
    assert str(said[1]) == "Row 7: black pawns a7, b7, c7, d7, e7, f7, g7 and h7."


# What is doubtful

DOUBTS = {
    "en": ("what is on be four", "b4"),
    "ro": ("ce este pe be patru", "b4"),
    "pl": ("co stoi na be cztery", "b4"),
    "vi": ("có gì ở bê bốn", "b4"),
    "pt-br": ("o que está em bê quatro", "b4"),
}


def test_a_letter_written_as_a_word_is_asked_back(spoken: str) -> None:
    chess, conversation = games.load("chess"), Conversation()
    text, cell = DOUBTS[spoken]
    table = table_of(chess, spoken)
    asked = conversation.hear(f"{WAKE}, {text}", table, WAKE, 0.0)
    assert asked is not None and asked.command is None and cell in asked.words
    yes = words_of(spoken).verbs
    word = next(phrase for phrase, verb in yes.items() if verb == "yes")
    assert conversation.hear(f"{WAKE}, {word}", table, WAKE, 1.0) == Reply(WhatIsOn(cell))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what is on pe4", "I did not understand which cell: pe4. Say it again."),
        ("what is on before", "I did not understand which cell: before. Say it again."),
        ("what is on e4 and d5", "I did not understand which cell: e 4 and d 5. Say it again."),
        ("what is on p4", "There is no p4 on this board."),
        ("what is on papa four", "There is no p4 on this board."),
        ("what is on e twelve", "There is no e12 on this board."),
        ("what is on twenty two", "There is no 22 on this board."),
        ("where are the white dragons", "I know no such piece: white dragons."),
    ],
)
def test_what_the_board_lacks_is_told_as_it_was_heard_and_nothing_is_guessed(text: str, words: str) -> None:
    assert hear(text, games.load("chess")) == Reply(words=words)


def test_a_name_is_refused_in_every_language_where_it_is_none(spoken: str) -> None:
    text = ON_E4[spoken].split("|")[0].replace("e4", "pe4").replace("e four", "pe4")
    reply = hear(text, games.load("chess"), spoken)
    assert reply is not None and reply.command is None and "pe4" in reply.words


def test_a_question_needs_the_call_and_is_no_move() -> None:
    chess = games.load("chess")
    assert Conversation().hear("what is on e4", table_of(chess, "en"), WAKE, 0.0) is None
    moves = [chess.format_move(chess.initial(), move) for move in chess.legal_moves(chess.initial())]
    words = move_words(Referee(chess), "en")
    table = Table("en", "mark", moves, words, {}, named_words(chess, "en"))
    heard = Conversation().hear("Kibitzer, what is on e4", table, WAKE, 0.0)
    assert heard == Reply(WhatIsOn("e4"))
    moved = Conversation().hear("Kibitzer, knight to f3", table, WAKE, 0.0)
    assert moved is not None and (moved.words.startswith("Did you say: Nf3?") or isinstance(moved.command, told.Move))


# The grammar of a recogniser that must know beforehand


@pytest.mark.parametrize("name", GAMES)
def test_the_grammar_grows_with_the_ways_of_asking_and_not_with_the_board(name: str) -> None:
    game = games.load(name, SIZES.get(name, {}))
    named = named_words(game, "en")
    ways = words_of("en").asking
    told_ways = [one for one in ways if named[one.kind]]
    phrases = asking_phrases("en", named)
    assert len(phrases) == len(told_ways) <= len(ways) and sum(map(len, phrases)) < 5000
    for phrase in phrases:
        assert phrase.count("(") == phrase.count(")")
    letters = {name.split()[0] for name in named["cell"] if " " in name}
    assert letters <= set(LETTERS)
    for phrase in (one for one in phrases if one.startswith("what is on")):
        assert letters <= set(phrase.split())


# What is answered

POSITION = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
KNIGHT = {
    "en": ("White knight on f3.", "e6 is empty.", "White knights: f3 and b1.", "None on the board: light king."),
    "ro": ("Cal alb pe f3.", "Pe e6 nu este nimic.", "Caii albi: f3 și b1.", "Nu este pe tablă: damă albă."),
    "pl": ("Biały skoczek na f3.", "Na e6 nic nie ma.", "Białe skoczki: f3 i b1.", "Nie ma na planszy: biała damka."),
    "vi": ("Mã trắng ở f3.", "e6 trống.", "Mã trắng: f3 và b1.", "Trên bàn không có: quân vua trắng."),
    "pt-br": (
        "Cavalo branco em f3.",
        "Não há nada em e6.",
        "Os cavalos brancos: f3 e b1.",
        "Não está no tabuleiro: dama branca.",
    ),
}


def test_pieces_are_named_whole_in_every_language(spoken: str) -> None:
    referee, draughts = in_chess(POSITION), Referee(games.load("draughts"))
    stands = [answered(WhatIsOn(cell), referee) for cell in ("f3", "E6")]
    found = [answered(WhereAre("white knights"), referee), answered(WhereAre("light king"), draughts)]
    assert (*stands, *found) == KNIGHT[spoken]


COUNTED = {
    "chess": "On the board: white 16, black 16. White: 1 queen, 2 rooks, 2 bishops, 2 knights and 8 pawns. "
    "Black: 1 queen, 2 rooks, 2 bishops, 2 knights and 8 pawns.",
    "draughts": "On the board: light 12, dark 12.",
    "go": "On the board: black 0, white 0. Prisoners: black 0, white 0.",
    "gomoku": "On the board: black 0, white 0.",
    "reversi": "On the board: black 2, white 2.",
    "nine_mens_morris": "On the board: light 0, dark 0. Still to lay: light 9, dark 9.",
    "co_ganh": "On the board: up 8, down 8.",
    "double_double_dominoes": "Tiles in hand: red 4, green 3. In the bag: 49. Points: red 0, green 0.",
}


@pytest.mark.parametrize("name", GAMES)
def test_both_sides_pieces_are_counted_as_each_game_counts_them(name: str) -> None:
    assert answered(HowMany(), Referee(games.load(name))) == COUNTED[name]


def test_kinds_are_counted_where_they_matter() -> None:
    draughts = games.load("draughts")
    crowned = Referee(draughts, history=[draughts.parse_position("W:WK22,30:B1,12")])
    assert answered(HowMany(), crowned) == "On the board: light 2, dark 2. Kings among them: light 1, dark 0."
    assert answered(HowMany(), in_chess("8/8/4k3/8/8/8/P7/K7 w - - 0 1")).endswith(
        "White: 1 pawn. Black: only the king."
    )
    gomoku = games.load("gomoku", {"opening": "swap"})
    moves = ["a1", "b2", "c3"]
    swapped = Referee(gomoku, (None, None), line_of_play(gomoku, moves), moves)
    assert answered(HowMany(), swapped) == "Black stones: 2. White stones: 1."


def test_the_last_move_is_told_with_what_it_took() -> None:
    chess = games.load("chess")
    moves = ["e4", "d5", "exd5"]
    referee = Referee(chess, (None, None), line_of_play(chess, moves), moves)
    assert answered(LastMove(), referee) == "White: pawn takes on d5. Taken: black pawn."
    assert answered(LastMove(), Referee(chess)) == "No move has been made."
    morris = ["a7", "b6", "d7", "b4", "g7xb6"]
    game = games.load("morris")
    assert answered(LastMove(), Referee(game, (None, None), line_of_play(game, morris), morris)) == (
        "Light: g7, taking b6."
    )


def test_whose_turn_tells_a_pause_and_the_end() -> None:
    bench = at(moves=["d2", "f4"])
    assert tell(bench, WhoseTurn()) == "It is light's turn."
    tell(bench, Pause())
    assert tell(bench, WhoseTurn()) == "The game is paused. It is light's turn."
    mate = in_chess("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1")
    assert answered(WhoseTurn(), mate).startswith("White wins:")


def test_legal_moves_are_told_by_where_they_go() -> None:
    start = Referee(games.load("chess"))
    assert answered(MovesFrom("e2"), start) == "From e2: to e4 or e3."
    assert answered(MovesFrom("e7"), start) == "White has no move on e7."
    assert answered(MovesFrom("d3"), Referee(games.load("reversi"))) == "Black can lay on d3."
    with pytest.raises(Refusal, match="over"):
        answered(MovesFrom("h1"), in_chess("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1"))


def test_clocks_are_told_and_a_game_without_says_so() -> None:
    referee = Referee(games.load("chess"))
    with pytest.raises(Refusal, match="no clock"):
        questions.answer(Clocks(), referee, None, GameClock(TimeControl()))
    clock = GameClock(TimeControl("game", 90.0))
    said = in_words(*questions.answer(Clocks(), referee, None, clock))
    assert said == "White has one minute and 30 seconds left. Black has one minute and 30 seconds left."


# Hidden hands


def test_no_answer_depends_on_what_a_hand_holds(spoken: str) -> None:
    dominoes = games.load("dominoes")
    hidden, dealt = dominoes.initial(), dominoes.deal(dominoes.initial(), 5)
    other = dominoes.deal(dominoes.initial(), 6)
    assert dealt.hands != other.hands
    asked: list[Question] = [WhatIsOn(), WhatIsOn("8H"), LastMove(), HowMany(), WhoseTurn(), ReadBoard()]
    lay = next(move for move in dominoes.legal_moves(dealt) if move in dominoes.legal_moves(hidden))
    text = dominoes.format_move(dealt, lay)
    lines = []
    for start in (hidden, dealt):
        line = line_of_play(dominoes, [text], start)
        referee = Referee(dominoes, (None, None), line, [text])
        lines.append([answered(one, referee) for one in asked])
        with pytest.raises(Refusal):
            answered(MovesFrom("8H"), referee)
        with pytest.raises(Refusal):
            answered(WhereAre("3"), referee)
    assert lines[0] == lines[1]


def test_what_is_put_away_unseen_is_not_told() -> None:
    dominoes = games.load("dominoes")
    dealt = dominoes.deal(dominoes.initial(), 5)
    away = next(move for move in dominoes.legal_moves(dealt) if not dominoes.steps(dealt, move))
    text = dominoes.format_move(dealt, away)
    assert any(letter.isdigit() for letter in text)
    referee = Referee(dominoes, (None, None), line_of_play(dominoes, [text], dealt), [text])
    assert answered(LastMove(), referee) == "Red passes."


def test_dominoes_tell_the_open_ends_however_they_are_asked_for() -> None:
    dominoes = games.load("dominoes")
    moves = ["8H6-8I1", "8J1-8K4"]
    referee = Referee(dominoes, (None, None), line_of_play(dominoes, moves), moves)
    said = answered(WhatIsOn(), referee)
    assert said.startswith("Open: four on 8K. Open: six on 8H.") or "Open: six on 8H." in said
    assert said.endswith("Tiles in hand: red 4, green 3. In the bag: 47. Points: red 0, green 0.")
    for text in ("which ends are open", "what are the ends", "what is on 8 h", "what is on the table"):
        question = asks(text, dominoes)
        assert isinstance(question, WhatIsOn) and answered(question, referee) == said


# At the table


def test_an_answer_is_spoken_and_repeated_and_an_agent_is_not_asked_anew() -> None:
    referee = after("chess", 0)
    referee.agents = ("alphabeta", None)
    bench = bench_with(referee, (Seat("alphabeta"), Seat(None)), None, watched=False)
    bench.show(referee.game.board(referee.position))
    state, before = bench.match.state, len(bench.heard)
    assert referee.awaiting == "agent" and state is not None
    assert tell(bench, WhatIsOn("e2")) == "White pawn on e2."
    (heard,) = bench.heard[before:]
    assert heard.code == "answer" and heard.urgent and heard.text == "White pawn on e2."
    assert bench.match.state is state
    assert tell(bench, Repeat()) == "White pawn on e2."


def test_what_the_camera_reads_otherwise_is_told() -> None:
    bench: Bench = at(moves=["d2", "f4"])
    game = bench.match.referee.game
    seen = board_with(game, W="d2", B="g4")
    assert questions.answer(WhatIsOn("f4"), bench.match.referee, seen, None)[1:] != ()
    assert answered(WhatIsOn("f4"), bench.match.referee, seen) == "Dark man on f4. I see something else there now."
    assert answered(WhatIsOn("d2"), bench.match.referee, seen) == "Light man on d2."


def test_questions_about_what_does_not_exist_are_refused_and_change_nothing() -> None:
    bench = at(moves=["d2", "f4"])
    heard = len(bench.heard)
    assert refuse(bench, WhatIsOn("z9")) == "There is no cell z9; the cells are a7 to g1."
    assert refuse(bench, WhatIsOn()) == "Name a cell, such as a7."
    assert refuse(bench, WhereAre("white dragon")) == "I know no such piece: white dragon."
    assert len(bench.heard) == heard


def test_every_question_is_answered_without_eyes_and_in_a_pause() -> None:
    bench = at(moves=["d2", "f4"])
    tell(bench, Pause())
    for question in (WhatIsOn("d2"), LastMove(), HowMany(), WhoseTurn(), WhereAre("light men"), ReadBoard()):
        for eyes in (bench.eyes, None):
            answer = obey(bench.match, question, eyes)
            assert answer.accepted and answer.text
