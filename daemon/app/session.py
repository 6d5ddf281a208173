"""The services that run beside matches, from start to end: record, bus, workers, voice, page. Used by one thread."""

from __future__ import annotations

import contextlib
import itertools
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import places
from daemon.agents import hints
from daemon.agents.best_moves import BestMoves
from daemon.agents.bus import Bus
from daemon.agents.workers import WorkerProcess
from daemon.app.services import Services
from daemon.bundles.bundle import BundleError
from daemon.bundles.scene_keeper import SceneKeeper, keeper_for
from daemon.config.player_names import player_name
from daemon.config.seats import Seat, own_agents, seat, stand_in
from daemon.config.settings import BusSection, ClockSection, Config, PlayerSection, PlayersSection
from daemon.core.clock_service import CLOCK, ClockService, clock_of, time_control
from daemon.core.game_beginning import Begun, GameBeginning
from daemon.core.match import Listener, Match
from daemon.core.puzzle_play import AGENT, PuzzlePlay, question
from daemon.core.recovery import is_practice, positions_of, was_left
from daemon.game.clocks import GameClock
from daemon.game.effects import Announcement
from daemon.game.hands import dealt
from daemon.i18n.translation import in_words, worded, worded_n
from daemon.judging.referee import Referee
from daemon.outputs.speech.speech import Speaker
from daemon.outputs.speech.verbosity import is_spoken, wants_advice
from daemon.outputs.view import template_of
from daemon.outputs.web import WebPage
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from daemon.setup.table_setup import TableSetup
from daemon.storage.journal import Journal, JournalError, Mended
from daemon.storage.lesson_file import LessonFile
from daemon.storage.live_file import LiveFile
from daemon.storage.picture_keeper import PictureKeeper
from daemon.storage.pictures import Pictures
from daemon.storage.puzzles import Puzzle, PuzzleStore, path_of
from rules import AnyGame
from vision.sources.phone import PHONE

LOGGER = logging.getLogger(__name__)


