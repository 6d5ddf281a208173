"""Plays the matches of one table with its services, game after game. Used by one thread."""

from __future__ import annotations

import contextlib
import itertools
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from daemon.bundles.bundle import BundleError
from daemon.bundles.scene_keeper import SceneKeeper, keeper_for
from daemon.bus.best_moves import BestMoves
from daemon.config.player_names import player_name
from daemon.config.seats import Seat, own_agents, seat, seats_of, stand_in
from daemon.config.settings import BusSection, ClockSection, Config, PlayerSection, PlayersSection
from daemon.drawing.text_board import TextBoard
from daemon.game.clocks import GameClock
from daemon.game.effects import Announcement
from daemon.game.hands import dealt
from daemon.judging.referee import Referee
from daemon.match.clock_service import CLOCK, ClockService, clock_of, time_control
from daemon.match.match import Listener, Match
from daemon.match.puzzle_play import AGENT, PuzzlePlay, question
from daemon.match.recovery import Begun, GameBeginning, is_practice, positions_of, was_left
from daemon.page.view import template_of
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from daemon.record.journal import JournalError
from daemon.record.lesson_file import LessonFile
from daemon.record.pictures import PictureKeeper, Pictures
from daemon.record.puzzles import Puzzle, PuzzleStore, store_beside
from daemon.run.services import Services
from daemon.setup.table_setup import TableSetup
from daemon.voice.speech import in_phrases
from daemon.voice.verbosity import is_spoken, wants_advice
from daemon.words.translation import in_words, worded
from rules import AnyGame, figures_of
from system import paths
from vision.sources.phone import PHONE

LOGGER = logging.getLogger(__name__)


