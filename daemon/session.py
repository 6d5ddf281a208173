"""What runs beside a match from one start to the end: record, bus, workers, voice, page. Used by one thread."""

from __future__ import annotations

import dataclasses
import functools
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import games
from agents.messages import LimitsPart
from daemon import coaching
from daemon.bundles.bundle import BundleError
from daemon.bundles.keeper import SceneKeeper
from daemon.bundles.keeping import keeper_for
from daemon.commands import (
    Adopt,
    Answer,
    Coach,
    Command,
    EndMove,
    Mover,
    NewGame,
    Pass,
    Pause,
    Repeat,
    Resign,
    Resume,
    Undo,
)
from daemon.config import Config, PlayerSection
from daemon.judging.effects import Announcement
from daemon.judging.line import LineOfPlay
from daemon.judging.play import Withdrawn
from daemon.judging.referee import Referee
from daemon.learning.adapting import Adaptation
from daemon.match import Listener, Match, Seat
from daemon.messaging.bus import Bus
from daemon.messaging.workers import WorkerProcess
from daemon.pipeline import Observation, Pipeline
from daemon.records.journal import Journal
from daemon.records.record import GameRecord
from daemon.records.stored import StoredGame, StoredPly
from daemon.records.stored_line import history_of
from daemon.showing.board_svg import Marks, board_svg
from daemon.showing.overlay import draw_overlay
from daemon.showing.scene import Scene
from daemon.showing.web import WebPage
from daemon.showing.window import Window
from daemon.speaking import phrases
from daemon.speaking.speech import Speaker
from daemon.supervising.services import Services
from daemon.timekeeping import Timekeeper, clock_of, time_control
from games import AnyGame, Step
from vision.frame import Frame

LOGGER = logging.getLogger(__name__)
PICTURE_S, REST_PICTURE_S, IDLE_PICTURE_S = 0.1, 0.5, 1.0
"""Shortest time between two pictures for the page: while something stirs, at rest, and where nobody looks."""
SHOW_S = 0.1
"""Shortest time between two updates of state and health."""
KEYS: dict[str, Command] = {
    " ": EndMove(),
    "u": Undo(),
    "p": Pass(),
    "m": Mover(),
    "c": Coach(),
    "r": Repeat(),
    "h": Pause(),
    "g": Resume(),
    "a": Adopt(),
    "n": NewGame(),
    "R": Resign(),
}
"""Keys of the window: the move is made, undo, pass, the last move was the other's, coach, repeat, hold, go on, adopt
the board, new game, resign."""
TWICE = {"a": "take the board as it is", "n": "begin a new game", "R": "resign"}
"""Keys that must be pressed twice within TWICE_S, so that nobody loses a game by leaning on a keyboard."""
TWICE_S = 4.0
VERDICTS = {
    "start": "Ready.",
    "unchanged": "The board is as I know it.",
    "legal": "A legal move.",
    "illegal": "Not a legal move.",
    "unfinished": "The move is not finished.",
    "put_back": "Put the men back, please.",
    "takeback": "Taken back.",
    "ambiguous": "I am not sure what was played.",
    "unclear": "I cannot see the board clearly.",
    "desync": "The board is not as I know it.",
    "paused": "Paused.",
    "over": "The game is over.",
}
"""The verdict line of the overlay, by the code of the verdict."""


