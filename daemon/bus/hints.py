"""The coach: evaluates the position and suggests the best moves, in a separate process while the game continues."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import sys
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from daemon.commands.command import mark_of
from daemon.judging import phrases
from daemon.judging.referee import Referee
from rules import AnyGame, GameError, HiddenHands
from system import paths
from system.processes import LineProcess
from wording import Sentences, sentence, sentence_n

LOGGER = logging.getLogger(__name__)
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
WIN, FORCED = 1_000_000, 900_000.0
"""Score of a game won at once, less the plies to it; a score beyond the second means a forced win."""
EVEN, CLEAR, FAR = 0.25, 1.0, 3.0
"""Shares of a clear advantage: below the first the game is even, beyond the last a side is far ahead."""


@dataclasses.dataclass(frozen=True)
class Advice:
    said: Sentences
    mark: str = ""
    move: Any = None
    """The move advised; None if it has no opinion."""


@dataclasses.dataclass(frozen=True)
class _Question:
    mark: str
    """The position that it is about."""
    due_s: float
    """Monotonic time by which it must be answered."""
    best: bool
    """Whether it asks for several moves, to be shown, rather than for advice."""


class Coach:
    """Answers one question at a time; no method waits for an answer.

    Its process stays for further questions until the game ends: only the first has to wait for its start.
    """

    def __init__(
        self, command: Sequence[str] = COMMAND, deadline_s: float = DEADLINE_S, start_s: float = START_S
    ) -> None:
        self._command, self._deadline_s, self._start_s = tuple(command), deadline_s, start_s
        self._process: LineProcess | None = None
        self._words: list[str] = []
        """The command of the process."""
        self._has_answered = False
        """Whether the process has answered before."""
        self._game_id = ""
        self._asked: _Question | None = None
        self._waits = False
        """Whether advice is to be asked for as soon as the best moves, which it interrupts, have come."""

    @property
    def thinks(self) -> bool:
        """Whether somebody waits for advice."""
        return self._waits or (self._asked is not None and not self._asked.best)

    def ask(self, referee: Referee, game_id: str) -> None:
        if self.thinks:
            return
        if self._asked is not None:
            self._waits, self._game_id = True, game_id
            self.give_up_best()
            return
        self._begin(referee, game_id, question(referee), best=False)

    def ask_best(self, referee: Referee, game_id: str, count: int, time_s: float) -> bool:
        """Asks for the best moves of the current position; returns whether nothing else was being thought about."""
        if self._asked is not None or self._waits:
            return False
        self._begin(referee, game_id, question(referee, {"best": count, "time_s": time_s}), best=True)
        return True

    def take_best(self) -> tuple[str, str] | None:
        """The mark of a position and the JSON text of its best moves, once; None before they have come.

        The text is empty if the process gave none.
        """
        asked = self._asked
        if asked is None or not asked.best or (text := self._answer(asked)) is None:
            return None
        self._asked = None
        return asked.mark, text

    def give_up_best(self) -> None:
        """Makes the best moves, if they are being looked for, come at once."""
        if self._process is not None and self._asked is not None and self._asked.best:
            self._process.say("")

    def poll(self, referee: Referee, game_id: str) -> Advice | None:
        """The coach's advice, once; None while it thinks. An outdated answer only yields that the board changed.

        A question asked in another game, or in one that is over, is given up without a word.
        """
        if self._game_id and (self._game_id != game_id or referee.outcome is not None):
            self.close()
        if self._waits and self._asked is None:
            self._waits = False
            self.ask(referee, game_id)
        asked = self._asked
        if asked is None or asked.best or (text := self._answer(asked)) is None:
            return None
        self._asked = None
        if asked.mark != mark_of(game_id, referee.moves):
            return Advice((sentence("The board has changed while I was thinking. Ask me again."),))
        return advice(referee.game, referee.position, text, asked.mark)

    def close(self) -> None:
        self._asked, self._game_id, self._waits = None, "", False
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _begin(self, referee: Referee, game_id: str, line: str, *, best: bool) -> None:
        words = [*self._command, *command_words(referee)]
        if self._process is None or self._words != words or self._process.poll() is not None:
            self.close()
            self._words, self._has_answered = words, False
            try:
                self._process = LineProcess(words, cwd=paths.PROGRAM)
            except OSError as error:
                LOGGER.error("the coach cannot be asked: %s", error)
        if self._process is not None:
            self._process.say(line)
        due_s = time.monotonic() + (self._deadline_s if self._has_answered else self._start_s)
        self._game_id, self._asked = game_id, _Question(mark_of(game_id, referee.moves), due_s, best)

    def _answer(self, asked: _Question) -> str | None:
        """The line that answers a question; None before it has come; empty if none comes, which ends the process."""
        text: str | None = ""
        if self._process is not None and time.monotonic() <= asked.due_s:
            with contextlib.suppress(EOFError):
                text = self._process.hear()
        if text is None:
            return None
        self._has_answered = True
        if not text and self._process is not None:
            self._process.close()
            self._process = None
        return text


def command_words(referee: Referee) -> list[str]:
    game = referee.game
    rules = [word for name, value in vars(game.rules).items() for word in ("--rule", f"{name}={str(value).lower()}")]
    return ["--game", game.name, "--agent", PLAYER, "--time-s", f"{THINK_S:g}", "--nice", str(NICE), *rules, "--lines"]


def question(referee: Referee, more: Mapping[str, object] = MappingProxyType({})) -> str:
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
    tile = game.format_move(position, move).partition(":")[2] if phrases.is_pass(game, position, move) else ""
    best = sentence("Try {move}.", move=phrases.spoken_move(game, position, move))
    best = sentence("Pass, and put {tile} away.", tile=tile) if tile else best
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
