"""Runs a session turn by turn: a frame, people's commands, agents' answers, and updates of page and window."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from daemon.commands import command as commands
from daemon.commands.spoken.conversation import Conversation, Table
from daemon.commands.spoken.grammar import asking_phrases, phrases_of
from daemon.match.command_handlers import obey
from daemon.match.legal_moves import MAX_MOVES
from daemon.perception.pipeline import Observation
from daemon.run.move_words import choice_words, move_words, named_words, side_words
from daemon.run.session import Session
from daemon.run.ui_publisher import UiPublisher
from daemon.words.translation import in_words, language
from vision.frame import Frame
from wording import sentence

LOGGER = logging.getLogger(__name__)
KEYS: dict[str, commands.Command] = {
    " ": commands.EndMove(),
    "u": commands.Undo(),
    "p": commands.Pass(),
    "m": commands.Mover(),
    "c": commands.Coach(),
    "r": commands.Repeat(),
    "h": commands.Pause(),
    "g": commands.Resume(),
    "a": commands.Adopt(),
    "n": commands.NewGame(),
    "R": commands.Resign(),
}
"""Keys of the window, in order: move made, undo, pass, last move was the other side's, coach, repeat, pause, resume,
adopt the board, new game, resign."""
TWICE = {
    "a": sentence("Press {key} again to take the board as it is.", key="a"),
    "n": sentence("Press {key} again to begin a new game.", key="n"),
    "R": sentence("Press {key} again to resign.", key="R"),
}
"""Keys that must be pressed twice within TWICE_S, so that nobody loses a game by leaning on a keyboard, and what is
said after the first press."""
TWICE_S = 4.0


class Keyboard:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pressed: tuple[str, float, str] = "", 0.0, ""

    def press(self, key: str, mark: str) -> commands.Command | str | None:
        """The command of a key; what a second press would do, if one is needed; None for a key without meaning.

        `mark` identifies the position: a key first pressed in another one, or in another game, does not count.
        """
        command = KEYS.get(key)
        if command is None or key not in TWICE:
            return command
        (before, then_s, where), now_s = self._pressed, self._clock()
        if (before, where) == (key, mark) and now_s - then_s <= TWICE_S:
            self._pressed = "", 0.0, ""
            return command
        self._pressed = key, now_s, mark
        return in_words(TWICE[key])


class SessionRunner:
    def __init__(self, session: Session) -> None:
        self.session = session
        self.ui = UiPublisher(session)
        self._keyboard = Keyboard()
        self._conversation = Conversation()
        self._table = Table(language(), "")

    def tick(self, frame: Frame | None) -> Observation | None:
        session, observation = self.session, None
        session.services.tell_of_record()
        assert session.match is not None
        if frame is not None and not session.setting_up.see(frame) and session.eyes is not None:
            keeper = session.scenes
            observation = session.eyes.feed(frame) if keeper is None else keeper.look(session.eyes, frame)
        self._obey()
        self._listen()
        (session.eyes or session.match).poll()
        self.ui.show()
        return observation

    def press(self, key: str) -> None:
        assert self.session.match is not None
        command = self._keyboard.press(key, self.session.match.mark)
        if isinstance(command, str):
            self.session.services.say(command, code="key")
        elif command is not None and not (answer := self._carry_out(command)).accepted:
            self.session.services.say(answer.text, code="refused_command")

    def _obey(self) -> None:
        session = self.session
        if session.services.page is None:
            return
        for request in session.services.page.commands.take():
            request.answer(self._carry_out(request.command))
        aligner = None if session.eyes is None else session.eyes.pipeline.aligner
        for setup in session.services.page.setups.take():
            setup.answer(session.setting_up.obey(setup.command, aligner))

    def _listen(self) -> None:
        session, listening = self.session, self.session.services.listening
        if listening is None or session.match is None:
            return
        referee, mark = session.match.referee, session.match.mark
        offers = referee.awaiting == "move" and not session.match.watched
        sides = side_words(referee, language())
        known = self._table.language, self._table.mark, bool(self._table.moves), self._table.sides
        if known != (language(), mark, offers, sides):
            legal = referee.game.legal_moves(referee.position)[:MAX_MOVES] if offers else []
            moves = [referee.game.format_move(referee.position, move) for move in legal]
            words = move_words(referee, language()) if offers else choice_words(referee, language())
            named = named_words(referee.game, language())
            by_sound = not session.services.config.listening.recogniser
            self._table = Table(language(), mark, moves, words, sides, named, by_sound)
            asking = asking_phrases(language(), named)
            listening.expect([*phrases_of(moves, language()), *words, *sides, *asking])
        for text in listening.texts():
            reply = self._conversation.hear(text, self._table, listening.wake, time.monotonic())
            if reply is None:
                continue
            LOGGER.info("heard: %s", text)
            if reply.command is None:
                session.services.say(reply.words, urgent=True, code="question")
            elif not (answer := self._carry_out(reply.command)).accepted:
                session.services.say(answer.text, code="refused_command")

    def _carry_out(self, command: commands.Command) -> commands.Answer:
        session = self.session
        assert session.match is not None
        if session.scenes is not None:
            session.scenes.add_command(command)
        return obey(session.match, command, session.eyes)
