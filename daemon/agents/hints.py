"""The coach: who stands better and what is the best move, asked of a process of its own while the game goes on."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

import places
from daemon.judging import phrases
from daemon.judging.referee import Referee
from games import AnyGame, GameError
from wording import Said, sentence

LOGGER = logging.getLogger(__name__)
ROOT = places.PROGRAM
COMMAND = (sys.executable, "-m", "daemon.cli", "move")
PLAYER = "level-8"
"""Who is asked: the strongest level of every game."""
THINK_S = 2.0
DEADLINE_S = 30.0
"""The process is killed after so long; its first search after an update has to be compiled."""
MAX_BYTES = 65536
FORCED = 900_000.0
"""Scores beyond are forced wins: 1000000 less the plies to it."""


class Coach:
    """Answers one question at a time. `ask` and `poll` never wait."""

    def __init__(self, command: Sequence[str] = COMMAND, deadline_s: float = DEADLINE_S) -> None:
        self._command, self._deadline_s = tuple(command), deadline_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answer: tuple[str, int, str] | None = None
        """Game, ply and JSON text that came in; the text is empty where none did."""
        self._asked: tuple[str, int] | None = None

    @property
    def thinks(self) -> bool:
        """Whether a question waits for its answer."""
        return self._asked is not None

    def ask(self, referee: Referee, game_id: str) -> None:
        """Asks for the position believed now, unless a question waits already."""
        if self.thinks:
            return
        self._asked = game_id, referee.ply
        command = [*self._command, *_question(referee)]
        thread = threading.Thread(target=self._think, args=(self._asked, command), name="coach", daemon=True)
        thread.start()

    def poll(self, referee: Referee, game_id: str) -> Said | None:
        """What the coach says, once; None while it thinks. An answer for another position is dropped."""
        with self._lock:
            answer, self._answer = self._answer, None
        if answer is None:
            return None
        self._asked = None
        if answer[:2] != (game_id, referee.ply):
            return (sentence("The board has changed while I was thinking. Ask me again."),)
        return advice(referee.game, referee.position, answer[2])

    def close(self) -> None:
        """Ends the process, if one thinks."""
        with self._lock:
            process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()

    def _think(self, asked: tuple[str, int], command: Sequence[str]) -> None:
        """The thread of one question."""
        text = ""
        try:
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            with self._lock:
                self._process = process
            out, _ = _communicate(process, self._deadline_s)
            text = out[:MAX_BYTES].decode(errors="replace") if process.returncode == 0 else ""
        except Exception:  # the top of the thread
            LOGGER.exception("the coach cannot be asked")
        with self._lock:
            self._process, self._answer = None, (*asked, text)


def _communicate(process: subprocess.Popen[bytes], deadline_s: float) -> tuple[bytes, bytes | None]:
    """The process's output; killed at the deadline, and waited for in any case."""
    with process:
        try:
            return process.communicate(timeout=deadline_s)
        except subprocess.TimeoutExpired:
            LOGGER.warning("the coach did not answer within %.0f s", deadline_s)
            process.kill()
            return process.communicate()


def _question(referee: Referee) -> list[str]:
    """The words that ask for the best move of the present position."""
    game = referee.game
    rules = [word for name, value in vars(game.rules).items() for word in ("--rule", f"{name}={str(value).lower()}")]
    known = ["--moves", " ".join(referee.moves)]
    if referee.history[0] not in game.starts:
        seen = game.view(referee.position, game.to_move(referee.position))  # the coach sees no other hand
        known = ["--position", game.format_position(seen)]
    return ["--game", game.name, "--agent", PLAYER, "--time-s", f"{THINK_S:g}", *rules, *known, "--json"]


def advice(game: AnyGame, position: Any, text: str) -> Said:
    """A coach's answer in a sentence or two. What is no answer, or no legal move, is said to be none."""
    try:
        answer = json.loads(text)
        move = game.parse_move(position, str(answer["move"])[:64])
        score = answer["score"]
        worth = None if score is None else float(score)
    except (ValueError, KeyError, TypeError, GameError):
        return (sentence("I have no opinion on this position."),)
    best = sentence("The best move I see is {move}.", move=phrases.spoken_move(game, position, move))
    return *_standing(game, position, worth), best


def _standing(game: AnyGame, position: Any, worth: float | None) -> Said:
    """Who stands better; empty without an opinion."""
    if worth is None or worth != worth:  # not a number
        return ()
    if not worth:
        return (sentence("The game is even."),)
    side = game.to_move(position)
    better = phrases.named(game, side if worth > 0 else 1 - side)
    if abs(worth) > FORCED:
        return (sentence("{side:Nom} can force a win.", side=better),)
    return (sentence("{side:Nom} stands better, by {points}.", side=better, points=f"{abs(worth):.3g}"),)
