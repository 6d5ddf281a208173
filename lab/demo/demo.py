"""Plays whole games on a simulated table through the real pipeline, judged by its truth; and the demo's page."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from calibration.template import BoardTemplate
from daemon.commands.command import Answer, Pass
from daemon.commands.setup_requests import DemoRequest
from daemon.config.settings import Config
from daemon.game.effects import Announcement
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.page.window import Window
from daemon.perception.pipeline import Observation, Pipeline
from daemon.run.game_chooser import GameChooser
from daemon.run.session import Session
from daemon.run.session_runner import SessionRunner
from daemon.supervision.camera import NONE
from daemon.words.translation import worded
from lab.simulated.player import ScriptedPlayer
from lab.simulated.scenes import profile_of
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import AnyGame, Counts, Outcome, Side
from rules.turns import line_of_play

TURN_S = 0.02
UNSEEN_S = 60.0
"""Seconds without anybody looking at the page after which a demo that a table started ends."""


class Left(Exception):
    """Somebody ends the demo, or wants to play; `config` are the settings of that game."""

    def __init__(self, config: Config | None = None) -> None:
        self.config = config
        super().__init__("the demo was left")


class DemoPage:
    """Takes the requests of one demo's page. Used by the session's thread."""

    def __init__(self, session: Session, *, beside: bool = False) -> None:
        """`beside` is a demo that a table started: it tells its port, and ends once nobody looks."""
        self._session, self._beside = session, beside
        self._over = False
        self._begun = False
        self._seen_s = time.monotonic()
        self._chooser = GameChooser(session, session.services.config, NONE)
        session.demo = self._status

    def turn(self) -> None:
        """To be called often while a game is shown. Raises Left."""
        page, now_s = self._session.services.page, time.monotonic()
        if page is None:
            return
        if self._beside and not self._begun:
            sys.stdout.write(json.dumps({"port": page.port}) + "\n")
            sys.stdout.flush()
        if page.pages or not self._begun:
            self._seen_s, self._begun = now_s, True
        if self._beside and now_s - self._seen_s > UNSEEN_S:
            raise Left
        self._chooser.changed()
        ended = False
        for request in page.demos.take():
            request.answer(self._answer(request.command))
            ended = ended or request.command.end
        if ended:
            raise Left
        if (config := self._chooser.poll()) is not None:
            raise Left(config)

    def stay(self) -> None:
        """Shows the result until the demo is to be shown again. Raises Left."""
        self._over = True
        runner = SessionRunner(self._session)
        while not self._session.new_game_due:
            runner.tick(None)
            self.turn()
            time.sleep(TURN_S)
        self._over = False
        runner.ui.show_at_once()
        runner.ui.show()  # the next picture comes only once the eyes are calibrated

    def _answer(self, request: DemoRequest) -> Answer:
        return Answer(True, worded("The demo ends.")) if request.end else Answer(False, worded("This is the demo."))

    def _status(self) -> Mapping[str, object]:
        return {"state": "over" if self._over else "plays", "port": None}


LOGGER = logging.getLogger(__name__)
RATE_HZ, FAST_RATE_HZ = 15.0, 10.0
"""Frames a second. When not in real time, the low rate just suffices to see a board at rest."""
ANSWER_S = 60.0
"""Seconds to wait for an agent's answer before the demo continues without it (and the match asks again)."""
STUCK_S = 120.0
"""Simulated seconds without a new ply after which a game is abandoned and counted as it is."""
COMPLAINTS = ("illegal", "takeback", "desync", "ambiguous", "board_lost")
"""Reports that a faultless game must never cause."""


@dataclasses.dataclass
class Tally:
    game: str
    seed: int
    plies: int = 0
    """Plies made on the table, without passes, which no camera sees."""
    passes: int = 0
    """Passes made."""
    wrong_boards: int = 0
    """Boards that were believed but never stood on the table."""
    missed_plies: int = 0
    """Plies made on the table that are not in the record, without passes."""
    right_movers: int = 0
    """Plies, without passes, whose recorded side is the one that made them."""
    false_reports: int = 0
    """Complaints although nothing was wrong."""
    outcome: str = ""
    true_outcome: str = ""
    scores: tuple[int, int] | None = None
    """Points of both sides as believed at the end; None in games without points."""
    true_scores: tuple[int, int] | None = None
    seconds: float = 0.0
    """Wall time of the game."""
    verdict_ms: float = 0.0
    """Median milliseconds from the settled picture to the verdict."""
    journal: str = ""


