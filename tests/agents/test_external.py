"""The agent `external` with separate engine programs, of which only one behaves well.

Engines that need no configuration are agents with levels where they are installed, and named with their package else.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import games
from agents import agents_cli, engines, players, protocols, registry
from agents.agent import AgentError, Limits
from agents.engines import engine_protocols, known
from agents.engines.known import KnownEngine
from agents.engines.process import EngineError, EngineProcess
from agents.external import ATTEMPTS, MAX_FAILURES
from agents.players import Player
from rules.turns import line_of_play
from tests.agents.fake_engines import register, silent_when

ROOT = Path(__file__).resolve().parents[2]
ENGINE = Path(__file__).parent / "fake_engines" / "engine.py"
GAMES = {"uci": "morris", "nboard": "reversi", "gomocup": "gomoku", "gtp": "reversi"}
OPENING = {"uci": "a7 a1 d7 d1", "nboard": "d3 c3", "gomocup": "a15 b15 h8 i8", "gtp": "d3 c3"}
"""Moves after which the fake engine's LIES are illegal; in morris the next move closes no mill yet."""


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Registers one fake engine with the given protocol and manner; returns the FILE it is given."""

    def write(protocol: str, manner: str, game: str = "", timeout_s: float = 20.0, **settings: float) -> Path:
        marks = tmp_path / "marks"
        command = [sys.executable, str(ENGINE), protocol, manner, str(marks)]
        name = games.load(game or GAMES[protocol]).name
        register(tmp_path, monkeypatch, "fake", protocol, name, command, timeout_s=timeout_s, **settings)
        return marks

    return write


def choose(
    protocol: str, agent: Any = None, moves: str | None = None, game: Any = None, limits: Limits | None = None
) -> Any:
    game = game or games.load(GAMES[protocol])
    position = line_of_play(game, (OPENING[protocol] if moves is None else moves).split())[-1]
    player = agent or registry.load_agent("external", game)
    return player.choose(position, limits or Limits(), threading.Event())


def starts(marks: Path) -> int:
    return len(marks.with_suffix(".starts").read_text().splitlines())


@pytest.mark.parametrize("protocol", GAMES)
@pytest.mark.parametrize("manner", ["good", "wild", "mortal"])
def test_an_engine_that_answers_plays_a_whole_game(configure: Any, protocol: str, manner: str) -> None:
    """Also one that says much else, and one that ends again and again and is started each time."""
    marks = configure(protocol, manner)
    game = games.load(GAMES[protocol])
    player, position = registry.load_agent("external", game, {"engine": "fake"}), game.initial()
    for _ in range(40):
        if game.outcome(position) is not None:
            break
        answer = player.choose(position, Limits(depth=2), threading.Event())
        assert answer.move in game.legal_moves(position)
        assert answer.pv == (game.format_move(position, answer.move),)
        position = game.apply(position, answer.move)
    assert (starts(marks) == 1) == (manner != "mortal")


def test_scores_depth_and_nodes_are_the_engines(configure: Any) -> None:
    configure("uci", "good")
    answer = choose("uci")
    assert (answer.score, answer.depth, answer.nodes) == (7.0, 3, 99)
    configure("nboard", "good")
    assert choose("nboard").score == 1.5


def test_a_mill_and_what_is_taken_for_it_are_one_move(configure: Any) -> None:
    configure("uci", "good")
    game = games.load("morris")
    position = game.parse_position("light:MOMEEOOOOOOOOOOOOOOOOOOO7722".replace("MOM", "MMO"))
    answer = registry.load_agent("external", game).choose(position, Limits(), threading.Event())
    assert game.format_move(position, answer.move).startswith("g7x")


@pytest.mark.parametrize("protocol", GAMES)
@pytest.mark.parametrize("manner", ["dies_once", "lies_once"])
def test_an_engine_that_dies_or_plays_an_illegal_move_is_named_and_started_again(
    configure: Any, protocol: str, manner: str, caplog: pytest.LogCaptureFixture
) -> None:
    marks = configure(protocol, manner)
    assert choose(protocol).move is not None
    assert starts(marks) == 2
    lie = {"uci": "a1-g7", "nboard": "a1", "gomocup": "a15", "gtp": "h8"}[protocol]
    [said] = caplog.messages
    if manner == "dies_once":
        assert said == "engine fake ended with status 3 (failure 1 in a row)"
    else:
        assert re.match(rf"engine fake played '{lie}', which is refused \(\w+\): ", said)


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
@pytest.mark.parametrize("manner", ["stalls", "garbage", "floods", "deaf"])
def test_an_engine_that_gives_no_answer_is_killed_at_its_deadline(configure: Any, protocol: str, manner: str) -> None:
    """Without a limit of time that is its timeout, in which a deaf one is not greeted; else the limit and its grace."""
    timeout_s = {"stalls": 1.5, "deaf": 0.3}.get(manner, 20.0)
    configure(protocol, manner, timeout_s=timeout_s, grace_s=0.2)
    with pytest.raises(AgentError, match=r"engine fake .*gave no answer in time"):
        choose(protocol, limits=Limits(time_s=0.1 if timeout_s > 2 else None))


def test_an_answer_without_end_is_an_error(configure: Any) -> None:
    configure("gtp", "endless")
    with pytest.raises(AgentError, match="engine fake answered 'genmove black' with more than 1000 lines"):
        choose("gtp")


def test_a_stone_on_a_stone_is_refused(configure: Any) -> None:
    configure("gtp", "lies", game="gomoku")
    with pytest.raises(AgentError, match=r"engine fake played 'h8', which is refused \(occupied\)"):
        choose("gtp", moves="a15 b15 h8 i8", game=games.load("gomoku"))


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
def test_an_engine_is_killed_with_the_programs_that_it_started(
    configure: Any, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = configure(protocol, "parents")
    player = registry.load_agent("external", games.load(GAMES[protocol]))
    silent_when(monkeypatch, lambda: marks.exists() and marks.read_text())
    with pytest.raises(AgentError, match="gave no answer in time"):
        choose(protocol, player)
    child = Path(f"/proc/{marks.read_text()}/stat")
    deadline_s = engine_protocols.deadline_in(10.0)
    while child.exists() and child.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline_s, "the engine's child is alive"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("protocol", "game", "rule"),
    [
        ("gtp", "gomoku", ("renju", "true")),
        ("gtp", "gomoku", ("exact_five", "true")),
        ("gtp", "gomoku", ("caro", "true")),
        ("gtp", "gomoku", ("opening", "swap")),
        ("gomocup", "gomoku", ("swap2", "true")),
        ("uci", "morris", ("one_time_mills", "true")),
    ],
)
def test_the_rule_that_a_protocol_cannot_tell_is_named(
    configure: Any, protocol: str, game: str, rule: tuple[str, str]
) -> None:
    configure(protocol, "good", game=game)
    under_these = games.load(game, dict([rule]))
    with pytest.raises(AgentError, match=rf"does not play .*: {protocol} cannot tell engine fake of {'='.join(rule)}"):
        registry.load_agent("external", under_these, {"engine": "fake"})
    assert not registry.find("external").plays(under_these)


def test_a_long_life_with_gtp_keeps_one_games_lines(configure: Any) -> None:
    configure("gtp", "good")
    game = games.load("reversi")
    player = registry.load_agent("external", game)
    for first in "d3 c4 f5 e6".split():
        position = line_of_play(game, [first])[-1]
        while game.outcome(position) is None:
            answer = player.choose(position, Limits(), threading.Event())
            position = game.apply(position, answer.move)
    assert 60 < len(player._protocol._lines) <= engine_protocols.MAX_KNOWN


def test_an_engine_that_fails_again_and_again_is_not_started_any_more(configure: Any) -> None:
    marks = configure("nboard", "dies")
    player = registry.load_agent("external", games.load("reversi"))
    for _ in range(MAX_FAILURES // ATTEMPTS):
        with pytest.raises(AgentError, match="engine fake ended with status 3"):
            choose("nboard", player)
    with pytest.raises(AgentError, match=f"failed {MAX_FAILURES} times in a row and is not started any more"):
        choose("nboard", player)
    assert starts(marks) == MAX_FAILURES


def test_stop_ends_the_wait_for_a_stalling_engine(configure: Any) -> None:
    configure("gomocup", "stalls")
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    game = games.load("gomoku")
    player = registry.load_agent("external", game)
    answer = player.choose(game.initial(), Limits(time_s=600), stop)
    assert answer.move in game.legal_moves(game.initial())
    assert stop.is_set()


def test_without_a_configured_engine_it_plays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(engines.FILE_VARIABLE, raising=False)
    assert registry.games_of("external") == ()
    told = r"does not play .*: no engine is known; --engines or KIBITZER_ENGINES names a file"
    with pytest.raises(AgentError, match=told):
        registry.load_agent("external", games.load("reversi"))


def test_an_engine_that_is_not_there_is_named(configure: Any, tmp_path: Path) -> None:
    configure("nboard", "good")
    with pytest.raises(AgentError, match="no engine 'other'; there are fake"):
        registry.load_agent("external", games.load("reversi"), {"engine": "other"})
    (tmp_path / "engines.toml").write_text('[engines.gone]\nprotocol = "nboard"\ncommand = ["/nonexistent/engine"]\n')
    with pytest.raises(AgentError, match="engine gone cannot be started"):
        choose("nboard")


def test_rules_that_a_protocol_cannot_carry_are_not_played(configure: Any) -> None:
    configure("gomocup", "good")
    agent = registry.find("external")
    assert agent.plays(games.load("gomoku", {"exact_five": True}))
    assert not agent.plays(games.load("gomoku", {"swap2": True}))
    assert not agent.plays(games.load("reversi"))


def test_a_line_that_an_engine_does_not_read_is_an_error_not_a_wait() -> None:
    process = EngineProcess([sys.executable, "-c", "import time; time.sleep(600)"])
    with pytest.raises(EngineError, match="does not read its input"):
        for _ in range(100):
            process.say("x" * 4000)
    process.close()
    assert not process.runs


def test_a_late_answer_is_no_answer() -> None:
    process = EngineProcess([sys.executable, "-c", "print('early', flush=True); import time; time.sleep(600)"])
    assert process.hear(engine_protocols.deadline_in(20.0)) == "early"
    with pytest.raises(EngineError, match="gave no answer in time; its last line was 'early'"):
        process.hear(time.monotonic())
    process.close()


@pytest.mark.parametrize("read", [False, True])
def test_an_engine_that_ends_is_named_with_its_status_and_its_last_words(read: bool) -> None:
    wait = "read line; " if read else ""
    process = EngineProcess(["sh", "-c", f"{wait}echo 'libfoo.so.1: no such file' >&2; exit 127"])
    with pytest.raises(EngineError, match=r"^ended with status 127: 'libfoo\.so\.1: no such file'$"):
        while not read and process.runs:
            time.sleep(0.01)
        process.say("uci")
        process.hear(time.monotonic() + 20.0)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only GRhino is installed: a program of that name which notes how it was called."""
    monkeypatch.setattr(known, "FOLDERS", ())
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program, called = tmp_path / "gtp-rhino", tmp_path / "called"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {called}\nPYTHONPATH={ROOT} exec {sys.executable} {ENGINE} gtp good\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    return called