class Session:
    """Opens the services that the configuration asks for, and plays matches with them."""

    def __init__(self, config: Config, game: AnyGame, *, render_to: Path | None = None) -> None:
        """Opens record, bus, workers, voice and page. Raises JournalError, BusError, WebError."""
        self.config = config
        self.game = game
        self.seats = seat(config.players.first), seat(config.players.second)
        self.session_id = secrets.token_hex(4)
        self.match: Match | None = None
        self.timer: Timekeeper | None = None
        self.adaptation: Adaptation | None = None
        """What is learnt while people play; None where the settings want none, or before the first match."""
        self.camera_trouble = ""
        """What is wrong with the camera, as it was said; empty where nothing is."""
        self.listeners: list[Listener] = [self._tell]
        self._picture_s = self._shown_s = self._window_s = 0.0
        self._drawn: tuple[str, str, int] = "", "", -1
        """What the page's picture tells: words, verdict and ply."""
        self._health: dict[str, dict[str, object]] = {}
        """As it was reported last; for the thread that must report that the loop hangs."""
        self.reports: dict[str, Callable[[], dict[str, object]]] = {}
        """Parts that are kept elsewhere, by name: what each says of itself for the health page."""
        agents = [one.agent for one in self.seats if one.agent]
        self.services = Services(
            config,
            agents,
            takes_commands=True,
            on_trouble=self._worker_trouble,
            render_to=render_to,
        )
        self._coach = self.services.keep(coaching.Coach())
        self._pressed: tuple[str, float] = "", 0.0
        """The key that was pressed last of those that must be pressed twice, and when."""
        self.scenes: SceneKeeper | None = None
        """Keeps the last seconds, to be played again; None where that is not wanted, or not possible."""
        if config.bundles.enabled:
            self._keep_scenes(config)
        if self.journal.set_aside is not None:
            self.say(f"The record was damaged. It is kept as {self.journal.set_aside.name}, and a new one begins.")

    def _keep_scenes(self, config: Config) -> None:
        """Where scenes cannot be kept, the game goes on without."""
        try:
            self.scenes = self.services.keep(keeper_for(config, self.game, self.seats))
        except BundleError as error:
            self.say(f"I cannot keep scenes that fail: {error}.")
            return
        self.reports["scenes"] = self.scenes.status

    @property
    def journal(self) -> Journal:
        """The record."""
        return self.services.journal

    @property
    def page(self) -> WebPage | None:
        """The page; None where none is wanted, or it cannot be opened at present."""
        return self.services.page

    @property
    def bus(self) -> Bus:
        """The bus."""
        return self.services.bus

    @property
    def speaker(self) -> Speaker:
        """The voice."""
        return self.services.speaker

    @property
    def worker(self) -> WorkerProcess | None:
        """The table's own worker; None where no side is played by an agent, or others are to join."""
        return self.services.worker

    def begin(self, pipeline: Pipeline, *, resume: bool = True, adapted: Path | None = None) -> Match:
        """Starts a match, or goes on with the newest unfinished game of the same rules.

        Without `resume` a game that goes on is left as it stands, and the next begins, from a board that was adopted
        where there is one.
        `adapted` is where the heads that the table is adapted to are kept; without it they end with the session.
        """
        start, to_clear = None, None
        if self.match is not None and not resume:
            self.match.leave()
            start, to_clear = self.match.set_up, self.match.to_clear
        elif not resume:
            self._leave_interrupted()
        stored = self.journal.unfinished() if resume else None
        if stored is not None and was_left(stored):
            stored = None
        history = None if stored is None else self._replay(stored)
        if stored is None or history is None:
            sections = self.config.players.first, self.config.players.second
            players = [one.name or one.agent or "person" for one in sections]
            control = time_control(self.config.clock).as_object()
            text = "" if start is None else self.game.format_position(start)
            game_id = self.journal.new_game(self.game.name, self._rules(), players, control, text)
            stored, referee = None, Referee(self.game, self._agents(), () if start is None else [start])
            referee.withdrawn = to_clear
        else:
            game_id = stored.game_id
            referee = Referee(self.game, self._agents(), history, stored.moves, stored.known)
            referee.recall(asked_move(stored))
            referee.withdrawn = still_standing(stored)
            LOGGER.info("resuming game %s after %d plies", game_id, len(stored.plies))
        clock = clock_of(self.config.clock, stored, referee)
        self.timer = Timekeeper(clock, blind=lambda: bool(self.camera_trouble))
        self.match = Match(
            pipeline,
            referee,
            seats=self.seats,
            recorder=GameRecord(self.journal, game_id),
            publisher=self.bus,
            listeners=self.listeners,
            lost_s=self.config.eyes.lost_s,
            session=self.session_id,
            table=self.config.bus.table,
            game_id=game_id,
            learner=self._learner(pipeline, adapted),
            timer=self.timer,
            coach=self._coach,
        )
        self.match.recall(None if stored is None else stored.asked_thought)
        self.match.start()
        return self.match

    def _leave_interrupted(self) -> None:
        """Notes that the game interrupted last is not to be resumed by a later start either."""
        stored = self.journal.unfinished()
        if stored is not None and stored.plies and not was_left(stored):
            self.journal.note(stored.game_id, "left", "A new game was wanted.")

    def _learner(self, pipeline: Pipeline, adapted: Path | None) -> Adaptation | None:
        """Learns on from one game of the session to the next."""
        if not self.config.vision.adapt or pipeline.reader.first is None:
            return None
        if self.adaptation is None:
            self.adaptation = self.services.keep(Adaptation(pipeline, adapted))
        else:
            self.adaptation.attach(pipeline)
        return self.adaptation

    def _replay(self, stored: StoredGame) -> list[Any] | None:
        """The positions of an interrupted game; None, and a word where it had begun, where it cannot go on."""
        why = ""
        if stored.game != self.game.name:
            why = "it is another game"
        elif dict(stored.rules) != self._rules():
            why = "it has other rules"
        else:
            try:
                return history_of(self.game, stored)
            except games.GameError as error:
                why = str(error)
        if stored.plies:
            self.say(f"I do not resume the interrupted game, because {why}. It stays in the record.")
        return None

    def tick(self, frame: Frame | None) -> Observation | None:
        """One turn of the loop: a frame, where there is one, and whatever agents and services have to say."""
        assert self.match is not None
        observation = None if frame is None else self._look(self.match, frame)
        self._obey()
        self.match.poll()
        self._show()
        return observation

    def _look(self, match: Match, frame: Frame) -> Observation:
        """Has the match take a frame, and keeps the scene where that is wanted."""
        return match.feed(frame) if self.scenes is None else self.scenes.look(match, frame)

    def _carry_out(self, match: Match, command: Command) -> Answer:
        """Has the match obey, and keeps what was said with the scene."""
        if self.scenes is not None:
            self.scenes.told(command)
        return match.obey(command)

    def press(self, key: str) -> None:
        """Takes a key that was pressed in the window: `KEYS` names those that mean something."""
        assert self.match is not None
        command = KEYS.get(key)
        if command is None or (key in TWICE and not self._pressed_twice(key)):
            return
        answer = self._carry_out(self.match, command)
        if not answer.accepted:
            self.say(answer.text, code="refused_command")

    def _pressed_twice(self, key: str) -> bool:
        """Whether a key was pressed again soon; the first time it is said what the second would do."""
        (before, then_s), now_s = self._pressed, time.monotonic()
        if before == key and now_s - then_s <= TWICE_S:
            self._pressed = "", 0.0
            return True
        self._pressed = key, now_s
        self.say(f"Press {key} again to {TWICE[key]}.", code="key")
        return False

    def _obey(self) -> None:
        """Carries out what was told on the page or the command line."""
        assert self.match is not None
        for request in self.page.told() if self.page is not None else ():
            request.answer(self._carry_out(self.match, request.command))

    def show_in(self, window: Window | None) -> None:
        """Shows the overlay in a window, where there is one, at most ten times a second."""
        now = time.monotonic()
        if window is None or not window.is_open or now - self._window_s < PICTURE_S:
            return
        scene = self.scene()
        if scene is not None:
            self._window_s = now
            window.show(draw_overlay(scene))

    def say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        """Speaks and writes one sentence."""
        LOGGER.info("%s", text)
        self.speaker.say(text, urgent=urgent)
        if self.page is not None:
            self.page.announce(text, code)

    def health(self) -> dict[str, dict[str, object]]:
        """Each part's `ok` and `text`."""
        voice = self.speaker.status()
        # A table without a loudspeaker is no fault to wake somebody for: what would be said is written.
        voice["ok"] = voice["ok"] or voice["state"] == "written_only"
        parts: dict[str, dict[str, object]] = {"bus": self.bus.status(), "voice": voice}
        if self.worker is not None:
            parts["agents"] = self.worker.status()
        elif missing := self._missing_agents():
            parts["agents"] = {"ok": False, "text": f"no worker here plays {' or '.join(missing)}"}
        if self.page is not None:
            parts["page"] = self.page.status()
        parts["camera"] = {"ok": not self.camera_trouble, "text": self.camera_trouble or "sends pictures"}
        if self.match is not None:
            seen = self.match.observation
            sighted = seen is not None and seen.rectified is not None and not self.camera_trouble
            parts["board"] = {"ok": sighted, "text": "in sight" if sighted else "not in sight"}
            if self.adaptation is not None:
                parts["eyes"] = self.adaptation.status()
            if self.timer is not None and self.timer.clock.control.kind != "none":
                parts["clock"] = self.timer.status(self.game.sides)
            parts["record"] = {"ok": not self.match.write_trouble, "text": self.match.write_trouble or "written"}
        self._health = parts | {name: report() for name, report in self.reports.items()}
        return self._health

    def _missing_agents(self) -> list[str]:
        """The agents of this table that no worker offers."""
        offered = {agent for one in self.bus.workers() if self.game.name in one.games for agent in one.agents}
        return sorted({seat.agent for seat in self.seats if seat.agent} - offered)

    def reseat(self) -> None:
        """Lets the players of the settings play from now on; a worker that offers them is started where one must be."""
        self.seats = seat(self.config.players.first), seat(self.config.players.second)
        agents = tuple(one.agent for one in self.seats if one.agent)
        if set(agents) != set(self.services.agents):
            self.services.agents = agents
            self.services.renew("agents")
        if self.match is not None:
            self.match.retune(seats=self.seats)

    def renew_bus(self) -> None:
        """Opens the bus anew at the same addresses. Raises BusError."""
        self.services.renew("bus")
        if self.match is not None:
            self.match.retune(publisher=self.bus)

    def report_stuck(self, text: str) -> None:
        """Shows that the loop hangs; called by another thread, since the loop cannot."""
        page = self.page
        if page is not None:
            page.update_health(self._health | {"pipeline": {"ok": False, "text": text}})
            page.update_ready(False, text)

    def has_spoken(self, timeout_s: float) -> bool:
        """Waits until all was said; whether it was."""
        return self.speaker.wait_until_silent(timeout_s)

    def close(self) -> None:
        """Ends every service, the newest first."""
        self.services.close()

    def _tell(self, announcement: Announcement, _seen: Observation | None) -> None:
        if announcement.text:
            self.speaker.say(announcement.text, urgent=announcement.urgent)
            if self.page is not None:
                self.page.announce(announcement.text, announcement.code)

    def _worker_trouble(self, text: str) -> None:
        self.say(text, urgent=True)

    def _show(self) -> None:
        """Hands state, health and, now and then, the picture to the page."""
        now = time.monotonic()
        if self.page is None or self.match is None or now - self._shown_s < SHOW_S:
            return
        self._shown_s = now
        if self.match.state is not None:
            self.page.update_state(self.match.state)
            self.page.update_line(told_line(self.match.referee.line), self.game.scores(self.match.referee.position))
        self.page.update_health(self.health())
        figures = {f"bus_{name}_total": count for name, count in self.bus.counters().items()}
        learnt = {} if self.adaptation is None else self.adaptation.figures()
        self.page.update_figures(figures | learnt | {"refused_replies_total": self.match.refused})
        told = self.match.spoken, self.match.referee.verdict, self.match.referee.ply
        if now - self._picture_s >= self._picture_pause_s(told != self._drawn):
            scene = self.scene()
            if scene is not None:
                self._picture_s, self._drawn = now, told
                self.page.update_picture(functools.partial(draw_overlay, scene))
                self.page.update_board(functools.partial(_draw_board, scene))

    def _picture_pause_s(self, news: bool) -> float:
        """How old the page's picture may be: of a board at rest it shows nothing new."""
        assert self.page is not None and self.match is not None
        if not self.page.viewers:
            return IDLE_PICTURE_S
        seen = self.match.observation
        rests = seen is not None and seen.gate is not None and seen.gate.settled
        return REST_PICTURE_S if rests and not news else PICTURE_S

    def scene(self) -> Scene | None:
        """What the overlay shows now; None before the first frame."""
        match = self.match
        if match is None or match.observation is None:
            return None
        referee, seen = match.referee, match.observation
        agent_steps: tuple[Step, ...] = ()
        if referee.agent_move is not None:
            agent_steps = self.game.steps(referee.position, referee.agent_move)
        outcome, totals = referee.outcome, phrases.totals(self.game, referee.position)
        side = self.game.sides[self.game.to_move(referee.position)].capitalize()
        return Scene(
            frame=seen.frame.image,
            template=match.pipeline.template,
            pose=seen.alignment.pose,
            board=self.game.board(referee.position),
            last_move=referee.last_steps,
            agent_steps=agent_steps,
            fault_cells=referee.fault_cells,
            unknown_cells=match.unknown_cells,
            title=self.game.title,
            verdict=VERDICTS.get(referee.verdict, referee.verdict),
            said=match.spoken,
            to_move=" ".join(filter(None, [totals, f"{side} to move" if outcome is None else "Game over"])),
            moves=tuple(referee.moves),
            status="" if seen.alignment.pose is not None else "board not in sight",
        )

    def _rules(self) -> dict[str, str]:
        return {name: str(value).lower() for name, value in dataclasses.asdict(self.game.rules).items()}

    def _agents(self) -> tuple[str | None, str | None]:
        return self.seats[0].agent, self.seats[1].agent


