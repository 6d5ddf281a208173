"""GTP, version 2, for go, gomoku and reversi; here we are the engine.

Points of go and gomoku are GTP's: letters without I, rows counted from the bottom. Reversi's are its own, as in GRhino:
a1 is the top left. Turns are the game's; a pass that reversi forces may be told or not, and one of go that is not told
is made where a colour plays twice.
"""

from __future__ import annotations

import threading
from typing import Any

import games
from agents.agent import Limits, NoMove
from agents.players import PlayerSpec
from agents.protocols import ENGINE_NAME, VERSION
from agents.protocols.session import MOVES_LEFT, READY_S, Say, Session, usable
from games.gomoku import Gomoku
from rules import EMPTY, AnyGame, DeadPieces
from wording.outside import clean

GAMES = ("go", "gomoku", "reversi")
COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
LETTERS = "abcdefghjklmnopqrst"
"""GTP's columns have no I."""
MAX_TIME_S = 10**6


def to_vertex(game: AnyGame, text: str) -> str:
    if game.name == "gomoku" and text[:1].isalpha() and text[1:].isdecimal():
        return LETTERS["abcdefghijklmnopqrs".index(text[0])].upper() + text[1:]
    return text if text == "pass" else text.upper()


def from_vertex(game: AnyGame, text: str) -> str:
    """A point as GTP writes it in our notation; other text is returned in lower case."""
    word = text.lower()
    if game.name == "gomoku" and word[:1] in LETTERS[:19] and word[1:].isdecimal():
        return "abcdefghijklmnopqrs"[LETTERS.index(word[0])] + word[1:]
    return word


