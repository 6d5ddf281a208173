"""Publishes a match to page and window: state, health, picture and board, as often as needed."""

from __future__ import annotations

import functools
import time

from daemon.bus.best_moves import steps_and_labels
from daemon.commands.strengths import shown_name
from daemon.config.player_names import person_name
from daemon.game.hands import public_move
from daemon.game.line_of_play import LineOfPlay, Ply
from daemon.judging import phrases
from daemon.match.legal_moves import legal_moves_of
from daemon.match.match import Match
from daemon.page.overlay import Scene, draw_overlay
from daemon.page.page_state import News
from daemon.page.view import View
from daemon.page.web import WebPage
from daemon.page.window import Window
from daemon.perception.board_tracker import BoardTracker
from daemon.record.formats.movetext import late_half
from daemon.run.health import health_of
from daemon.run.session import Session
from daemon.words.translation import as_words, in_a_row, in_words, language, worded
from rules import Counts, Step, figures_of
from wording import Sentences, Term, sentence

PICTURE_S, REST_PICTURE_S, IDLE_PICTURE_S = 0.1, 0.5, 1.0
"""Seconds between two pictures for the page, at least: while something moves, at rest, and while nobody looks."""
SHOW_S = 0.1
"""Seconds between two updates of state and health, at least."""
VERDICTS = {
    "start": sentence("Ready."),
    "unchanged": sentence("The board is as I know it."),
    "legal": sentence("A legal move."),
    "illegal": sentence("Not a legal move."),
    "unfinished": sentence("The move is not finished."),
    "put_back": sentence("Put the pieces back, please."),
    "takeback": sentence("Taken back."),
    "ambiguous": sentence("I am not sure what was played."),
    "unclear": sentence("I cannot see the board clearly."),
    "desync": sentence("The board is not as I know it."),
    "paused": sentence("Paused."),
    "over": sentence("The game is over."),
}


class UiPublisher:
    """Shows a session on its page and in the window. Used by the session's thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._match: Match | None = None
        self._window_s = float("-inf")
        self._begin(None)

    def _begin(self, page: WebPage | None) -> None:
        """Resets what is known about the page's content: the page was opened just now."""
        self._page = page
        self._picture_s = self._shown_s = float("-inf")
        self._view, self._sequence = View(), -1
        self._plies: list[Ply] = []
        self._drawn: tuple[Sentences, str, int] = (), "", -1
        """State shown in the page's picture: sentences, verdict and ply."""

    def show(self) -> None:
        now, session = time.monotonic(), self._session
        if session.services.page is None or session.match is None:
            return
        if session.services.page is not self._page:
            self._begin(session.services.page)
        if session.match is not self._match:
            self._match = session.match
            self.show_at_once()
        state = session.match.state
        if now - self._shown_s < SHOW_S and (state is None or state.sequence == self._sequence):
            return
        self._shown_s = now
        self._show_state(session.services.page)
        if session.eyes is not None:
            self._show_picture(session.services.page, session.eyes, now)

    def show_at_once(self) -> None:
        self._shown_s, self._sequence = float("-inf"), -1

    def show_in(self, window: Window | None) -> None:
        now, eyes = time.monotonic(), self._session.eyes
        if window is None or eyes is None or not window.is_open or now - self._window_s < PICTURE_S:
            return
        scene = scene_of(eyes)
        if scene is not None:
            self._window_s = now
            window.show(draw_overlay(scene))

    def picture_pause_s(self, page: WebPage, eyes: BoardTracker, news: bool) -> float:
        if not page.viewers:
            return IDLE_PICTURE_S
        seen = eyes.observation
        rests = seen is not None and seen.gate is not None and seen.gate.settled
        return REST_PICTURE_S if rests and not news else PICTURE_S

    def _show_state(self, page: WebPage) -> None:
        session, match = self._session, self._session.match
        assert match is not None
        unknown = () if session.eyes is None else session.eyes.unknown_cells
        drawing = self._view.board(match, unknown)
        watched = session.eyes is not None
        config = session.services.config
        names = [person_name(one) for one in config.players.both]
        view = self._view.of(match, session.timer, watched=watched, thought=match.requests.last_thought, names=names)
        listens = session.services.listening is not None
        own = {"setup": session.setting_up.status(), "listens": listens}
        seen = None if session.eyes is None else session.eyes.observation
        pose = None if seen is None else seen.alignment.pose
        page.setup.set_frame(session.setting_up.picture(pose) if watched else None, config.camera.source)
        changed = match.state is not None and match.state.sequence != self._sequence
        figures = {f"bus_{name}_total": count for name, count in session.services.bus.counters().items()}
        news = News(
            view=view | own | table_of(session),
            health=health_of(session),
            figures=figures | {"refused_replies_total": match.requests.refused},
        )
        if drawing is not None:
            news["board"] = drawing
        if changed and not watched:
            news["legal"] = legal_moves_of(match.referee, match.game_id)
        if match.state is not None:
            self._sequence = match.state.sequence
            news["state"] = match.state
            if changed or match.referee.line.plies != self._plies:
                self._plies = list(match.referee.line.plies)
                scores = Counts.of(session.game).scores(match.referee.position)
                news["line"] = {"plies": line_objects(match.referee.line), "scores": scores}
        # Before what makes pages ask for it: the start card asks once.
        page.menu = session.menu or page.menu
        page.publish(**news)

    def _show_picture(self, page: WebPage, eyes: BoardTracker, now_s: float) -> None:
        match = eyes.match
        told = match.spoken, match.referee.verdict, match.referee.ply
        if now_s - self._picture_s >= self.picture_pause_s(page, eyes, told != self._drawn):
            scene = scene_of(eyes)
            if scene is not None:
                self._picture_s, self._drawn = now_s, told
                page.publish(picture=functools.partial(draw_overlay, scene))


