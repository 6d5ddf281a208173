"""A session opens what a match needs, and says what prevents it from going on."""

from __future__ import annotations

import gc
import json
import socket
import time
import urllib.parse
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import games
from calibration.template import load_template
from daemon.cli import tell
from daemon.commands.command import Mover, Undo
from daemon.config.settings import Config
from daemon.game.effects import Record
from daemon.match.command_handlers import obey
from daemon.perception.pipeline import Observation, Pipeline
from daemon.run.session import Session
from daemon.run.session_runner import SessionRunner
from daemon.run.ui_publisher import IDLE_PICTURE_S, PICTURE_S, REST_PICTURE_S, UiPublisher
from lab.demo.cli import open_session
from rules import Outcome
from tests.daemon.quiet_table import quiet
from tests.daemon.readings import reading_of
from tests.daemon.sights import sight
from tests.waiting import PATIENCE_S
from vision.frame import Frame
from vision.watching.align import LOST
from vision.watching.watcher import Phase

MOVES = ("d2", "f4", "a1")


def settings(
    folder: Path, rules: dict[str, object], page_port: int | None = None, game: str = "morris", seat: str = ""
) -> Config:
    """Settings for two people, free ports, no voice, no window."""
    return quiet(
        folder,
        game={"name": game, "rules": rules},
        players={"first": {"seat": seat}, "second": {"agent": ""}},
        page={"enabled": page_port is not None, "window": False, "port": page_port or 0},
    )


def begun(folder: Path, rules: dict[str, object], *, resume: bool = True) -> tuple[Session, list[str]]:
    """A session that has begun its match and closed, and what it said."""
    session = Session(settings(folder, rules), games.load("morris", rules))
    said: list[str] = []
    session.services.say = lambda text, **_rest: said.append(text)  # type: ignore[method-assign]
    session.begin(Pipeline(load_template("nine_mens_morris"), None), resume=resume)
    session.close()
    return session, said


def test_ctrl_c_while_a_session_opens_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Session] = []

    def stopped(self: Session, _config: Config) -> None:
        opened.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "_keep_pictures", stopped)
    config = settings(tmp_path, {}, page_port=0)
    config = config.model_copy(update={"journal": config.journal.model_copy(update={"pictures": True})})
    with pytest.raises(KeyboardInterrupt):
        Session(config, games.load("morris"))
    (session,) = opened
    assert session.services.page is not None
    for address in (session.services.page.address, session.services.bus.state_endpoint):
        parts = urllib.parse.urlsplit(address)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((parts.hostname or "", parts.port or 0), timeout=PATIENCE_S)


@pytest.fixture
def interrupted(tmp_path: Path) -> Path:
    """A folder with the journal of an unfinished game that dark began."""
    rules: dict[str, object] = {"first": "auto"}
    session, _ = begun(tmp_path, rules)
    again = Session(settings(tmp_path, rules), session.game)
    stored, position = again.services.journal.unfinished(), session.game.starts[1]
    assert stored is not None
    for ply, text in enumerate(MOVES, 1):
        side = session.game.to_move(position)
        position = session.game.apply(position, session.game.parse_move(position, text))
        board = session.game.board(position)
        record = Record(ply, side, text, session.game.format_position(position), board)
        again.services.journal.append(stored.game_id, record)
    again.close()
    return tmp_path


def test_game_that_dark_began_is_resumed_with_its_sides(interrupted: Path) -> None:
    session, said = begun(interrupted, {"first": "auto"})
    assert session.match is not None
    referee = session.match.referee
    assert (tuple(referee.moves), session.game.to_move(referee.position), said) == (MOVES, 0, [])


def test_whoever_takes_an_agents_seat_in_a_resumed_game_is_recorded_as_a_person(interrupted: Path) -> None:
    session = Session(settings(interrupted, {"first": "auto"}), games.load("morris", {"first": "auto"}))
    journal = session.services.journal
    (game_id,) = (stored.game_id for stored in journal.games())
    journal.name_players(game_id, ["level-4", "Bob"])
    session.close()
    begun(interrupted, {"first": "auto"})
    again = Session(settings(interrupted, {"first": "auto"}), session.game)
    assert again.services.journal.games()[-1].players == ("person", "Bob")
    again.close()