class Session:
    def __init__(self, config: Config, game: AnyGame, *, render_to: Path | None = None) -> None:
        """Raises JournalError, BusError, WebError; services opened before the error are closed again."""
        self.game = game
        self.seats = seats_of(config.players)
        self.session_id = secrets.token_hex(4)
        self._sequences = itertools.count(1)
        self.match: Match | None = None
        self.eyes: BoardTracker | None = None
        """Watches the board of the match; None without a camera."""
        self.timer: ClockService | None = None
        self.camera_trouble = ""
        """The camera's fault, as it was announced; empty if there is none."""
        self.pace_s = 0.0
        """Seconds that two agents wait before each move on the page, until somebody chooses another pace."""
        self.menu: Callable[[], Mapping[str, object]] | None = None
        """Returns what can be chosen for a new game, on any thread; None if nothing can."""
        self.demo: Callable[[], Mapping[str, object]] | None = None
        """Returns what pages show of a demo beside this table, or of this one; None if there can be none."""
        self.entered = False
        self.listeners: list[Listener] = [self._tell]
        self._setting_up: TableSetup | None = None
        self.scenes: SceneKeeper | None = None
        """Keeps the last seconds for replay; None if that is not wanted or not possible."""
        self.services = Services(config, own_agents(self.seats), render_to)
        with contextlib.ExitStack() as undo:  # Ctrl-C may come at any point
            undo.callback(self.close)
            if config.bundles.enabled:
                self._keep_scenes(config)
            if config.journal.pictures:
                self._keep_pictures(config)
            self.services.tell_of_record()
            undo.pop_all()

    def _keep_scenes(self, config: Config) -> None:
        try:
            self.scenes = self.services.keep(keeper_for(config, self.game, self.seats))
        except BundleError as error:
            self.services.say(worded("I cannot keep scenes that fail: {why}.", why=str(error)))
            return
        self.services.reports["scenes"] = self.scenes.status

    def _keep_pictures(self, config: Config) -> None:
        """Keeps a small picture of the board for every ply once it is recorded."""
        quota_bytes, reserve_bytes = config.journal.pictures_mb * 10**6, config.supervision.free_mb * 10**6
        pictures = Pictures(self.services.journal.path)
        keeper = self.services.keep(PictureKeeper(pictures, quota_bytes, reserve_bytes))
        self.services.reports["pictures"] = keeper.status

        def hear(announcement: Announcement) -> None:
            match, seen = self.match, None if self.eyes is None else self.eyes.observation
            if match is None or seen is None or seen.rectified is None or announcement.code != "move":
                return
            # Of several plies seen at once the picture shows the last; a ply not yet on disk gets no picture.
            if announcement.ply == match.referee.ply and not match.backlog.waiting:
                keeper.keep(match.game_id, announcement.ply, announcement.board, seen.rectified.picture)

        self.listeners.append(hear)

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
        config = self.services.config
        if begun is None:
            if start is None and pipeline is None:
                start = dealt(self.game, config.game.deal_seed)
            players = [player_name(one) for one in config.players.both]
            begun = self._beginning.new(players, time_control(config.clock).as_object(), self._event, start)
            begun.referee.to_clear = to_clear
        referee, record, stored = begun.referee, begun.record, begun.stored
        if self.match is not None and self.match.pace_s is not None:
            self.pace_s = self.match.pace_s
        asked = config.advice
        best = BestMoves(asked.moves, asked.seconds, practice=stored is not None and is_practice(stored))
        clock = clock_of(config.clock, stored, referee)
        match = self._match_of(referee, clock, record.game_id, recorder=record, best=best)
        if pipeline is None and None not in referee.agents and clock.control.kind == "none":
            match.pace_s = self.pace_s
        self._watch(pipeline, match, LessonFile(self._profile(".start.npz"), record.game_id))
        match.requests.thought = None if stored is None else stored.asked_thought
        if (live := self.services.live_file) is not None:
            live.changed(record.game_id)
            match.followers.append(lambda _effects: live.changed(record.game_id))
        match.start()
        if asked.best_moves and referee.outcome is None:
            match.carry_out(match.best.show(match.referee))
        return match

    def _begin_puzzle(self, pipeline: Pipeline | None, puzzle: Puzzle) -> Match:
        """Sets a puzzle: a match that is not recorded, of one person against an agent, without a clock."""
        position = self.game.parse_position(puzzle.position)
        side, other = self.game.to_move(position), seat(PlayerSection(agent=AGENT))
        self.seats = (Seat(), other) if side == 0 else (other, Seat())
        self.services.offer(own_agents(self.seats))
        referee = Referee(self.game, self._beginning.agents, [position], in_photos=self._beginning.in_photos)
        match = self._match_of(
            referee,
            clock_of(ClockSection(), None, referee),
            f"puzzle-{puzzle.puzzle_id}-{secrets.token_hex(4)}",
            best=BestMoves(forbidden=True),
            puzzle=PuzzlePlay(puzzle, self._puzzles),
        )
        self._watch(pipeline, match)
        match.spoken = (question(puzzle, self.game, side),)
        match.start()
        return match

    def _watch(self, pipeline: Pipeline | None, match: Match, lessons: LessonFile | None = None) -> None:
        lost_s = self.services.config.eyes.lost_s
        self.eyes = None if pipeline is None else BoardTracker(pipeline, match, lost_s=lost_s, lessons=lessons)

    @property
    def _puzzles(self) -> PuzzleStore:
        return store_beside(self.services.journal.path)

    def _leave_interrupted(self) -> None:
        stored = self.services.journal.unfinished()
        if stored is not None and stored.plies and not was_left(stored):
            self.services.journal.note(stored.game_id, "left", "A new game was wanted.")

    @property
    def _event(self) -> dict[str, str]:
        config = self.services.config
        table = "" if config.bus.table == BusSection().table else config.bus.table
        return {name: value for name, value in (config.event.model_dump() | {"table": table}).items() if value}

    @property
    def _beginning(self) -> GameBeginning:
        in_photos = Path(self.services.config.camera.source).is_dir()
        return GameBeginning(self.services.journal, self.game, (self.seats[0].agent, self.seats[1].agent), in_photos)

    def _resumed(self) -> Begun | None:
        """The interrupted game; None if there is none, or it cannot be resumed, announced if it had begun."""
        stored = self.services.journal.unfinished()
        if stored is None or was_left(stored):
            return None
        positions = positions_of(self.game, stored)
        if isinstance(positions, list):
            names = [
                player_name(one) if one.agent or stored.was_an_agents(side) else stored.players[side]
                for side, one in enumerate(self.services.config.players.both)
            ]
            return self._beginning.resumed(stored, positions, names)
        if stored.plies:
            self.services.say(
                worded("I do not resume the interrupted game, because {why}. It stays in the record.", why=positions)
            )
        return None

    def _match_of(self, referee: Referee, clock: GameClock, game_id: str, **rest: Any) -> Match:
        self.timer = ClockService(clock, blind=lambda: bool(self.camera_trouble))
        self.match = match = Match(
            referee,
            seats=self.seats,
            publisher=self.services.bus,
            listeners=self.listeners,
            session=self.session_id,
            table=self.services.config.bus.table,
            game_id=game_id,
            timer=self.timer,
            coach=self.services.coach,
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
        """Whether a phone is to film, and none does."""
        if self.services.config.camera.source != PHONE or self.services.phone_feed.is_opening:
            return False
        filmed = self.eyes is not None and self.eyes.observation is not None
        return bool(self.camera_trouble) or not (filmed or self.services.phone_feed.films)

    @property
    def at_entrance(self) -> bool:
        """Whether the page shows only what can be begun.

        Nobody has moved, and no picture comes from the camera, or there is none and nobody has chosen to play without.
        """
        if self.match is None or self.menu is None:
            return False
        waits = self.awaits_phone if self.services.config.camera.source == PHONE else bool(self.camera_trouble)
        if self.entered if self.eyes is None else not waits:
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
            profile = self._profile(".npz")
            self._setting_up = TableSetup(self.game, template_of(self.game), profile, self.services.say)
        return self._setting_up

    def _profile(self, ending: str) -> Path:
        """The file with that ending of what is known about the look of this table and game."""
        config = self.services.config
        folder = paths.resolved(config.journal.path).parent / "profiles"
        return folder / f"{config.bus.table}-{self.game.name}{ending}"

    def change(self, config: Config, game: AnyGame) -> None:
        """Prepares the next game with these settings; page, record and bus stay open. `begin` must follow."""
        self.entered = True
        before, other = self.services.config, game.name != self.game.name or game.rules != self.game.rules
        if self.match is not None:
            self.match.leave()
            self.match.asked_anew = True
        if other:
            self.match, self.eyes = None, None
        self.services.config = config
        self.game = game
        if before.speech != config.speech:
            self.services.renew("voice")
        self.reseat()
        if other and self.scenes is not None:
            self.services.drop(self.scenes)
            self._keep_scenes(config)

    def retune(self, config: Config) -> None:
        before, self.services.config = self.services.config, config
        if before.speech != config.speech:
            self.services.renew("voice")
            if self.match is not None:
                self.match.retune()  # what was said last, in the language of now
        if before.clock != config.clock and self.timer is not None and self.match is not None:
            self.timer.clock.begin(time_control(config.clock))
            control = self.timer.clock.control.as_object()
            with logged("the new clock is not recorded"):
                self.services.journal.note(self.match.game_id, CLOCK, "", control)

    def reseat(self) -> None:
        """Seats the players of the settings from now on, and starts a worker that offers them if needed."""
        self.seats = seats_of(self.services.config.players)
        self.services.offer(own_agents(self.seats))
        if self.match is not None:
            self.match.retune(seats=self.seats)

    def rename(self, before: PlayersSection) -> None:
        """Records who plays the present game, where that has changed: whoever sits there at the end gets the result."""
        if self.match is None or self.match.referee.outcome is not None:
            return
        journal, now = self.services.journal, self.services.config.players
        kept = journal.game(self.match.game_id).players
        sections = zip(kept, before.both, now.both, strict=True)
        names = [name if player_name(old) == player_name(new) else player_name(new) for name, old, new in sections]
        if names != list(kept):
            journal.name_players(self.match.game_id, names)

    def missing_agents(self) -> list[str]:
        seats = self.seats if self.match is None else self.match.seats
        awaited = {one.agent for one in seats if one.agent and (one.joins or self.services.worker is None)}
        return sorted(awaited - self._offered()) if awaited else []

    def _offered(self) -> set[str]:
        workers = self.services.bus.workers()
        return {agent for one in workers if self.game.name in one.games for agent in one.agents}

    def close(self) -> None:
        self.services.close()

    def _stand_in(self, failed: Seat) -> Seat | None:
        instead = stand_in(failed)
        if instead is None or self.services.config.bus.start_workers or instead.agent in self._offered():
            return instead
        return None

    def _seat_stand_in(self) -> None:
        """Makes the own worker offer who stands in, and the record name it: who plays at the end gets the result."""
        assert self.match is not None
        self.services.offer((*self.services.agents, *own_agents(self.match.seats)))
        if self.match.puzzle is not None:
            return
        journal, game_id = self.services.journal, self.match.game_id
        with logged("who stands in is not recorded"):
            names = zip(journal.game(game_id).players, self.match.seats, self.seats, strict=True)
            journal.name_players(game_id, [kept if now == then else str(now.agent) for kept, now, then in names])

    def _tell(self, announcement: Announcement) -> None:
        if announcement.code == "stand_in":
            self._seat_stand_in()
        verbosity, text = self.services.config.speech.verbosity, in_words(*announcement.said)
        spoken = is_spoken(announcement, verbosity)
        if spoken:
            for phrase in in_phrases(in_words(one) for one in announcement.said):
                self.services.speaker.say(phrase, urgent=announcement.urgent)
        if wants_advice(announcement, verbosity) and self.match is not None and self.match.referee.awaiting == "move":
            self.match.ask_coach()
        for position in announcement.positions[:1]:
            drawn = TextBoard(template_of(self.game)).draw(figures_of(self.game, position))
            LOGGER.info("the position seen, to answer with `kibitzer tell adopt` and a side:\n%s", drawn)
        if announcement.said and self.services.page is not None:
            self.services.page.announce(text, announcement.code, spoken=spoken)


@contextlib.contextmanager
def logged(what: str) -> Iterator[None]:
    """Logs that the record could not be written, and goes on."""
    try:
        yield
    except JournalError as error:
        LOGGER.error("%s: %s", what, error)
