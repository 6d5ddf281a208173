"""Runs a session turn by turn: a frame, people's commands, agents' answers, and updates of page and window."""

from __future__ import annotations

from daemon.app.keyboard import Keyboard
from daemon.app.session import Session
from daemon.app.ui_publisher import UiPublisher
from daemon.commands.command import Answer, Command
from daemon.core.command_handlers import obey
from daemon.perception.pipeline import Observation
from vision.frame import Frame


class SessionRunner:
    """The turns of a session's loop. Used by one thread."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.ui = UiPublisher(session)
        self._keyboard = Keyboard()

    def tick(self, frame: Frame | None) -> Observation | None:
        """Runs one turn of the loop: a frame, if there is one, then commands, agents and services."""
        session, observation = self.session, None
        session.tell_of_record()
        assert session.match is not None
        if frame is not None and not session.setting_up.see(frame) and session.eyes is not None:
            keeper = session.scenes
            observation = session.eyes.feed(frame) if keeper is None else keeper.look(session.eyes, frame)
        self._obey()
        (session.eyes or session.match).poll()
        self.ui.show()
        return observation

    def press(self, key: str) -> None:
        """Handles a key pressed in the window; `daemon.app.keyboard` lists those with a meaning."""
        assert self.session.match is not None
        command = self._keyboard.press(key, self.session.match.mark)
        if isinstance(command, str):
            self.session.say(command, code="key")
        elif command is not None and not (answer := self._carry_out(command)).accepted:
            self.session.say(answer.text, code="refused_command")

    def _obey(self) -> None:
        """Carries out commands from the page or the command line."""
        session = self.session
        if session.page is None:
            return
        for request in session.page.command_requests():
            request.answer(self._carry_out(request.command))
        aligner = None if session.eyes is None else session.eyes.pipeline.aligner
        for setup in session.page.setup_requests():
            setup.answer(session.setting_up.obey(setup.command, aligner))

    def _carry_out(self, command: Command) -> Answer:
        """Carries out a command and adds it to the kept scene."""
        session = self.session
        assert session.match is not None
        if session.scenes is not None:
            session.scenes.add_command(command)
        return obey(session.match, command, session.eyes)