@pytest.mark.parametrize("engine", known.known(), ids=lambda engine: engine.name)
def test_every_engine_of_the_file_can_be_started_at_eight_levels(
    engine: KnownEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KnownEngine, "path", "/usr/games/program")
    assert (
        engine.protocol in protocols.NAMES and engine.package and len({len(of) for of in engine.levels.values()}) == 1
    )
    at = [engine.at(level) for level in range(1, 9)]
    assert len({len(one.command) for one in at}) == 1 and at[0] != at[7]
    assert not any("{" in word for one in at for word in (*one.command, *one.options, *one.options.values()))
    assert registry.find(engine.name).name == engine.name


def test_an_installed_engine_plays_at_its_level_and_a_missing_one_is_named(installed: Path) -> None:
    game = games.load("reversi")
    for level, argument in ((1, "--level=1"), (8, "--level=5")):
        player = registry.load_agent("GRhino", game, {"level": level})
        answer = player.choose(game.initial(), Limits(time_s=1.0), threading.Event())
        assert answer.move in game.legal_moves(game.initial())
        assert installed.read_text("utf-8").splitlines()[-1] == argument
        player.close()  # type: ignore[attr-defined]
    assert registry.games_of("GRhino") == ("reversi",)
    told = agents_cli.catalogue(("reversi",))
    assert {"name": "GRhino", "game": "reversi", "package": "grhino", "installed": True} in told["known"]
    (installed.parent / "gtp-rhino").unlink()
    assert not registry.games_of("GRhino")
    with pytest.raises(AgentError, match="gtp-rhino is not installed: apt install grhino"):
        registry.load_agent("GRhino", game)
    told = agents_cli.catalogue(("reversi",))
    assert "GRhino" not in [agent["name"] for agent in told["agents"]]
    assert json.loads(json.dumps(told["known"]))[0]["installed"] is False