def _draw_board(scene: Scene) -> str:
    """The believed board of a moment as SVG."""
    marks = Marks(scene.last_move, scene.agent_steps, scene.fault_cells, scene.unknown_cells)
    return board_svg(scene.template, scene.board, marks=marks, title=scene.title)


def seat(player: PlayerSection) -> Seat:
    """The seat that a player's settings describe."""
    limits = LimitsPart(time_s=player.time_s, depth=player.depth or None, nodes=player.nodes or None)
    options = {name: str(value).lower() for name, value in player.options.items()}
    return Seat(player.agent or None, options, limits if player.agent else LimitsPart(), player.seat)


def told_line(line: LineOfPlay) -> list[dict[str, object]]:
    """The moves for the page: text, side, how the side is known, and the number, which passes have not."""
    numbers = {index: number for number, index in enumerate(line.seen, 1)}
    return [
        {"move": ply.text, "side": ply.side, "known": ply.known, "number": numbers.get(index)}
        for index, ply in enumerate(line.plies)
    ]


def was_left(stored: StoredGame) -> bool:
    """Whether another game was begun on purpose while this one went on."""
    return any(note.kind == "left" for note in stored.notes)


def still_standing(stored: StoredGame) -> Withdrawn | None:
    """The moves that were taken back by word and had not been put back when the record ends; None where none were."""
    last = next((note for note in reversed(stored.notes) if note.kind in ("undo", "resumed", "takeback")), None)
    undone: list[StoredPly] = []
    for ply in reversed(stored.undone):  # the newest run of plies, back to the first after those that stand
        if ply.ply <= len(stored.plies) or (undone and ply.ply != undone[-1].ply - 1):
            break
        undone.append(ply)
    if last is None or last.kind != "undo" or last.ply != len(stored.plies) or not undone:
        return None
    if not any(ply.board == last.data["board"] for ply in undone):
        return None  # a pass, or a resignation: nothing was to be put back
    return Withdrawn(frozenset(ply.board for ply in undone), frozenset(ply.move for ply in undone))


def asked_move(stored: StoredGame) -> str:
    """Text of the agent's move that was announced and not yet carried out; empty where there is none."""
    for note in reversed(stored.notes):
        if note.kind == "takeback":
            return ""
        if note.kind == "agent_move":
            return str(note.data["move"]) if note.ply == len(stored.plies) else ""
    return ""