def scene_of(eyes: BoardTracker) -> Scene | None:
    referee, seen = eyes.match.referee, eyes.observation
    if seen is None:
        return None
    game = referee.game
    agent_steps: tuple[Step, ...] = ()
    if referee.agent_move is not None:
        agent_steps = game.steps(referee.position, referee.agent_move)
    outcome, totals = referee.outcome, phrases.totals(game, referee.position)
    side = phrases.named(game, game.to_move(referee.position))
    turn = worded("{side:Nom} to move", side=side) if outcome is None else worded("Game over")
    return Scene(
        frame=seen.frame,
        template=eyes.pipeline.template,
        pose=seen.alignment.pose,
        board=figures_of(game, referee.position),
        last_move=referee.last_steps,
        agent_steps=agent_steps,
        best=steps_and_labels(eyes.match.best_moves),
        fault_cells=referee.fault_cells,
        unknown_cells=eyes.unknown_cells,
        title=as_words(Term("game", game.title)),
        verdict=in_words(VERDICTS[referee.verdict]),
        said=in_words(*eyes.match.spoken),
        to_move=in_a_row([in_words(*totals), turn]),
        moves=tuple(referee.moves),
        halves=late_half(game, eyes.match.referee.line.start),
        status="" if seen.alignment.pose is not None else worded("board not in sight"),
    )


def line_objects(line: LineOfPlay) -> list[dict[str, object]]:
    numbers = {index: number for number, index in enumerate(line.seen, 1)}
    return [
        {
            "move": public_move(line.game, line.positions[index], ply),
            "side": ply.side,
            "known": ply.known,
            "number": numbers.get(index),
        }
        for index, ply in enumerate(line.plies)
    ]


def table_of(session: Session) -> dict[str, object]:
    players = session.services.config.players.both
    seats = session.seats if session.match is None else session.match.seats
    return {
        "entrance": session.at_entrance,
        "awaits_phone": session.awaits_phone,
        "demo": None if session.demo is None else session.demo(),
        "address": "" if session.services.page is None else session.services.page.elsewhere,
        "names": [shown_name(seat.shown) or one.name for seat, one in zip(seats, players, strict=True)],
        "language": language(),
        "speaks": session.services.config.speech.enabled,
    }