def test_the_processor_time_of_an_engine_is_its_own_and_its_childrens() -> None:
    burn = "import time\nwhile time.process_time() < 0.2: pass\n"
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])\n{burn}print('burnt')\ninput()"
    process = EngineProcess([sys.executable, "-u", "-c", code])
    process.expect("burnt", engine_protocols.deadline_in(60))
    assert process.processor_s >= 0.3  # of two times 0.2, which the system counts in hundredths
    process.close()


def test_what_an_engine_does_once_is_no_processor_time_of_a_move(configure: Any) -> None:
    configure("nboard", "slow")
    game = games.load("reversi")
    player, position = Player(players.parse("external:processor_s=0.05"), game), game.initial()
    used_s = 0.0
    for _ in range(3):
        position = game.apply(position, player.choose(position).move)
        used_s += player.processor_s
    assert used_s < 0.3  # of the start, 0.3 for its greeting and 0.3 for its first move


def test_the_clock_of_an_engine_goes_on_when_it_is_started_again(configure: Any) -> None:
    configure("nboard", "slow")
    game, stop = games.load("reversi"), threading.Event()
    agent = registry.load_agent("external", game)
    agent.choose(game.initial(), Limits(), stop)
    used_s = agent.processor_s()
    assert used_s >= 0.25  # what comes before its first move, as nobody rehearsed
    agent.close()  # type: ignore[attr-defined]
    assert agent.processor_s() == pytest.approx(used_s, abs=0.02)
    agent.prepare(stop)
    assert used_s - 0.02 <= agent.processor_s() <= used_s + 0.35  # the burn after the greeting, but no start
    agent.close()  # type: ignore[attr-defined]


def test_an_engine_whose_start_fails_is_started_again_for_its_move(
    configure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure("gtp", "good")
    agent, greet, tried = registry.load_agent("external", games.load("reversi"), {"engine": "fake"}), [], []
    greet.append(agent._protocol.greet)  # type: ignore[attr-defined]

    def fail_once(*words: Any) -> None:
        tried.append(1)
        if len(tried) == 1:
            raise KeyError("no protocol")
        greet[0](*words)

    monkeypatch.setattr(agent._protocol, "greet", fail_once)  # type: ignore[attr-defined]
    game, stop = games.load("reversi"), threading.Event()
    agent.prepare(stop)
    assert agent._process is None  # type: ignore[attr-defined]
    assert agent.choose(game.initial(), Limits(), stop).move in game.legal_moves(game.initial()) and len(tried) == 2
    agent.close()  # type: ignore[attr-defined]