class Session:
    def __init__(self, config: Config, game: AnyGame, *, render_to: Path | None = None) -> None:
        """Opens record, bus, workers, voice and page.

        Raises JournalError, BusError, WebError; anything opened before the error is closed again, also after Ctrl-C.
        """
        self.config = config
        self.game = game
        self.seats = seat(config.players.first), seat(config.players.second)
        self.session_id = secrets.token_hex(4)
        self._sequences = itertools.count(1)
        self.match: Match | None = None
        self.eyes: BoardTracker | None = None
        """Watches the board of the match; None without a camera."""
        self.timer: ClockService | None = None
        self._told_of: Mended | None = None
        self.camera_trouble = ""
        """The camera's fault, as it was announced; empty if there is none."""
        self.pace_s = 0.0
        """Seconds that two agents wait before each move on the page, until somebody chooses another pace."""
        self.menu: Callable[[], Mapping[str, object]] | None = None
        """Returns what can be chosen for a new game, on any thread; None if nothing can."""
        self.demo: Callable[[], Mapping[str, object]] | None = None
        """Returns what pages show of a demo beside this table, or of this one; None if there can be none."""
        self.entered = False
        """Whether somebody has chosen a game since the start."""
        self.listeners: list[Listener] = [self._tell]
        self._setting_up: TableSetup | None = None
        self.last_health: dict[str, dict[str, object]] = {}
        """Component health as last reported; for the thread that reports that the loop hangs."""
        self.reports: dict[str, Callable[[], dict[str, object]]] = {}
        """Health reports of components kept elsewhere, by name, for the health page."""
        self._live_file: LiveFile | None = None
        self.services = Services(
            config,
            own_agents(self.seats),
            takes_commands=True,
            on_trouble=self._worker_trouble,
            render_to=render_to,
        )
        self.scenes: SceneKeeper | None = None
        """Keeps the last seconds for replay; None if that is not wanted or not possible."""
        with contextlib.ExitStack() as undo:  # Ctrl-C may come at any point
            undo.callback(self.close)
            self._coach = self.services.keep(hints.Coach())
            if config.bundles.enabled:
                self._keep_scenes(config)
            if config.journal.pictures:
                self._keep_pictures(config)
            if config.journal.live_file:
                self._live_file = self.services.keep(
                    LiveFile(places.resolved(config.journal.live_file), self.journal.path)
                )
                self.reports["live file"] = self._live_file.status
            self.tell_of_record()
            undo.pop_all()

    def tell_of_record(self) -> None:
        """Says once what was done about a damaged record; to be called often."""
        mended = self.journal.mended
        if mended is None or mended == self._told_of:
            return
        self._told_of, name = mended, mended.kept_as.name
        if not mended.games:
            self.say(worded("The record was damaged. It is kept as {name}, and a new one begins.", name=name))
            return
        self.say(
            worded_n(
                "The record was damaged. It is kept as {name}; {count} game could be saved.",
                "The record was damaged. It is kept as {name}; {count} games could be saved.",
                mended.games,
                name=name,
            )
        )

    def _keep_scenes(self, config: Config) -> None:
        try:
            self.scenes = self.services.keep(keeper_for(config, self.game, self.seats))
        except BundleError as error:
            self.say(worded("I cannot keep scenes that fail: {why}.", why=str(error)))
            return
        self.reports["scenes"] = self.scenes.status

    def _keep_pictures(self, config: Config) -> None:
        quota_bytes, reserve_bytes = config.journal.pictures_mb * 10**6, config.supervision.free_mb * 10**6
        keeper = self.services.keep(PictureKeeper(Pictures(self.journal.path), quota_bytes, reserve_bytes))
        self.reports["pictures"] = keeper.status

        def hear(announcement: Announcement) -> None:
            match, seen = self.match, None if self.eyes is None else self.eyes.observation
            if match is None or seen is None or seen.rectified is None or announcement.code != "move":
                return
            # Of several plies seen at once the picture shows the last; a ply not yet on disk gets no picture.
            if announcement.ply == match.referee.ply and not match.unwritten:
                keeper.keep(match.game_id, announcement.ply, announcement.board, seen.rectified.picture)

        self.listeners.append(hear)

    @property
    def journal(self) -> Journal:
        return self.services.journal

    @property
    def page(self) -> WebPage | None:
        """The page; None if none is wanted, or it cannot be opened at present."""
        return self.services.page

    @property
    def bus(self) -> Bus:
        return self.services.bus

    @property
    def speaker(self) -> Speaker:
        return self.services.speaker

    @property
    def worker(self) -> WorkerProcess | None:
        """The table's own worker; None if no agent plays, or other workers are to join."""
        return self.services.worker

    def begin(self, pipeline: Pipeline | None, *, resume: bool = True, start: Any = None) -> Match:
        """Starts a match, or resumes the newest unfinished game with the same rules.

        `pipeline` is None without a camera. Without `resume` an unfinished game is left as it is, and the next begins,
        from `start`, or from an adopted board if there is one.
        """
        to_clear = False
        due = None if resume or self.match is None or start is not None else self.match.puzzle_due
        if self.match is not None and self.match.puzzle is not None and due is None:
            self.reseat()  # whoever played the puzzle's other side leaves
        if self.match is not None and not resume:
            self.match.leave()
            if due is not None:
                return self._begin_puzzle(pipeline, due)
            start = self.match.set_up if start is None else start
            to_clear = self.eyes is not None and self.eyes.to_clear
        elif not resume:
            self._leave_interrupted()
        begun = self._resumed() if resume else None
        if begun is None:
            if start is None and pipeline is None:
                start = dealt(self.game, self.config.game.deal_seed)
            players = [player_name(one) for one in (self.config.players.first, self.config.players.second)]
            begun = self._beginning.new(players, time_control(self.config.clock).as_object(), self._event, start)
            begun.referee.to_clear = to_clear
        referee, record, stored = begun.referee, begun.record, begun.stored
        if self.match is not None and self.match.pace_s is not None:
            self.pace_s = self.match.pace_s
        asked = self.config.advice
        best = BestMoves(asked.moves, asked.seconds, practice=stored is not None and is_practice(stored))
        clock = clock_of(self.config.clock, stored, referee)
        self.match = self._match_of(referee, clock, record.game_id, recorder=record, best=best)
        if pipeline is None and None not in referee.agents and clock.control.kind == "none":
            self.match.pace_s = self.pace_s
        self.eyes = None
        if pipeline is not None:
            self.eyes = BoardTracker(
                pipeline,
                self.match,
                lost_s=self.config.eyes.lost_s,
                lessons=LessonFile(self._profile(".start.npz"), record.game_id),
            )
        self.match.recall(None if stored is None else stored.asked_thought)
        if (live := self._live_file) is not None:
            live.changed(record.game_id)
            self.match.followers.append(lambda _effects: live.changed(record.game_id))
        self.match.start()
        if asked.best_moves and referee.outcome is None:
            self.match.show_best()
        return self.match

    def _begin_puzzle(self, pipeline: Pipeline | None, puzzle: Puzzle) -> Match:
        """Sets a puzzle: a match that is not recorded, of one person against an agent, without a clock."""
        position = self.game.parse_position(puzzle.position)
        side, other = self.game.to_move(position), seat(PlayerSection(agent=AGENT))
        self.seats = (Seat(), other) if side == 0 else (other, Seat())
        self._offer(own_agents(self.seats))
        referee = Referee(self.game, self._beginning.agents, [position], in_photos=self._beginning.in_photos)
        self.match = self._match_of(
            referee,
            clock_of(ClockSection(), None, referee),
            f"puzzle-{puzzle.puzzle_id}-{secrets.token_hex(4)}",
            best=BestMoves(forbidden=True),
            puzzle=PuzzlePlay(puzzle, self._puzzles),
        )
        self.eyes = None
        if pipeline is not None:
            self.eyes = BoardTracker(pipeline, self.match, lost_s=self.config.eyes.lost_s)
        self.match.spoken = (question(puzzle, self.game, side),)
        self.match.start()
        return self.match

    def _offer(self, agents: Sequence[str]) -> None:
        """Makes the table's own worker offer these agents."""
        if set(agents) != set(self.services.agents):
            self.services.agents = tuple(agents)
            self.services.renew("agents")

    @property
    def _puzzles(self) -> PuzzleStore:
        return PuzzleStore(path_of(self.journal.path))

    def _leave_interrupted(self) -> None:
        stored = self.journal.unfinished()
        if stored is not None and stored.plies and not was_left(stored):
            self.journal.note(stored.game_id, "left", "A new game was wanted.")

    @property
    def _event(self) -> dict[str, str]:
        table = self.config.bus.table
        told = self.config.event.model_dump() | {"table": "" if table == BusSection().table else table}
        return {name: value for name, value in told.items() if value}

    @property
    def _beginning(self) -> GameBeginning:
        agents, in_photos = (self.seats[0].agent, self.seats[1].agent), Path(self.config.camera.source).is_dir()
        return GameBeginning(self.journal, self.game, agents, in_photos)

    def _resumed(self) -> Begun | None:
        """The interrupted game; None if there is none, or it cannot be resumed, announced if it had begun."""
        stored = self.journal.unfinished()
        if stored is None or was_left(stored):
            return None
        positions = positions_of(self.game, stored)
        if isinstance(positions, list):
            sections = self.config.players.first, self.config.players.second
            players = [
                player_name(one) if one.agent else kept for one, kept in zip(sections, stored.players, strict=True)
            ]
            return self._beginning.resumed(stored, positions, players)
        if stored.plies:
            self.say(
                worded("I do not resume the interrupted game, because {why}. It stays in the record.", why=positions)
            )
        return None

    def _match_of(self, referee: Referee, clock: GameClock, game_id: str, **rest: Any) -> Match:
        self.timer = ClockService(clock, blind=lambda: bool(self.camera_trouble))
        match = Match(
            referee,
            seats=self.seats,
            publisher=self.bus,
            listeners=self.listeners,
            session=self.session_id,
            table=self.config.bus.table,
            game_id=game_id,
            timer=self.timer,
            coach=self._coach,
            sequences=self._sequences,
            puzzles=self._puzzles,
            **rest,
        )
        match.blind = lambda: bool(self.camera_trouble)
        match.is_absent = lambda agent: agent in self.missing_agents()
        match.stand_in = self._stand_in
        return match

    @property
    def awaits_phone(self) -> bool:
        return self.config.camera.source == PHONE and (self.eyes is None or self.eyes.observation is None)

    @property
    def at_entrance(self) -> bool:
        """Whether there is nothing to see but what may be begun.

        Nobody has moved, and no picture comes from the camera, or there is none and nobody has chosen to play without.
        """
        if self.match is None or self.menu is None:
            return False
        if self.entered if self.eyes is None else not (self.camera_trouble or self.awaits_phone):
            return False
        play = self.match.referee
        return play.outcome is None and all(play.agents[ply.side] is not None for ply in play.line.plies)

    @property
    def new_game_due(self) -> bool:
        at = self.eyes or self.match
        return at is not None and at.new_game_due

    @property
    def setting_up(self) -> TableSetup:
        if self._setting_up is None or self._setting_up.game is not self.game:
            self._setting_up = TableSetup(self.game, template_of(self.game), self._profile(".npz"), self.say)
        return self._setting_up

    def _profile(self, ending: str) -> Path:
        """The file with that ending of what is known about the look of this table and game."""
        folder = places.resolved(self.config.journal.path).parent / "profiles"
        return folder / f"{self.config.bus.table}-{self.game.name}{ending}"

    def say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        LOGGER.info("%s", text)
        self.speaker.say(text, urgent=urgent)
        if self.page is not None:
            self.page.announce(text, code)

    def change(self, config: Config, game: AnyGame) -> None:
        """Prepares the next game with these settings; page, record and bus stay open. `begin` must follow."""
        self.entered = True
        before, other = self.config, game.name != self.game.name or game.rules != self.game.rules
        if self.match is not None:
            self.match.leave()
            self.match.asked_anew = True
        if other:
            self.match, self.eyes = None, None
        self.config = self.services.config = config
        self.game = game
        if before.speech != config.speech:
            self.services.renew("voice")
        self.reseat()
        if other and self.scenes is not None:
            self.services.forget(self.scenes)
            self._keep_scenes(config)

    def retune(self, config: Config) -> None:
        """Continues the game with another language, voice or clock."""
        before = self.config
        self.config = self.services.config = config
        if before.speech != config.speech:
            self.services.renew("voice")
            if self.match is not None:
                self.match.retune()  # what was said last, in the language of now
        if before.clock != config.clock and self.timer is not None:
            self.timer.clock.begin(time_control(config.clock))
            self._note_clock()

    def _note_clock(self) -> None:
        assert self.match is not None and self.timer is not None
        control = self.timer.clock.control.as_object()
        try:
            self.journal.note(self.match.game_id, CLOCK, "", control)
        except JournalError as error:
            LOGGER.error("the new clock is not recorded: %s", error)

    def reseat(self) -> None:
        """Seats the players of the settings from now on, and starts a worker that offers them if needed."""
        self.seats = seat(self.config.players.first), seat(self.config.players.second)
        self._offer(own_agents(self.seats))
        if self.match is not None:
            self.match.retune(seats=self.seats)

    def rename(self, before: PlayersSection) -> None:
        """Records who plays the present game, where that has changed: whoever sits there at the end gets the result."""
        if self.match is None or self.match.referee.outcome is not None:
            return
        kept, now = self.journal.game(self.match.game_id).players, self.config.players
        sections = zip(kept, (before.first, before.second), (now.first, now.second), strict=True)
        names = [name if player_name(old) == player_name(new) else player_name(new) for name, old, new in sections]
        if names != list(kept):
            self.journal.name_players(self.match.game_id, names)

    def renew_bus(self) -> None:
        self.services.renew("bus")
        if self.match is not None:
            self.match.retune(publisher=self.bus)

    def report_stuck(self, text: str) -> None:
        """Shows on the page that the loop hangs; called by another thread, since the loop cannot."""
        page = self.page
        if page is not None:
            page.update_health(self.last_health | {"pipeline": {"ok": False, "text": text}})
            page.update_ready(False, text)

    def missing_agents(self) -> list[str]:
        """The agents of this table that must join by themselves, and are not there."""
        seats = self.seats if self.match is None else self.match.seats
        awaited = {one.agent for one in seats if one.agent and (one.joins or self.worker is None)}
        if not awaited:
            return []
        workers = self.bus.workers()
        return sorted(awaited - {agent for one in workers if self.game.name in one.games for agent in one.agents})

    def has_spoken(self, timeout_s: float) -> bool:
        return self.speaker.wait_until_silent(timeout_s)

    def close(self) -> None:
        self.services.close()

    def _stand_in(self, failed: Seat) -> Seat | None:
        """Who plays instead of an agent that fails; None if no worker could."""
        instead = stand_in(failed)
        if instead is None or self.config.bus.start_workers:
            return instead
        offered = {agent for one in self.bus.workers() if self.game.name in one.games for agent in one.agents}
        return instead if instead.agent in offered else None

    def _seat_stand_in(self) -> None:
        """Makes the own worker offer who stands in, and the record name it: who plays at the end gets the result."""
        assert self.match is not None
        self._offer((*self.services.agents, *own_agents(self.match.seats)))
        if self.match.puzzle is not None:
            return
        try:
            names = zip(self.journal.game(self.match.game_id).players, self.match.seats, self.seats, strict=True)
            players = [kept if now == before else str(now.agent) for kept, now, before in names]
            self.journal.name_players(self.match.game_id, players)
        except JournalError as error:
            LOGGER.error("who stands in is not recorded: %s", error)

    def _tell(self, announcement: Announcement) -> None:
        if announcement.code == "stand_in":
            self._seat_stand_in()
        verbosity = self.config.speech.verbosity
        if is_spoken(announcement, verbosity):
            self.speaker.say(in_words(*announcement.said), urgent=announcement.urgent)
        if wants_advice(announcement, verbosity) and self.match is not None and self.match.referee.awaiting == "move":
            self.match.ask_coach()
        if announcement.said and self.page is not None:
            spoken = is_spoken(announcement, verbosity)
            self.page.announce(in_words(*announcement.said), announcement.code, spoken=spoken)

    def _worker_trouble(self, text: str) -> None:
        self.say(text, urgent=True)