def test_game_with_other_rules_is_not_resumed_and_this_is_said(interrupted: Path) -> None:
    session, said = begun(interrupted, {"first": "auto", "flying": True})
    assert session.match is not None and session.match.referee.ply == 0
    assert said == ["I do not resume the interrupted game, because it has other rules. It stays in the record."]


@pytest.mark.parametrize(
    ("viewers", "phase", "news", "pause_s"),
    [
        (0, "settled", True, IDLE_PICTURE_S),
        (1, "settled", False, REST_PICTURE_S),
        (1, "settled", True, PICTURE_S),
        (1, "moving", False, PICTURE_S),
    ],
)
def test_page_shows_a_new_picture_as_soon_as_there_is_something_new_to_see(
    tmp_path: Path, viewers: int, phase: Phase, news: bool, pause_s: float
) -> None:
    session = Session(settings(tmp_path, {}, page_port=0), games.load("morris"))
    try:
        session.begin(Pipeline(load_template("nine_mens_morris"), None))
        assert session.services.page is not None and session.eyes is not None
        session.services.page._streams._open["video", True] = viewers
        gate = sight(phase)
        session.eyes.observation = Observation(Frame(np.zeros((4, 4, 3), np.uint8), 0.0, 0), LOST, gate=gate)
        assert UiPublisher(session).picture_pause_s(session.services.page, session.eyes, news) == pause_s
    finally:
        session.close()


def test_new_game_is_begun_where_it_is_asked_for(interrupted: Path) -> None:
    session, said = begun(interrupted, {"first": "auto"}, resume=False)
    assert session.match is not None and session.match.referee.ply == 0
    assert said == []


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield int(holder.getsockname()[1])


def test_demo_takes_another_port_for_its_page_where_the_usual_one_is_in_use(tmp_path: Path, taken_port: int) -> None:
    session = open_session(settings(tmp_path, {}, taken_port), games.load("morris"), None)
    try:
        assert session.services.page is not None
        assert f":{taken_port}" not in session.services.page.address
    finally:
        session.close()


TILES = ("8H6-8I1", "8J1-8K4", "6K2-7K4")


def at_dominoes(folder: Path) -> tuple[Session, list[str]]:
    """A dominoes session of two people with a page, and what it said."""
    session = Session(settings(folder, {}, 0, "dominoes", "left"), games.load("dominoes"))
    said: list[str] = []
    session.listeners.append(lambda announcement: said.append(announcement.text))
    session.begin(Pipeline(load_template("double_double_dominoes"), None))
    return session, said


def lay(session: Session, text: str) -> None:
    """Shows the match a reading of the board with one more tile."""
    assert session.match is not None and session.eyes is not None
    game, board = session.game, list(session.game.board(session.match.referee.position))
    for end in text.split("-"):
        board[game.cells.index(end[:-1])] = end[-1]
    session.eyes.judge(reading_of(game, "".join(board)))


def told(session: Session, *words: str) -> list[str]:
    """Exit status and output of `kibitzer tell`, with the session running meanwhile."""
    assert session.services.page is not None
    runner, command = SessionRunner(session), [*words, "--port", str(session.services.page.port)]
    with ThreadPoolExecutor(1) as threads:
        telling = threads.submit(CliRunner().invoke, tell.app, command)
        while not telling.done():
            runner.tick(None)
            time.sleep(0.02)
    return [str(telling.result().exit_code), telling.result().output.strip()]


def test_who_made_a_move_is_told_from_the_command_line_and_outlives_the_daemon(tmp_path: Path) -> None:
    session, said = at_dominoes(tmp_path)
    for text in TILES:
        lay(session, text)
    assert told(session, "mover", "red", "--move", "2") == ["0", "Move 2 was red's. Red 0, green 1. Red's turn."]
    assert told(session, "mover", "red", "--move", "9") == ["1", "There is no move 9: 3 are made."]
    assert told(session, "pass") == ["0", "Red passes. Red 0, green 1. Green's turn."]
    assert said[-2:] == ["Move 2 was red's. Red 0, green 1. Red's turn.", "Red passes. Red 0, green 1. Green's turn."]
    session.close()
    again, _ = at_dominoes(tmp_path)
    assert again.match is not None
    line = again.match.referee.line
    assert [(ply.text, ply.side, ply.known) for ply in line.plies] == [
        (TILES[0], 0, ""),
        ("pass", 1, ""),
        (TILES[1], 0, "said"),
        (TILES[2], 1, ""),
        ("pass", 0, "said"),
    ]
    # The earlier correction still holds: correcting move 3 leaves move 2 as it is.
    assert obey(again.match, Mover("red", 3), again.eyes).text == "Move 3 was red's. Red 1, green 0. Green's turn."
    assert [ply.side for ply in line.plies if ply.seen] == [0, 0, 0]
    again.close()


