"""The coach: evaluates the position and suggests the best moves, in a separate process while the game continues."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from subprocess import DEVNULL, PIPE
from types import MappingProxyType
from typing import Any

import places
from daemon.commands.command import mark_of
from daemon.judging import phrases
from daemon.judging.referee import Referee
from processes import Process
from rules import AnyGame, GameError, HiddenHands
from wording import Sentences, sentence, sentence_n

LOGGER = logging.getLogger(__name__)
ROOT = places.PROGRAM
COMMAND = (sys.executable, "-m", "daemon.cli", "move")
PLAYER = "level-8"
"""The agent to ask: the strongest level of every game."""
THINK_S = 0.8
"""Seconds to think: with the start of the process an answer takes less than two."""
NICE = 10
"""How far other processes come first: the eyes, above all."""
DEADLINE_S, START_S = 30.0, 300.0
"""Seconds before the process is killed, and before its first answer: after an update its search has to be compiled,
which takes minutes where other processes want the processor."""
MAX_BYTES = 65536
WIN, FORCED = 1_000_000, 900_000.0
"""Score of a game won at once, less the plies to it; a score beyond the second means a forced win."""
EVEN, CLEAR, FAR = 0.25, 1.0, 3.0
"""Shares of a clear advantage: below the first the game is even, beyond the last a side is far ahead."""


@dataclasses.dataclass(frozen=True)
class Advice:
    """The coach's answer to a question."""

    said: Sentences
    mark: str = ""
    """The position that it is for."""
    move: Any = None
    """The move advised; None if it has no opinion."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Question:
    """A question that waits for its answer."""

    game_id: str
    mark: str
    """The position that it is about."""
    best: bool = False
    """Whether it asks for several moves, to be shown, rather than for advice."""


class Coach:
    """Answers one question at a time. `ask` and `poll` never block.

    Its process stays for further questions until the game ends: only the first has to wait for its start.
    """

    def __init__(
        self, command: Sequence[str] = COMMAND, deadline_s: float = DEADLINE_S, start_s: float = START_S
    ) -> None:
        self._command, self._deadline_s, self._start_s = tuple(command), deadline_s, start_s
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._running: list[str] = []
        """The command of the process."""
        self._started: Process | None = None
        """The process that has answered before."""
        self._game_id = ""
        self._answer: tuple[_Question, str] | None = None
        """The question and the JSON text received; the text is empty if the process gave none."""
        self._asked: _Question | None = None
        self._waits = False
        """Whether advice is to be asked for as soon as the best moves, which it interrupts, have come."""

    @property
    def thinks(self) -> bool:
        """Whether somebody waits for advice."""
        return self._waits or (self._asked is not None and not self._asked.best)

    def ask(self, referee: Referee, game_id: str) -> None:
        """Asks about the current position, unless a question is already waiting."""
        if self.thinks:
            return
        if self._asked is not None:
            self._waits, self._game_id = True, game_id
            self.give_up_best()
            return
        self._begin(referee, _Question(game_id, mark_of(game_id, referee.moves)), _question(referee))

    def ask_best(self, referee: Referee, game_id: str, count: int, time_s: float) -> bool:
        """Asks for the best moves of the current position; returns whether nothing else was being thought about."""
        if self._asked is not None or self._waits:
            return False
        asked = _question(referee, {"best": count, "time_s": time_s})
        self._begin(referee, _Question(game_id, mark_of(game_id, referee.moves), best=True), asked)
        return True

    def take_best(self) -> tuple[str, str] | None:
        """The mark of a position and the JSON text of its best moves, once; None before they have come."""
        with self._lock:
            if self._answer is None or not self._answer[0].best or self._answer[0] is not self._asked:
                return None
            (question, text), self._answer = self._answer, None
        self._asked = None
        return question.mark, text

    def give_up_best(self) -> None:
        """Makes the best moves, if they are being looked for, come at once."""
        with self._lock:
            process = self._process if self._asked is not None and self._asked.best else None
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it has ended
                process.stdin.write(b"\n")
                process.stdin.flush()

    def _begin(self, referee: Referee, question: _Question, line: str) -> None:
        self._game_id, self._asked = question.game_id, question
        asked = question, [*self._command, *_words(referee)], line
        threading.Thread(target=self._think, args=asked, name="coach", daemon=True).start()

    def poll(self, referee: Referee, game_id: str) -> Advice | None:
        """The coach's advice, once; None while it thinks. An outdated answer only yields that the board changed.

        A question asked in another game, or in one that is over, is given up without a word.
        """
        if self._game_id and (self._game_id != game_id or referee.outcome is not None):
            self.close()
        if self._waits and self._asked is None:
            self._waits = False
            self.ask(referee, game_id)
        with self._lock:
            if self._answer is not None and self._answer[0].best and self._answer[0] is self._asked:
                return None
            answer, self._answer = self._answer, None
        if answer is None or answer[0] is not self._asked:
            return None
        self._asked = None
        if answer[0].mark != mark_of(game_id, referee.moves):
            return Advice((sentence("The board has changed while I was thinking. Ask me again."),))
        return advice(referee.game, referee.position, answer[1], answer[0].mark)

    def close(self) -> None:
        """Gives up the question that is waiting, and kills the process."""
        with self._lock:
            waits = self._asked is not None and self._answer is None
            self._asked, self._game_id, self._waits = None, "", False
            process, self._process = self._process, None
        if process is not None:
            if waits:
                process.end()  # its thread closes it
            else:
                process.close()

    def _think(self, asked: _Question, command: list[str], question: str) -> None:
        """The thread of one question."""
        text, process = "", None
        try:
            process = self._ready(asked, command)
            if process is not None:
                text = _answered(process, question, self._deadline_s if process is self._started else self._start_s)
                self._started = process
        except Exception:  # the top of the thread
            LOGGER.exception("the coach cannot be asked")
        with self._lock:
            wanted = asked is self._asked
            if wanted:
                self._process = self._process if text else None
                self._answer = asked, text
        if process is not None and not (wanted and text):
            process.close()

    def _ready(self, asked: _Question, command: list[str]) -> Process | None:
        """The process of that command, started if need be; None if the question is given up."""
        with self._lock:
            if asked is not self._asked:
                return None
            before = self._process
            if before is None or self._running != command or before.poll() is not None:
                if before is not None:
                    before.close()
                self._process = Process(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
                self._running = command
            return self._process


def _answered(process: Process, question: str, deadline_s: float) -> str:
    """The line that answers a question; empty if none comes in time, and then the process has ended."""
    assert process.stdin is not None and process.stdout is not None
    deadline = threading.Timer(deadline_s, process.end)
    deadline.daemon = True
    deadline.start()
    try:
        with contextlib.suppress(OSError):  # it may answer without having read, and end
            process.stdin.write(question.encode() + b"\n")
            process.stdin.flush()
        return bytes(process.stdout.readline(MAX_BYTES)).decode(errors="replace").strip()
    finally:
        deadline.cancel()


def _words(referee: Referee) -> list[str]:
    """The command-line words for a game and its rules."""
    game = referee.game
    rules = [word for name, value in vars(game.rules).items() for word in ("--rule", f"{name}={str(value).lower()}")]
    return ["--game", game.name, "--agent", PLAYER, "--time-s", f"{THINK_S:g}", "--nice", str(NICE), *rules, "--lines"]


def _question(referee: Referee, more: Mapping[str, object] = MappingProxyType({})) -> str:
    """The line that asks for the best move in the current position."""
    game = referee.game
    if referee.history[0] in game.starts:
        return json.dumps({"moves": " ".join(referee.moves), **more})
    seen = HiddenHands.of(game).view(referee.position, game.to_move(referee.position))  # the coach sees no other hand
    return json.dumps({"position": game.format_position(seen), **more})


def advice(game: AnyGame, position: Any, text: str, mark: str = "") -> Advice:
    """A coach's answer in one or two sentences; an invalid answer or an illegal move is reported as no opinion."""
    try:
        answer = json.loads(text)
        move = game.parse_move(position, str(answer["move"])[:64])
        score, lead = (None if answer.get(name) is None else float(answer[name]) for name in ("score", "lead"))
    except (ValueError, KeyError, TypeError, AttributeError, GameError):
        return Advice((sentence("I have no opinion on this position."),))
    best = sentence("Try {move}.", move=phrases.spoken_move(game, position, move))
    return Advice((*_standing(game, position, score, lead), best), mark, move)


def _standing(game: AnyGame, position: Any, worth: float | None, lead: float | None) -> Sentences:
    """Which side stands better; empty without an evaluation."""
    if worth is None or worth != worth:  # not a number
        return ()
    side = game.to_move(position)
    better = phrases.named(game, side if worth > 0 else 1 - side)
    if abs(worth) > FORCED:
        moves = max(1, (round(WIN - abs(worth)) + 1) // 2)
        return (
            sentence_n("{side:Nom} wins in {count} move.", "{side:Nom} wins in {count} moves.", moves, side=better),
        )
    share = abs(worth) / (lead or abs(worth) or 1.0)
    if share < EVEN or not worth:
        return (sentence("The game is even."),)
    if share > FAR:
        return (sentence("{side:Nom} is far ahead.", side=better),)
    if share < CLEAR:
        return (sentence("{side:Nom} is a little ahead.", side=better),)
    return (sentence("{side:Nom} is ahead.", side=better),)