class GtpSession(Session):
    protocol = "gtp"

    def __init__(self, game: AnyGame, player: PlayerSpec, say: Say) -> None:
        super().__init__(game, player, say)
        self._failed = ""
        self._line: list[Any] = [game.initial()]
        self._clock = (0.0, 0.0, 0)
        """Main time, byo-yomi time and its stones, as time_settings says."""
        self._left: dict[int, tuple[float, int]] = {}

    def hear(self, line: str) -> bool:
        words = clean(line.partition("#")[0], 500).split()
        if not words:
            return True
        number = words.pop(0) if words[0].isdecimal() else ""
        command = words[0] if words else ""
        try:
            if command not in self.commands():
                raise ValueError("unknown command")
            answer = getattr(self, f"do_{command}")(words[1:])
        except ValueError as error:
            self._say(f"?{number} {error}")
        else:
            for line in f"={number} {answer}".splitlines():
                self._say(line.rstrip())
        self._say("")
        return command != "quit"

    def _fail(self, text: str) -> None:
        self._failed = text

    def do_protocol_version(self, _words: list[str]) -> str:
        return "2"

    def do_name(self, _words: list[str]) -> str:
        return ENGINE_NAME

    def do_version(self, _words: list[str]) -> str:
        return VERSION

    def do_known_command(self, words: list[str]) -> str:
        return "true" if words[:1] and words[0] in self.commands() else "false"

    def do_list_commands(self, _words: list[str]) -> str:
        return "\n".join(self.commands())

    def do_quit(self, _words: list[str]) -> str:
        return ""

    def do_boardsize(self, words: list[str]) -> str:
        if words[1:] or not words or not words[0].isdecimal() or len(words[0]) > 3:
            raise ValueError("boardsize is a whole number")
        if "size" in vars(self._game.rules):
            self._play_by("unacceptable size", size=words[0], **self._no_handicap())
        elif words[0] != "8":
            raise ValueError("unacceptable size")
        return self.do_clear_board([])

    def _play_by(self, refusal: str, **options: str) -> None:
        """Goes on by other rules. Raises ValueError with the refusal if there are none such."""
        try:
            game = games.load(self._game.name, vars(self._game.rules) | options)
        except ValueError:
            raise ValueError(refusal) from None
        self._thinking.forget(game)
        self._game = game

    def _no_handicap(self) -> dict[str, str]:
        """The option without which a cleared board is empty."""
        return {"handicap": "0"} if self._counts() else {}

    def _counts(self) -> bool:
        return hasattr(self._game.rules, "komi") and hasattr(self._game.rules, "handicap")

    def do_clear_board(self, _words: list[str], *, handicap: bool = False) -> str:
        if not handicap and self._counts() and self._game.rules.handicap:
            self._play_by("", **self._no_handicap())
        self._line, self._left = [self._game.initial()], {}
        self._thinking.wait_for_code(READY_S)
        return ""

    def do_komi(self, words: list[str]) -> str:
        (points,) = _seconds(words, 1, "komi", least=-MAX_TIME_S)
        if self._counts():
            self._play_by("komi is whole or half points", komi=f"{points:g}")
        return ""

    def do_fixed_handicap(self, words: list[str]) -> str:
        if not self._counts() or len(words) != 1:
            raise ValueError("invalid number of stones")
        if len(self._line) > 1 or self._game.board(self._line[0]).strip(EMPTY):
            raise ValueError("board not empty")
        self._play_by("invalid number of stones", handicap=words[0])
        self.do_clear_board([], handicap=True)
        board = self._game.board(self._line[0])
        return " ".join(name for name, letter in zip(self._game.cells, board, strict=True) if letter != EMPTY)

    def do_set_free_handicap(self, words: list[str]) -> str:
        game, points = self._game, [from_vertex(self._game, word).upper() for word in words]
        if not self._counts() or len(set(points)) != len(points) or len(points) < 2 or set(points) - set(game.cells):
            raise ValueError("invalid vertex list")
        if len(self._line) > 1 or game.board(self._line[0]).strip(EMPTY):
            raise ValueError("board not empty")
        board = "".join(game.pieces[0] if name in points else EMPTY for name in game.cells)
        self._line = [game.set_up(board, 1, self._line[0])]
        return ""

    def do_final_status_list(self, words: list[str]) -> str:
        if words not in (["dead"], ["alive"], ["seki"]):
            raise ValueError("final_status_list takes dead, alive or seki")
        position, game = self._line[-1], self._game
        if not self._counts() or game.outcome(position) is None:
            raise ValueError("the game is not over")
        dead, board = DeadPieces.of(game).dead(position), game.board(position)
        alive = [cell for cell, letter in enumerate(board) if letter != EMPTY and cell not in dead]
        return " ".join(game.cells[cell] for cell in {"dead": dead, "alive": alive, "seki": ()}[words[0]])

    def do_final_score(self, _words: list[str]) -> str:
        outcome = self._game.outcome(self._line[-1])
        if outcome is None or outcome.scores is None:
            raise ValueError("cannot score")
        lead = abs(outcome.scores[0] - outcome.scores[1])
        return "0" if outcome.winner is None else f"{'BW'[outcome.winner]}+{lead:g}"

    def do_play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise ValueError("play takes a colour and a point")
        position = self._to_move(_colour(words[0]))
        try:
            move = self._game.parse_move(position, from_vertex(self._game, words[1]))
            self._line.append(self._game.apply(position, move))
        except ValueError as error:
            raise ValueError(f"illegal move: {error}") from None
        return ""

    def do_genmove(self, words: list[str]) -> str:
        if len(words) != 1:
            raise ValueError("genmove takes a colour")
        colour = _colour(words[0])
        if self._game.outcome(self._line[-1]) is not None:
            return "pass"
        position = self._to_move(colour)
        limits, answers, self._failed = self._limits(colour), [], ""

        def choose(stop: threading.Event) -> None:
            try:
                answers.append(self._thinking.agent.choose(position, limits, stop).move)
            except NoMove as error:
                if not error.resigned:
                    raise
                answers.append(None)

        self._thinking.begin(choose)
        self._thinking.finish()
        if not answers:
            raise ValueError(self._failed or "no move was found")
        if answers[0] is None:
            return "resign"
        text = self._game.format_move(position, answers[0])
        self._line.append(self._game.apply(position, answers[0]))
        return to_vertex(self._game, text)

    def do_undo(self, _words: list[str]) -> str:
        if len(self._line) < 2:
            raise ValueError("cannot undo")
        self._line.pop()
        return ""

    def do_time_settings(self, words: list[str]) -> str:
        main_s, extra_s, stones = _seconds(words, 3, "time_settings")
        self._clock, self._left = (main_s, extra_s, int(stones)), {}
        return ""

    def do_time_left(self, words: list[str]) -> str:
        if len(words) != 3:
            raise ValueError("time_left takes a colour, seconds and stones")
        left_s, stones = _seconds(words[1:], 2, "time_left")
        self._left[_colour(words[0])] = (left_s, int(stones))
        return ""

    def do_showboard(self, _words: list[str]) -> str:
        letters, names = self._game.board(self._line[-1]), self._game.cells
        size = round(len(letters) ** 0.5)
        lines = []
        for first in range(0, size * size, size):
            number = to_vertex(self._game, names[first])[1:]
            lines.append(f"{number:>2} {' '.join(letters[first : first + size])} {number}")
        columns = "   " + " ".join(to_vertex(self._game, name)[0].upper() for name in names[:size])
        return "\n" + "\n".join([columns, *lines, columns])

    def _to_move(self, colour: int) -> Any:
        """The position with that colour to move, after a pass where none was told. Raises ValueError.

        A board of go may be set up by stones in any order, also after both have passed; nobody has passed then.
        """
        position = self._line[-1]
        if self._counts():
            if self._game.to_move(position) == colour and self._game.outcome(position) is None:
                return position
            return self._game.set_up(self._game.board(position), colour, position)
        mover = self._game.colour(position) if isinstance(self._game, Gomoku) else self._game.to_move(position)
        if mover != colour:
            moves = self._game.legal_moves(position)
            last = moves[-1:] if self._game.about.passes_told else moves[:2]
            if [self._game.format_move(position, move) for move in last] == ["pass"]:
                return self._game.apply(position, moves[-1])
            raise ValueError(f"illegal move: it is {('black', 'white')[mover]}'s turn")
        return position

    def _limits(self, colour: int) -> Limits:
        main_s, extra_s, per = self._clock
        left_s, stones = self._left.get(colour, (main_s, 0) if main_s else (extra_s, per))
        if not (main_s or extra_s) or (extra_s and per <= 0):
            return self._spec.limits
        return self._within(usable(left_s / stones if stones else left_s / MOVES_LEFT))


def _colour(text: str) -> int:
    if text.lower() not in COLOURS:
        raise ValueError(f"a colour is black or white, not {text[:20]!r}")
    return COLOURS[text.lower()]


def _seconds(words: list[str], count: int, command: str, least: float = 0) -> list[float]:
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(least <= number <= MAX_TIME_S for number in numbers):
        raise ValueError(f"{command} takes {count} numbers, {least:g} to {MAX_TIME_S}")
    return numbers
