"""The coach: evaluates the position and suggests the best move, in a separate process while the game continues."""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
import threading
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, TimeoutExpired
from typing import Any

import places
from daemon.commands.command import mark_of
from daemon.judging import phrases
from daemon.judging.referee import Referee
from games import AnyGame, GameError
from processes import Process
from wording import Sentences, sentence

LOGGER = logging.getLogger(__name__)
ROOT = places.PROGRAM
COMMAND = (sys.executable, "-m", "daemon.cli", "move")
PLAYER = "level-8"
"""The agent to ask: the strongest level of every game."""
THINK_S = 2.0
DEADLINE_S = 30.0
"""Seconds before the process is killed; its first search after an update has to be compiled."""
MAX_BYTES = 65536
FORCED = 900_000.0
"""Evaluation points beyond which a score means a forced win: 1000000 less the plies to it."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Question:
    """A question that waits for its answer."""

    game_id: str
    mark: str
    """The position that it is about."""


class Coach:
    """Answers one question at a time. `ask` and `poll` never block."""

    def __init__(self, command: Sequence[str] = COMMAND, deadline_s: float = DEADLINE_S) -> None:
        self._command, self._deadline_s = tuple(command), deadline_s
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._answer: tuple[_Question, str] | None = None
        """The question and the JSON text received; the text is empty if the process gave none."""
        self._asked: _Question | None = None

    @property
    def thinks(self) -> bool:
        """Whether a question is waiting for its answer."""
        return self._asked is not None

    def ask(self, referee: Referee, game_id: str) -> None:
        """Asks about the current position, unless a question is already waiting."""
        if self.thinks:
            return
        self._asked = _Question(game_id, mark_of(game_id, referee.moves))
        command = [*self._command, *_question(referee)]
        thread = threading.Thread(target=self._think, args=(self._asked, command), name="coach", daemon=True)
        thread.start()

    def poll(self, referee: Referee, game_id: str) -> Sentences | None:
        """The coach's advice, once; None while it thinks. An outdated answer only yields that the board changed.

        A question asked in another game, or in one that is over, is given up without a word.
        """
        if self._asked is not None and (self._asked.game_id != game_id or referee.outcome is not None):
            self.close()
        with self._lock:
            answer, self._answer = self._answer, None
        if answer is None or answer[0] is not self._asked:
            return None
        self._asked = None
        if answer[0].mark != mark_of(game_id, referee.moves):
            return (sentence("The board has changed while I was thinking. Ask me again."),)
        return advice(referee.game, referee.position, answer[1])

    def close(self) -> None:
        """Gives up the question that is waiting, and kills its process."""
        with self._lock:
            self._asked, process = None, self._process
        if process is not None:
            process.end()

    def _think(self, asked: _Question, command: Sequence[str]) -> None:
        """The thread of one question."""
        text = ""
        try:
            process = Process(command, cwd=ROOT, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
            with self._lock:
                given_up = asked is not self._asked
                if not given_up:
                    self._process = process
            out = _output(process, 0.0 if given_up else self._deadline_s)
            text = out[:MAX_BYTES].decode(errors="replace") if process.returncode == 0 else ""
        except Exception:  # the top of the thread
            LOGGER.exception("the coach cannot be asked")
        with self._lock:
            if asked is self._asked:
                self._process, self._answer = None, (asked, text)


def _output(process: Process, deadline_s: float) -> bytes:
    """The process's output; empty if it does not end in time. Nothing that it has started is left."""
    with process:
        try:
            return bytes(process.communicate(timeout=deadline_s)[0])
        except TimeoutExpired:
            LOGGER.warning("the coach did not answer within %.0f s", deadline_s)
            return b""
        finally:
            process.end()


def _question(referee: Referee) -> list[str]:
    """The command-line arguments that ask for the best move in the current position."""
    game = referee.game
    rules = [word for name, value in vars(game.rules).items() for word in ("--rule", f"{name}={str(value).lower()}")]
    known = ["--moves", " ".join(referee.moves)]
    if referee.history[0] not in game.starts:
        seen = game.view(referee.position, game.to_move(referee.position))  # the coach sees no other hand
        known = ["--position", game.format_position(seen)]
    return ["--game", game.name, "--agent", PLAYER, "--time-s", f"{THINK_S:g}", *rules, *known, "--json"]


def advice(game: AnyGame, position: Any, text: str) -> Sentences:
    """A coach's answer in one or two sentences; an invalid answer or an illegal move is reported as no opinion."""
    try:
        answer = json.loads(text)
        move = game.parse_move(position, str(answer["move"])[:64])
        score = answer["score"]
        worth = None if score is None else float(score)
    except (ValueError, KeyError, TypeError, GameError):
        return (sentence("I have no opinion on this position."),)
    best = sentence("The best move I see is {move}.", move=phrases.spoken_move(game, position, move))
    return *_standing(game, position, worth), best


def _standing(game: AnyGame, position: Any, worth: float | None) -> Sentences:
    """Which side stands better; empty without an evaluation."""
    if worth is None or worth != worth:  # not a number
        return ()
    if not worth:
        return (sentence("The game is even."),)
    side = game.to_move(position)
    better = phrases.named(game, side if worth > 0 else 1 - side)
    if abs(worth) > FORCED:
        return (sentence("{side:Nom} can force a win.", side=better),)
    return (sentence("{side:Nom} stands better, by {points}.", side=better, points=f"{abs(worth):.3g}"),)
