"""Games between agents: openings, colours, faults, hidden hands, records, and who plays them."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import games
from agents import players, registry
from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.arena import openings, play
from agents.arena.match import Pairing, Terms, pairing
from agents.arena.openings import Opening, OpeningError
from agents.arena.play import Abandoned, Job, Played, Use
from agents.arena.record import GameRunner, Record, RecordError
from agents.arena.report import points_of, summary
from agents.jobs import Backend
from rules import AnyGame, MoveError
from rules.options import rule
from rules.turns import line_of_play

MORRIS, DOMINOES = games.load("morris"), games.load("dominoes")
SEEN: list[Any] = []
"""Positions that the agents below were shown."""


class Scripted(GameAgent):
    """An agent for the tests: plays the first legal move, unless a subclass does otherwise."""

    name = "scripted"

    @dataclasses.dataclass(frozen=True)
    class Options:
        seed: int = rule(0, "nothing", minimum=0, maximum=2**31)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        SEEN.append((self.game.to_move(position), position))
        return Answer(self.move(position, stop), 0.0, 7, 3, 0.0, ())

    def move(self, position: Any, stop: threading.Event) -> Any:
        return self.game.legal_moves(position)[0]


class Crashing(Scripted):
    name = "crashing"

    def move(self, position: Any, stop: threading.Event) -> Any:
        raise ZeroDivisionError("a bug")


class Cheating(Scripted):
    name = "cheating"

    def move(self, position: Any, stop: threading.Event) -> Any:
        taken = next(cell for cell, man in enumerate(self.game.board(position)) if man != ".")
        return self.game.legal_moves(position)[0]._replace(to=taken)


class Absent(Scripted):
    name = "absent"

    def __init__(self, game: AnyGame, options: Any = None) -> None:
        raise AgentError("the engine is not installed")


class Dawdling(Scripted):
    name = "dawdling"

    def move(self, position: Any, stop: threading.Event) -> Any:
        assert stop.wait(20)
        return super().move(position, stop)


class Sharing(Scripted):
    """Thinks as long as it may on a processor of which it gets a third; on a clock of its own."""

    name = "sharing"
    clock_s = 0.0

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        assert limits.time_s is not None
        Sharing.clock_s += limits.time_s
        return super().choose(position, limits, stop)

    def processor_s(self) -> float:
        return self.clock_s / 3


@pytest.fixture(autouse=True)
def agents_of_the_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    real = registry._classes()
    found = {agent.name: agent for agent in (Scripted, Crashing, Cheating, Absent, Dawdling, Sharing)}
    monkeypatch.setattr(registry, "_classes", lambda: {**real, **found})
    SEEN.clear()
    yield
    play._prepare.cache_clear()


def meet(a: str, b: str, count: int = 2, **terms: Any) -> Pairing:
    chosen = Terms(terms.pop("game", MORRIS), **terms)
    return pairing(chosen, players.parse(a), players.parse(b), count)


def played(met: Pairing) -> dict[str, Played]:
    return {job.id: play.play(job) for job in met.jobs}


def test_openings_are_legal_seeded_different_and_leave_the_game_open() -> None:
    found = openings.drawn(MORRIS, 3, 1, 40)
    assert found == openings.drawn(MORRIS, 3, 1, 40) != openings.drawn(MORRIS, 3, 2, 40)
    assert found[:10] == openings.drawn(MORRIS, 3, 1, 10)
    assert len({MORRIS.format_position(opening.position(MORRIS)) for opening in found}) == 40
    assert all(len(opening.moves) == 3 and MORRIS.outcome(opening.position(MORRIS)) is None for opening in found)
    few = openings.drawn(MORRIS, 1, 1, 30)  # more than there are: they begin again
    assert len(few) == 30 and len(set(few)) == 24
    with pytest.raises(OpeningError, match="no opening of 400 plies"):
        openings.drawn(DOMINOES, 400, 1, 1)


def test_openings_of_a_file_are_checked_and_come_round_again(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two\nd2 f4  # a comment\n\na1\n", encoding="utf-8")
    found = openings.read(MORRIS, path, 1, 3)
    assert [opening.moves for opening in found] == [("d2", "f4"), ("a1",), ("d2", "f4")]
    path.write_text("d2 f4\nd2 d2\n", encoding="utf-8")
    with pytest.raises(OpeningError, match="line 2"):
        openings.read(MORRIS, path, 1, 1)
    path.write_text("# none\n", encoding="utf-8")
    with pytest.raises(OpeningError, match="no opening"):
        openings.read(MORRIS, path, 1, 1)
    with pytest.raises(OpeningError, match="cannot be read"):
        openings.read(MORRIS, tmp_path / "nowhere", 1, 1)


def test_every_opening_is_played_twice_with_the_sides_exchanged() -> None:
    met = meet("random", "scripted", 20)
    for one, two in zip(met.jobs[::2], met.jobs[1::2], strict=True):
        assert one.opening == two.opening
        assert one.players == (met.a, met.b) == two.players[::-1]
        assert one.seeds == two.seeds[::-1]
    assert len({job.id for job in met.jobs}) == 20
    with pytest.raises(ValueError, match="even number"):
        meet("random", "scripted", 3)


def test_the_same_deal_is_played_twice_in_dealt_games() -> None:
    met = meet("random", "random", 6, game=DOMINOES)
    deals = [job.opening.deal for job in met.jobs]
    assert deals[::2] == deals[1::2] and len(set(deals)) == 3
    assert all(job.opening.moves == () for job in met.jobs)
    one, two = (job.opening.position(DOMINOES) for job in met.jobs[:2])
    assert one == two and one.hands[0] is not None


def test_nobody_is_shown_the_hand_of_the_other_or_what_is_in_the_bag() -> None:
    met = meet("scripted", "scripted", 2, game=DOMINOES)
    play.play(met.jobs[0])
    assert len(SEEN) > 10
    for side, position in SEEN:
        assert position.hands[side] is not None
        assert position.hands[1 - side] is None
        assert position.order is None


def test_a_game_is_the_same_whenever_it_is_played() -> None:
    met = meet("random", "alphabeta:depth=1", 4)
    once, again = played(met), played(met)
    assert [game.moves for game in once.values()] == [game.moves for game in again.values()]
    other = played(meet("random", "alphabeta:depth=1", 4, seed=2))
    assert [game.moves for game in once.values()] != [game.moves for game in other.values()]


def test_a_seed_in_the_players_text_is_left_alone() -> None:
    given = play.player(players.parse("scripted:seed=5"), MORRIS, 9)
    drawn = play.player(players.parse("scripted"), MORRIS, 9)
    assert given._agent.options.seed == 5  # type: ignore[attr-defined]
    assert drawn._agent.options.seed == 9  # type: ignore[attr-defined]


def test_the_moves_of_a_finished_game_lead_to_its_result() -> None:
    met = meet("random", "scripted", 6, seed=3)
    for job in met.jobs:
        game = play.play(job)
        line = line_of_play(MORRIS, game.moves.split())
        outcome = MORRIS.outcome(line[-1])
        assert outcome is not None and (outcome.winner, outcome.reason) == (game.winner, game.reason)
        assert len(line) - 1 == game.plies == 4 + sum(use.moves for use in game.uses)


def test_what_was_spent_is_counted_for_the_side_that_spent_it() -> None:
    began_s = time.perf_counter()
    game = play.play(meet("scripted", "random").jobs[0])
    assert sum(use.seconds for use in game.uses) <= time.perf_counter() - began_s
    scripted, drawn = game.uses
    assert scripted.nodes == 7 * scripted.moves and scripted.depths == 3 * scripted.moves
    assert drawn.nodes == drawn.moves and drawn.depths == 0
    assert 0 < scripted.longest_s <= scripted.seconds
    assert Use().plus(1.0, 5, 2, True).plus(3.0, 1, 4, False) == Use(2, 4.0, 3.0, 6, 6, 1)


def test_a_limit_of_processor_time_is_kept_on_a_machine_that_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "time", SimpleNamespace(perf_counter=lambda: Sharing.clock_s))
    spec = players.parse("sharing:processor_s=0.5")
    assert players.parse(spec.text) == spec
    player, spent = players.Player(spec, MORRIS), []
    for _ in range(4):
        player.choose(MORRIS.initial())
        spent.append(player.processor_s)
    assert spent == pytest.approx([0.5 / 3, 0.5, 0.5, 0.5])  # nothing is known of the machine at the first move


@pytest.mark.parametrize("word", ["processor_s=0", "processor_s=x", "processor_s=1,time_s=1"])
def test_a_limit_of_processor_time_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(AgentError, match="processor_s"):
        players.parse(f"random:{word}")


@pytest.mark.parametrize(
    ("agent", "reason", "said"),
    [
        ("crashing", "agent_failed", "ZeroDivisionError: a bug"),
        ("cheating", "illegal_move", "Move(to="),
        ("absent", "agent_failed", "not installed"),
    ],
)
def test_an_agent_that_fails_or_cheats_loses_and_is_named(agent: str, reason: str, said: str) -> None:
    met = meet(agent, "scripted")
    found = played(met)
    assert all(met.half_points(job, found[job.id]) == 0 for job in met.jobs)
    assert {game.reason for game in found.values()} == {reason}
    for game in found.values():
        assert game.fault is not None and game.fault.startswith(f"{agent}: ply ")
        assert said in game.fault
    told = summary(met, found)
    assert told.tally.losses == 2 and len(told.faults) == 2 and told.reasons == {reason: 2}


def test_a_long_game_is_a_draw_and_is_counted() -> None:
    met = meet("random", "scripted", max_plies=10)
    found = played(met)
    assert {(game.winner, game.reason, game.plies) for game in found.values()} == {(None, "max_plies", 10)}
    assert summary(met, found).reasons == {"max_plies": 2}


def test_results_are_counted_as_the_first_player_sees_them_whatever_its_side() -> None:
    met = meet("random", "scripted", 4)
    blank = play.play(met.jobs[0])
    winners = {met.jobs[0].id: 0, met.jobs[1].id: 0, met.jobs[2].id: None, met.jobs[3].id: 1}
    found = {id_: dataclasses.replace(blank, id=id_, winner=winner) for id_, winner in winners.items()}
    told = summary(met, found)
    assert (told.tally.wins, told.tally.draws, told.tally.losses) == (2, 1, 1)
    assert (told.as_first.wins, told.as_first.draws, told.as_first.losses) == (1, 1, 0)
    assert (told.as_second.wins, told.as_second.draws, told.as_second.losses) == (1, 0, 1)
    assert told.pairs == (0, 0, 1, 1, 0)
    del found[met.jobs[3].id]
    assert summary(met, found).pairs == (0, 0, 1, 0, 0)


def test_points_are_compared_by_deal() -> None:
    # By hand: leads 1, 2, 3: mean 2, standard deviation 1, standard error 1/sqrt(3), t = 2 sqrt(3).
    found = points_of([1, 2, 3])
    assert found is not None
    assert (found.mean, found.error) == (2, pytest.approx(3**-0.5))
    assert found.t == pytest.approx(2 * 3**0.5)
    assert found.p == pytest.approx(5.32e-4, rel=1e-2)
    assert points_of([1]) is None
    met = meet("greedy" if "greedy" in registry.names() else "alphabeta:depth=1", "random", 8, game=DOMINOES)
    told = summary(met, played(met))
    assert told.points is not None and told.points.mean > 0


def test_a_record_is_written_game_by_game_and_nothing_in_it_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met, path = meet("random", "scripted", 6), tmp_path / "games.jsonl"
    asked: list[str] = []

    def counted(job: Job, stop: threading.Event | None = None) -> Played:
        asked.append(job.id)
        return play.play(job, stop)

    monkeypatch.setattr("agents.arena.record.play", counted)
    with Record({"seed": 1}, path) as record:
        GameRunner(record).play(met.jobs[:4])
        kept = dict(record.played)
        assert len(path.read_text().splitlines()) == 5
    with Record({"seed": 1}, path) as record:
        assert record.played == kept and record.found == 4
        GameRunner(record).play(met.jobs)
        GameRunner(record).play(met.jobs)
    assert sorted(asked) == sorted(job.id for job in met.jobs)
    assert len(path.read_text().splitlines()) == 7


def test_a_torn_last_line_is_dropped_and_its_game_played_again(tmp_path: Path) -> None:
    met, path = meet("random", "scripted", 4), tmp_path / "games.jsonl"
    with Record({}, path) as record:
        GameRunner(record).play(met.jobs)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with Record({}, path) as record:
        assert record.found == 3
        GameRunner(record).play(met.jobs)
    again = [json.loads(line) for line in path.read_text().splitlines()]
    assert [game["moves"] for game in again[1:]] == [json.loads(line)["moves"] for line in whole.splitlines()[1:]]
    path.write_bytes(b'{"format":"kibitzer-ar')
    with Record({}, path) as record:
        assert record.found == 0
    assert len(path.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"format":"kibitzer-arena-1","seed":2,"players":["a"]}\n', "seed is 2 there and 1 here"),
        ('{"format":"kibitzer-arena-1","seed":1,"players":["b"]}\n', 'players is \\["b"\\] there'),
        ('{"format":"kibitzer-arena-1","seed":1,"players":["a"],"more":1}\n', "more is 1 there and null here"),
        ('{"format":"other"}\n', "no record of an arena"),
        ("a poem\n", "no JSON"),
        ("a poem\nand its end", "no JSON"),
        ("a poem", "no record"),
        ("[]\n", "no JSON object"),
        ('{"format":"kibitzer-arena-1","seed":1,"players":["a"]}\n{"id":"1a"}\n', "line 2: no finished game"),
        ('{"format":"kibitzer-arena-1","seed":1,"players":["a"]}\nx\n{}\n', "line 2: no JSON"),
    ],
)
def test_a_file_of_other_settings_or_none_at_all_is_refused_and_not_touched(
    tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(content)
    with pytest.raises(RecordError, match=said):
        Record({"seed": 1, "players": ["a"]}, path)
    assert path.read_text() == content


def test_two_arenas_do_not_write_the_same_file(tmp_path: Path) -> None:
    with Record({}, tmp_path / "games.jsonl"), pytest.raises(RecordError, match="another arena"):
        Record({}, tmp_path / "games.jsonl")
    with pytest.raises(RecordError, match="directory"):
        Record({}, tmp_path)


def test_every_term_that_changes_games_changes_the_settings(tmp_path: Path) -> None:
    spec = [players.parse("random")]
    file = tmp_path / "openings.txt"
    file.write_text("d2\n")
    plain = Terms(MORRIS)
    others = [
        Terms(games.load("morris", {"flying": True})),
        Terms(DOMINOES),
        Terms(MORRIS, seed=2),
        Terms(MORRIS, opening_plies=5),
        Terms(MORRIS, file=file),
        Terms(MORRIS, max_plies=7),
    ]
    assert all(other.settings(spec) != plain.settings(spec) for other in others)
    assert plain.settings(spec) != plain.settings([players.parse("random:seed=1")])


def test_a_stopped_game_has_no_result_and_ends_at_once() -> None:
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(Abandoned):
        play.play(meet("dawdling", "scripted").jobs[0], stop)


def test_ctrl_c_keeps_what_was_played_and_stops_the_game_under_way(tmp_path: Path) -> None:
    met, path = meet("random", "scripted", 6), tmp_path / "games.jsonl"

    def interrupt(job: Job, game: Played) -> None:
        if len(record.played) == 2:
            raise KeyboardInterrupt

    with Record({}, path) as record, pytest.raises(KeyboardInterrupt):
        GameRunner(record, watch=interrupt).play(met.jobs)
    with Record({}, path) as record:
        assert record.found == 2
    assert not [thread for thread in threading.enumerate() if thread.name == "jobs" and not _ends(thread)]


def _ends(thread: threading.Thread) -> bool:
    thread.join(5)
    return not thread.is_alive()


@pytest.mark.parametrize("threads", [1, 2])
def test_enough_ends_the_play(threads: int) -> None:
    met, record = meet("random", "scripted", 20), Record({})
    GameRunner(record, Backend("threading", threads)).play(met.jobs, lambda: len(record.played) >= 3)
    assert len(record.played) == 3


def test_only_whole_openings_up_to_the_first_gap_count_for_the_sequential_test() -> None:
    met = meet("random", "scripted", 6)
    found = played(met)
    assert met.first_pairs(found) == met.pairs(found)
    del found[met.jobs[2].id]
    assert len(met.pairs(found)) == 2 and len(met.first_pairs(found)) == 1


def test_an_error_in_the_thread_of_the_games_is_raised_where_they_are_gathered() -> None:
    job = dataclasses.replace(meet("random", "scripted").jobs[0], opening=Opening(None, ("d2", "d2")))
    with pytest.raises(MoveError):
        GameRunner(Record({})).play([job])


def test_many_processes_play_the_same_games_as_one() -> None:
    met = meet("random", "alphabeta:depth=1", 6)
    alone, together = Record({}), Record({})
    GameRunner(alone).play(met.jobs)
    GameRunner(together, Backend("loky", 2)).play(met.jobs)
    assert set(alone.played) == set(together.played)
    assert all(alone.played[id_].moves == together.played[id_].moves for id_ in alone.played)