def test_keys_of_the_window_tell_the_same(tmp_path: Path) -> None:
    session, said = at_dominoes(tmp_path)
    for text in TILES[:2]:
        lay(session, text)
    runner = SessionRunner(session)
    for key in "mxp":
        runner.press(key)
    assert said[-2:] == ["Move 2 was red's. Red 0, green 0. Green's turn.", "Green passes. Red 0, green 0. Red's turn."]
    runner.press("u")
    assert said[-1] == "Green's pass is taken back. Green's turn."
    session.close()


def test_the_page_is_given_the_moves_with_their_makers_and_the_points(tmp_path: Path) -> None:
    session, _ = at_dominoes(tmp_path)
    assert session.services.page is not None
    for text in TILES:
        lay(session, text)
    runner = SessionRunner(session)
    runner.press("p")
    runner.tick(None)
    line = json.loads(session.services.page._page_state.summary()[0])["line"]
    assert line["scores"] == [1, 0]
    assert [(ply["number"], ply["side"], ply["known"]) for ply in line["plies"]] == [
        (1, 0, ""),
        (2, 1, ""),
        (3, 0, ""),
        (None, 1, "said"),
    ]
    session.close()


def test_a_command_that_a_game_has_no_use_for_is_refused_with_the_reason(tmp_path: Path) -> None:
    session = Session(settings(tmp_path, {}, 0), games.load("morris"))
    session.begin(Pipeline(load_template("nine_mens_morris"), None))
    SessionRunner(session).press("p")
    assert told(session, "pass") == ["1", "Light has to move and may not pass."]
    assert session.match is not None and session.match.referee.ply == 0
    session.close()


def test_a_seat_of_the_settings_reaches_the_match(tmp_path: Path) -> None:
    session, _ = at_dominoes(tmp_path)
    assert session.match is not None
    assert [seat.place for seat in session.match.seats] == ["left", ""]
    session.close()


def test_keys_that_end_a_game_must_be_pressed_twice(interrupted: Path) -> None:
    session, said = begun(interrupted, {"first": "auto"})
    assert session.match is not None
    runner = SessionRunner(session)
    runner.press("n")
    assert said == ["Press n again to begin a new game."]
    assert not session.match.new_game_due
    runner.press("R")
    runner.press("n")
    assert not session.match.new_game_due and session.match.referee.outcome is None
    runner.press("n")
    assert session.match.new_game_due


def test_a_game_that_was_left_on_purpose_is_not_resumed_and_stays_in_the_record(interrupted: Path) -> None:
    begun(interrupted, {"first": "auto"}, resume=False)
    session = Session(settings(interrupted, {"first": "auto"}), games.load("morris", {"first": "auto"}))
    session.services.journal.finish(session.services.journal.games()[-1].game_id, Outcome(None, "repetition"))
    match = session.begin(Pipeline(load_template("nine_mens_morris"), None))
    assert match.referee.ply == 0
    assert session.services.journal.games()[0].moves == MOVES
    session.close()


def test_a_move_taken_back_by_word_is_still_to_be_put_back_after_a_restart(interrupted: Path) -> None:
    session = Session(settings(interrupted, {"first": "auto"}), games.load("morris", {"first": "auto"}))
    match = session.begin(Pipeline(load_template("nine_mens_morris"), None))
    standing = session.game.board(match.referee.position)
    assert obey(match, Undo(), session.eyes).accepted
    session.close()
    again = Session(settings(interrupted, {"first": "auto"}), session.game)
    referee = again.begin(Pipeline(load_template("nine_mens_morris"), None)).referee
    again.close()
    assert (tuple(referee.moves), referee.awaiting) == (MOVES[:2], "nothing")
    assert referee.to_put_back and referee.belief.lines[0].shown == standing