class Demo:
    def __init__(
        self,
        session: Session,
        *,
        fast: bool,
        most_plies: int | None = None,
        window: Window | None = None,
        moves: Sequence[str] | None = None,
    ) -> None:
        """`moves` are all moves that two people make; None lets them choose."""
        self._moves = moves
        """Breaks a game off after `most_plies`, if given."""
        self.session, self.runner = session, SessionRunner(session)
        self.fast = fast
        self.most_plies = most_plies
        self._window = window
        self.turn: Callable[[], None] = lambda: None
        """Called with every frame; what it raises ends the game."""

    def play(self, template: BoardTemplate, seed: int) -> Tally:
        game, session = self.session.game, self.session
        begun_s = time.monotonic()
        tally = Tally(game.name, seed, journal=str(session.services.journal.path))
        style = default_style()
        table = SimulatedTable(template, game.board(game.initial()), style, seed=seed)
        profile = profile_of(game, template, table, seed)
        source = SimulatedSource(table, rate_hz=FAST_RATE_HZ if self.fast else RATE_HZ, real_time=not self.fast)
        humans = frozenset(side for side in (0, 1) if session.seats[side].agent is None)
        # People who replay a game wait for nobody, so they leave the time to look.
        think_s = 0.2 if self.fast and self._moves is None else 1.5
        player = ScriptedPlayer(game, table, humans, seed, think_s, say_pass=self._say_pass, moves=self._moves)
        pipeline = Pipeline(
            template,
            profile,
            settle_s=session.services.config.eyes.settle_s,
            readings=session.services.config.eyes.readings,
        )
        match = session.begin(pipeline, resume=False)
        judge = Judge(
            match, player, tally, lambda: seen_plies(game, session.services.journal.game(match.game_id).moves)
        )
        match.listeners.append(judge.hear)
        try:
            self._play(match, source, player, judge)
        finally:
            match.listeners.remove(judge.hear)
            source.close()
        judge.close()
        tally.seconds = round(time.monotonic() - begun_s, 1)
        return tally

    def _play(self, match: Match, source: SimulatedSource, player: ScriptedPlayer, judge: Judge) -> None:
        progress_s: float | None = None
        seen: Observation | None = None
        plies = 0
        while True:
            ended = player.finished or len(player.record) >= (self.most_plies or math.inf)
            if ended and len(match.referee.line.seen) >= len(player.seen):
                return
            if not ended:
                player.update()
            frame = source.read(timeout_s=1.0)
            if frame is None:
                continue
            judge.about_to_look(seen)
            seen = self.runner.tick(frame)
            self.runner.ui.show_in(self._window)
            self.turn()
            if self.fast:
                self._await_answer(match)
            if progress_s is None or len(player.record) + match.referee.ply != plies:
                plies, progress_s = len(player.record) + match.referee.ply, frame.time_s
            if frame.time_s - progress_s > STUCK_S:
                LOGGER.error("no progress for %.0f simulated seconds", STUCK_S)
                return

    def _say_pass(self, ply: int) -> bool:
        match = self.session.match
        return match is not None and obey(match, Pass(ply=ply), None).accepted

    def _await_answer(self, match: Match) -> None:
        deadline_s = time.monotonic() + ANSWER_S
        while match.referee.awaiting == "agent" and time.monotonic() < deadline_s:
            self.runner.tick(None)
            time.sleep(0.002)


class Judge:
    """Compares the daemon's belief with the true state of the table."""

    def __init__(
        self, match: Match, player: ScriptedPlayer, tally: Tally, recorded: Callable[[], Sequence[tuple[str, Side]]]
    ) -> None:
        """`recorded` reads the game's moves, without passes, and their sides back from the journal."""
        self._match = match
        self._recorded = recorded
        self._player = player
        self._tally = tally
        self._looked_s = 0.0
        self._verdicts_ms: list[float] = []
        self._believed: dict[int, str] = {}

    def about_to_look(self, seen: Observation | None) -> None:
        """Called before each frame with the last observation; of several looks at one picture the first one counts."""
        if seen is None or seen.gate is None or not seen.gate.settled or seen.gate.fresh:
            self._looked_s = time.perf_counter()

    def hear(self, announcement: Announcement) -> None:
        """Counts complaints, notes boards, and passes the agent's announced moves on to the player."""
        if announcement.code == "move":
            self._verdicts_ms.append(1000 * (time.perf_counter() - self._looked_s))
            seen = sum(ply.seen for ply in self._match.referee.line.plies[: announcement.ply])
            self._believed[seen] = announcement.board
        elif announcement.code == "agent_move":
            self._player.hear(announcement.ply + 1, announcement.move)
        elif announcement.code == "pass":
            self._player.hear(announcement.ply, announcement.move)  # an agent's; people know theirs
        elif announcement.code in COMPLAINTS:
            self._tally.false_reports += 1
            LOGGER.warning("false report: %s %s", announcement.code, announcement.text)

    def close(self) -> None:
        player, tally, referee, recorded = self._player, self._tally, self._match.referee, self._recorded()
        truth = {number: ply.board for number, ply in enumerate(player.seen, 1)}
        made = [(ply.move, ply.side) for ply in player.seen]
        # Pad or cut to as many as were made: a padded entry differs from every move.
        kept = [*recorded, *[("", -1)] * len(made)][: len(made)]
        tally.plies, tally.passes = len(truth), len(player.record) - len(truth)
        tally.wrong_boards = sum(truth.get(number) != board for number, board in self._believed.items())
        tally.missed_plies = sum(one[0] != other[0] for one, other in zip(made, kept, strict=True))
        tally.right_movers = sum(one == other for one, other in zip(made, kept, strict=True))
        tally.outcome = outcome_text(referee.game, referee.outcome)
        tally.true_outcome = outcome_text(referee.game, player.outcome)
        tally.scores, tally.true_scores = (Counts.of(referee.game).scores(one.position) for one in (referee, player))
        tally.verdict_ms = round(statistics.median(self._verdicts_ms), 1) if self._verdicts_ms else 0.0


def seen_plies(game: AnyGame, texts: Sequence[str]) -> list[tuple[str, Side]]:
    positions = line_of_play(game, texts)
    return [
        (text, game.to_move(before))
        for text, before, after in zip(texts, positions, positions[1:], strict=False)
        if game.board(before) != game.board(after)
    ]


def outcome_text(game: AnyGame, outcome: Outcome | None) -> str:
    """The outcome as text, such as "light: two_men_left" or "draw: repetition"."""
    if outcome is None:
        return "unfinished"
    return f"{'draw' if outcome.winner is None else game.sides[outcome.winner]}: {outcome.reason}"
