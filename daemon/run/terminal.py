"""A game in a terminal: the board as text, moves typed, everything else as at a table."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from typing import TextIO

from calibration.template import BoardTemplate
from daemon.commands import command as commands
from daemon.commands.spoken.grammar import understand_words
from daemon.drawing.text_board import MEN, TextBoard
from daemon.game.effects import Announcement
from daemon.game.hands import shown_hands
from daemon.judging import counting, phrases
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.run.move_words import move_words
from daemon.run.session import Session
from daemon.run.session_runner import SessionRunner
from daemon.words.translation import as_words, in_a_row, in_words, language, worded, worded_n
from rules import Counts, MoveError, Words, figures_of
from wording import Term, listing, sentence

MAX_LINE_BYTES = 512
"""Bytes of the longest line; the rest is cut off."""
CHUNK = 4096
WAIT_S = 0.1
"""Seconds to wait at most for a typed line before agents and the clock are served."""
THINK_S = 0.02
MAX_SHOWN = 60
"""Greatest number of moves listed; of further moves only the number is shown."""
CHANGES = ("move", "pass", "undo", "game_over", "counted")
WORDS: dict[str, Callable[[str], commands.Command]] = {
    "undo": lambda _: commands.Undo(),
    "hint": lambda _: commands.Coach(),
    "pass": lambda rest: commands.Move(f"pass:{rest}") if rest else commands.Pass(),
    "resign": lambda rest: commands.Resign(rest),
    "pause": lambda _: commands.Pause(),
    "resume": lambda _: commands.Resume(),
    "repeat": lambda _: commands.Repeat(),
    "count": lambda rest: commands.Count(rest),
    "agree": lambda rest: commands.Agree(rest),
    "new": lambda _: commands.NewGame(),
    "position": lambda rest: commands.Position(rest),
}
HELP = (
    ("{move}", sentence("a move, such as this one")),
    ("?", sentence("the legal moves")),
    ("undo", sentence("take the last move back, against an agent with your own")),
    ("hint", sentence("who stands better, and the best move")),
    ("pass [TILE]", sentence("pass, with the tile put away if there is one")),
    ("board", sentence("the board again")),
    ("resign [SIDE]", sentence("give up")),
    ("pause, resume", sentence("stop and go on, the clock with it")),
    ("repeat", sentence("what was said last")),
    ("count CELL", sentence("after the end: the pieces there count as captured, or no longer")),
    ("agree [SIDE]", sentence("after the end: agree to how the game is counted")),
    ("new", sentence("another game")),
    ("position [TEXT]", sentence("the position as text, or another game that begins from that one")),
    ("quit", sentence("leave; the game is kept, and goes on next time")),
)


class TypedLines:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.interactive = os.isatty(descriptor)
        self._pending = b""
        self.ended = False

    def take(self, timeout_s: float) -> str | None:
        """The next line without its line end; None if no complete line has come within `timeout_s` seconds."""
        if b"\n" not in self._pending and not self.ended and select.select([self._descriptor], [], [], timeout_s)[0]:
            chunk = os.read(self._descriptor, CHUNK)
            self.ended = not chunk
            self._pending += chunk if chunk else b"\n" * bool(self._pending)
        line, end, rest = self._pending.partition(b"\n")
        if not end:
            self._pending = self._pending[:MAX_LINE_BYTES]
            return None
        self._pending = rest
        return line[:MAX_LINE_BYTES].decode(errors="replace").strip()


class TerminalGame:
    def __init__(self, session: Session, template: BoardTemplate, typed: TypedLines, shown: TextIO) -> None:
        self._session, self._typed, self._shown = session, typed, shown
        self._runner = SessionRunner(session)
        self._board = TextBoard(template, session.game)
        self._colour = shown.isatty()
        self._announcements: list[Announcement] = []
        self._drawn = self._asked = self._prompted = self._quit = False
        self._premove = ""
        """The move typed while the agent thinks; empty if there is none."""
        session.listeners.append(self._announcements.append)

    def play(self, *, resume: bool) -> None:
        self._begin(resume=resume)
        while not self._quit:
            self._runner.tick(None)
            self._show()
            if self._match.new_game_due:
                self._begin(resume=False)
            elif self._match.referee.awaiting == "agent":
                self._wait_for_agent()
            elif self._premove:
                line, self._premove = self._premove, ""
                self._read(line)
            else:
                self._read_within(WAIT_S)

    def _read_within(self, timeout_s: float) -> None:
        if (line := self._typed.take(timeout_s)) is not None:
            self._read(line)
        elif self._typed.ended:
            self._quit = True
            self._write("")

    @property
    def _match(self) -> Match:
        assert self._session.match is not None
        return self._session.match

    def _begin(self, *, resume: bool) -> None:
        game = self._session.begin(None, resume=resume).referee.game
        board, drawn = game.board(game.initial()), figures_of(game, game.initial())
        men = ["" if piece in board and piece not in drawn else MEN.get(piece, "") for piece in game.pieces]
        sides = [
            f"{as_words(Term('side', side))} {man}".strip() + (f" ({seat.shown})" if seat.agent else "")
            for side, man, seat in zip(game.sides, men, self._session.seats, strict=True)
        ]
        title, hint = as_words(Term("game", game.title)), worded("Type help for what you can say.")
        self._write(f"{title}: {', '.join(sides)}. {hint}")
        if game.about.star is not None:
            around = worded("① to ⑤: points of a diamond. ★: the first tile. Around the board: the score track.")
            self._write(around)
        if count := len(self._match.referee.line.seen):
            resumed = worded_n("I resume the game after {count} move.", "I resume the game after {count} moves.", count)
            self._write(resumed)
        self._drawn = False

    def _wait_for_agent(self) -> None:
        """Lets the agent think. A person's commands are carried out meanwhile, a script's lines after its move."""
        if not self._asked:
            self._asked = True
            self._write(worded("The computer is thinking."))
        if self._typed.interactive:
            self._read_within(THINK_S)
        else:
            time.sleep(THINK_S)

    def _read(self, line: str) -> None:
        self._asked = self._prompted = False
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "quit" | "q" | "exit":
                self._quit = True
                return
            case "?" | "moves":
                self._write(self._moves())
            case "help":
                self._write(self._help())
            case "board":
                self._drawn = False
            case "position" if not rest.strip():
                self._write(self._match.referee.game.format_position(self._match.referee.position))
            case word if word in WORDS:
                self._premove = ""
                self._obey(WORDS[word](rest.strip()))
            case _ if self._match.referee.awaiting == "agent":
                self._premove = line
                self._write(worded("I keep {move} until the agent has moved.", move=line))
            case _:
                self._obey(commands.Move(self._meant(line)))
        self._show()
        if not self._prompted:
            self._prompt()

    def _meant(self, line: str) -> str:
        """The text of the move that a line names in the words of its game, such as "castle short"; else the line."""
        referee = self._match.referee
        try:
            referee.game.parse_move(referee.position, line)
        except MoveError as error:
            if error.rule == "not_a_move":
                said = understand_words(line, language(), move_words(referee, language()))
                return said.moves[0] if said.moves else line
        return line

    def _obey(self, command: commands.Command) -> None:
        answer = obey(self._match, command, None)
        if not answer.accepted:
            self._write(answer.text)

    def _help(self) -> str:
        lines = [(typed.format(move=self._example()), in_words(what)) for typed, what in HELP]
        width = max(len(typed) for typed, _ in lines)
        return "\n".join(f"  {typed:<{width}}  {what}" for typed, what in lines)

    def _example(self) -> str:
        game, position = self._match.referee.game, self._match.referee.position
        moves = game.legal_moves(position)
        return game.format_move(position, moves[len(moves) // 2]) if moves else game.cells[0]

    def _moves(self) -> str:
        game, position = self._match.referee.game, self._match.referee.position
        choices = self._choices()
        moves = [game.format_move(position, move) for move in game.legal_moves(position)]
        moves = [*choices.values(), *(move for move in moves if move not in choices)]
        if not moves:
            return worded("The game is over.")
        more = [worded("and {count} more", count=len(moves) - MAX_SHOWN)] if len(moves) > MAX_SHOWN else []
        return "  ".join([*moves[:MAX_SHOWN], *more])

    def _choices(self) -> dict[str, str]:
        """The moves that change nothing on the board, and what each does: `black (Take the black stones)`, by texts."""
        game, position = self._match.referee.game, self._match.referee.position
        does = {
            game.format_move(position, move): Words.of(game).told(position, move) for move in game.legal_moves(position)
        }
        return {text: f"{text} ({in_words(told)})" for text, told in does.items() if told is not None}

    def _show(self) -> None:
        announcements, self._announcements[:] = [one for one in self._announcements if one.said], []
        if announcements and self._prompted:
            self._write("")
        for announcement in announcements:
            self._write(in_words(*announcement.said))
        referee = self._match.referee
        if self._drawn and not any(one.code in CHANGES for one in announcements):
            if announcements and self._prompted:
                self._prompt()
            return
        self._drawn, self._asked = True, False
        new = {step.cell for step in referee.last_steps}
        drawn = figures_of(referee.game, referee.position)
        self._write(f"\n{self._board.draw(drawn, new, colour=self._colour, pawns=self._pawns())}\n")
        self._prompt()

    def _pawns(self) -> list[tuple[str, int]]:
        """The first letter of each side's name, and its points."""
        game, position = self._match.referee.game, self._match.referee.position
        letters = [as_words(Term("side", side))[0].upper() for side in game.sides]
        return list(zip(letters, Counts.of(game).scores(position) or (), strict=False))

    def _prompt(self) -> None:
        referee, game, timer = self._match.referee, self._match.referee.game, self._session.timer
        if self._quit or self._match.new_game_due or referee.awaiting not in ("move", "nothing"):
            return
        self._prompted = True
        if referee.outcome is not None:
            counted = "count, agree, " if counting.is_open(referee) else ""
            self._shown.write(worded("It is over.") + f" {counted}new, undo, quit> ")
        else:
            side = game.to_move(referee.position)
            hand = shown_hands(referee.game, referee.position, referee.agents)[side]
            held = worded("Tiles: {tiles}.", tiles=listing(hand)) if hand else ""
            timed = timer is not None and timer.clock.control.kind != "none"
            clock = timer.status(game.sides)["text"] if timer is not None and timed else ""
            facts = in_a_row([in_words(*phrases.totals(game, referee.position)), held, str(clock)])
            self._shown.write("".join(f"{line}\n" for line in (facts, *self._choices().values()) if line))
            self._shown.write(f"{as_words(phrases.named(game, side))}> ")
        self._shown.flush()

    def _write(self, text: str) -> None:
        self._shown.write(f"{text}\n")
        self._shown.flush()