def test_a_game_from_a_board_that_was_adopted_is_resumed_from_it(tmp_path: Path) -> None:
    session = Session(settings(tmp_path, {}), games.load("morris"))
    match = session.begin(Pipeline(load_template("nine_mens_morris"), None))
    match.set_up = session.game.parse_position("dark:MMMOOOOOOEEEOOOOOOOOOOOO0033")
    begun_with = session.begin(Pipeline(load_template("nine_mens_morris"), None), resume=False).referee.position
    session.close()
    again = Session(settings(tmp_path, {}), session.game)
    assert again.begin(Pipeline(load_template("nine_mens_morris"), None)).referee.position == begun_with
    again.close()


def named(session: Session) -> tuple[str, ...]:
    """The recorded players of the present game."""
    assert session.match is not None
    return tuple(session.services.journal.game(session.match.game_id).players)


def with_players(config: Config, **players: dict[str, object]) -> Config:
    return Config.model_validate(config.model_dump() | {"players": players, "bus": config.bus.model_dump()})


def test_who_takes_a_persons_place_in_the_middle_of_a_game_gets_the_result(tmp_path: Path) -> None:
    """Either by new settings while the game goes on, or by settings changed before it is resumed."""
    config = settings(tmp_path, {})
    bus = config.bus.model_copy(update={"start_workers": False})
    people = with_players(config.model_copy(update={"bus": bus}), first={"name": "Ana"}, second={"name": "Ben"})
    replaced = with_players(people, first={"name": "Ana"}, second={"name": "Ben", "agent": "level-3"})
    session = Session(people, games.load("morris"))
    try:
        session.begin(None)
        assert named(session) == ("Ana", "Ben")
        game_id = session.match.game_id if session.match is not None else ""
        session.services.journal.name_players(game_id, ["Anna", "Ben"])  # by hand, from the page or the command line
        session.services.config = replaced
        session.reseat()
        session.rename(people.players)
        assert named(session) == ("Anna", "level-3")
        session.services.config = people
        session.reseat()
        session.rename(replaced.players)
        assert named(session) == ("Anna", "Ben")
    finally:
        session.close()
    session = Session(replaced, games.load("morris"))
    try:
        session.begin(None)
        assert session.match is not None and session.match.game_id == game_id
        assert named(session) == ("Anna", "level-3")
    finally:
        session.close()


def test_states_are_numbered_on_from_game_to_game_so_that_a_late_reply_is_no_forged_one(tmp_path: Path) -> None:
    session = Session(settings(tmp_path, {}), games.load("morris"))
    try:
        before = session.begin(None).state
        after = session.begin(None, resume=False).state
        assert before is not None and after is not None
        assert before.game_id != after.game_id and before.sequence < after.sequence
    finally:
        session.close()


@pytest.mark.parametrize(("second", "awaiting"), [("random", "carry_out"), ("level-1", "agent")])
def test_a_move_that_waits_to_be_carried_out_is_kept_for_its_agent_alone(
    tmp_path: Path, second: str, awaiting: str
) -> None:
    config = settings(tmp_path, {})
    config = config.model_copy(update={"bus": config.bus.model_copy(update={"start_workers": False})})
    for agent in ("random", second):
        session = Session(with_players(config, first={"agent": agent}, second={}), games.load("morris"))
        try:
            match = session.begin(Pipeline(load_template("nine_mens_morris"), None))
            last = match.referee.awaiting
            match.carry_out(match.referee.reply("random", 0, "d2"))
        finally:
            session.close()
    assert last == awaiting


def test_nothing_of_a_game_that_was_left_stays_in_memory(tmp_path: Path) -> None:
    session = Session(settings(tmp_path, {}), games.load("morris"))
    gc.collect()
    gc.disable()  # pictures are too large to wait for the collector
    try:
        left = [
            weakref.ref(session.begin(Pipeline(load_template("nine_mens_morris"), None))),
            weakref.ref(session.eyes),
        ]
        left.append(weakref.ref(session.eyes.pipeline))
        session.begin(Pipeline(load_template("nine_mens_morris"), None), resume=False)
        assert [one() for one in left] == [None, None, None]
    finally:
        gc.enable()
        session.close()
