"""Round robins, knock-outs, the ladder of the levels, and the commands of `kibitzer arena`."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents import heuristics, players
from agents.arena import bracket, plot, standings
from agents.arena.bracket import Depths, KnockOut, first_round, judge
from agents.arena.match import Pairing, Terms, pairing
from agents.arena.play import Played, Use
from agents.arena.record import GameRunner, Record
from agents.arena_cli import app

MORRIS = games.load("morris")
RUN = CliRunner()


def specs(*texts: str) -> list[players.PlayerSpec]:
    return [players.parse(text) for text in texts]


def decided(met: Pairing, halves: list[int], plies: list[int] | None = None) -> dict[str, Played]:
    """Results that give the first player of the pairing those half points."""
    found = {}
    for number, (job, half) in enumerate(zip(met.jobs, halves, strict=True)):
        winner = None if half == 1 else int((half == 2) != met.a_is_first(job))
        length = 30 if plies is None else plies[number]
        found[job.id] = Played(job.id, winner, "two_men_left", length, None, None, (Use(), Use()), None, "")
    return found


@pytest.mark.parametrize(
    ("halves", "plies", "wins", "as_second", "winner", "decided_by"),
    [  # a begins the first, third, ... game
        ([2, 2, 0, 1], None, (2, 1), (1, 1), 3, "wins"),
        ([0, 0, 0, 2], None, (1, 3), (1, 2), 5, "wins"),
        ([1, 2, 1, 0], None, (1, 1), (1, 0), 3, "wins_as_second"),
        ([0, 1, 2, 1], None, (1, 1), (0, 1), 5, "wins_as_second"),
        ([2, 0, 1, 1], [50, 30, 20, 20], (1, 1), (0, 0), 5, "fewer_plies"),
        ([1, 1], None, (0, 0), (0, 0), 3, "listed_first"),
    ],
)
def test_wins_then_those_as_second_player_then_shorter_ones_then_the_list_decide(
    halves: list[int], plies: list[int] | None, wins: object, as_second: object, winner: int, decided_by: str
) -> None:
    met = pairing(Terms(MORRIS), *specs("random", "alphabeta"), len(halves))
    found = judge(3, 5, {"": met}, decided(met, halves, plies))
    assert (found.wins, found.wins_as_second, found.winner, found.decided_by) == (wins, as_second, winner, decided_by)
    assert found.draws == halves.count(1)


@pytest.mark.parametrize(
    ("count", "meetings", "byes"),
    [(2, [(0, 1)], []), (3, [(1, 2)], [0]), (6, [(2, 3), (4, 5)], [0, 1]), (8, [(0, 1), (2, 3), (4, 5), (6, 7)], [])],
)
def test_neighbours_meet_and_the_first_listed_are_let_through(
    count: int, meetings: list[tuple[int, int]], byes: list[int]
) -> None:
    assert first_round(count) == (meetings, byes)


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_a_knock_out_plays_one_meeting_less_than_it_has_players(count: int) -> None:
    names = [f"alphabeta:depth=1,table_mb={size}" for size in range(1, count)] + ["random"]
    knock_out = KnockOut(Terms(MORRIS), specs(*names), 2, [])
    record = Record({})
    assert knock_out.result(record.played).champion is None
    knock_out.play(GameRunner(record))
    found = knock_out.result(record.played)
    assert sum(len(meetings) for meetings in found.rounds) == count - 1
    assert len(record.played) == 2 * (count - 1)
    assert found.champion is not None and found.champion == found.rounds[-1][0].winner
    assert found.as_json()["champion_player"] == found.players[found.champion]
    assert "champion: " in bracket.lines_of(found)[-1]


def test_every_part_of_a_meeting_is_played_at_its_own_depths_and_by_both_first() -> None:
    parts = [Depths.parse(text) for text in "3/3,3/5,5/5,5/7".split(",")]
    knock_out = KnockOut(Terms(MORRIS), specs("alphabeta:heuristic=best", "alphabeta:heuristic=mill_men"), 40, parts)
    met = knock_out.pairings(1, 0, 1)
    assert [len(part.jobs) for part in met.values()] == [10, 10, 10, 10]
    for part, wanted in zip(met.values(), parts, strict=True):
        assert [part.a_is_first(job) for job in part.jobs] == [True, False] * 5
        for job in part.jobs:
            for spec in job.players:
                assert dict(spec.options)["opening_depth"] == str(wanted.opening)
                assert dict(spec.options)["depth"] == str(wanted.other)
    openings = [job.opening for part in met.values() for job in part.jobs]
    assert len(set(openings)) == 20


@pytest.mark.parametrize("text", ["", "0/3", "3/", "a", "3/3/3", "101", "-1", "3/ 5 x"])
def test_depths_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="--depths"):
        Depths.parse(text)
    assert [Depths.parse(word).text for word in ("3/5", "4")] == ["3/5", "4"]


def test_a_knock_out_refuses_what_it_cannot_share_out() -> None:
    two = specs("alphabeta", "random")
    depths = [Depths(3, 3), Depths(3, 5)]
    with pytest.raises(ValueError, match="multiple of 4"):
        KnockOut(Terms(MORRIS), specs("alphabeta", "alphabeta:seed=1"), 6, depths)
    with pytest.raises(ValueError, match="two players"):
        KnockOut(Terms(MORRIS), two[:1], 2, [])
    with pytest.raises(ValueError, match="twice"):
        KnockOut(Terms(MORRIS), [*two, two[0]], 2, [])
    with pytest.raises(ValueError, match="names its depth"):
        KnockOut(Terms(MORRIS), specs("alphabeta:depth=2", "alphabeta"), 4, depths)


def test_everybody_meets_everybody_over_the_same_openings() -> None:
    met = standings.round_robin(Terms(MORRIS), specs("random", "alphabeta", "level-1"), 4)
    assert sorted(met) == [(0, 1), (0, 2), (1, 2)]
    assert len({tuple(job.opening for job in one.jobs) for one in met.values()}) == 1
    assert len({job.id for one in met.values() for job in one.jobs}) == 12


def test_the_cross_table_adds_up() -> None:
    three = specs("random", "alphabeta", "level-1")
    met = standings.round_robin(Terms(MORRIS), three, 2)
    played = {**decided(met[0, 1], [0, 0]), **decided(met[0, 2], [1, 2]), **decided(met[1, 2], [2, 2])}
    found = standings.table(three, met, played)
    assert [(place.tally.wins, place.tally.draws, place.tally.losses) for place in found.places] == [
        (1, 1, 2), (4, 0, 0), (0, 1, 3)
    ]  # fmt: skip
    assert found.ranking == [1, 0, 2]
    beaten = found.places[0].against[1]
    assert found.places[1].against[1] is None and beaten is not None and beaten.losses == 2
    elos = [found.places[number].rating.elo for number in found.ranking]
    assert elos == sorted(elos, reverse=True) and sum(elos) == pytest.approx(0, abs=1e-6)
    assert [line.split()[1] for line in standings.table_lines(found)[1:]] == ["alphabeta", "random", "level-1"]
    assert found.as_json()["places"][0]["points"] == 4


def test_a_level_is_won_with_sixty_of_a_hundred_points() -> None:
    terms = Terms(MORRIS)
    met = standings.ladder(terms, 10, 2, 2)
    just = standings.steps(terms, met, decided(met[2], [2] * 6 + [0] * 4))
    missed = standings.steps(terms, met, decided(met[2], [2] * 5 + [1] + [0] * 4))
    assert just[0].is_won and not missed[0].is_won
    assert "under 60 %" in standings.ladder_lines(missed)[1] and "under" not in standings.ladder_lines(just)[1]
    assert met[2].a.text == "level-2" and met[2].b.text == "level-1"
    with pytest.raises(ValueError, match="2 to 8"):
        standings.ladder(terms, 10, 1, 9)


def test_pictures_are_drawn_as_png_and_svg(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    terms, three = Terms(MORRIS), specs("random", "alphabeta", "level-1")
    plot.match(tmp_path / "match.png", "title", [4, 2, 0, 3])
    met = standings.round_robin(terms, three, 2)
    plot.ratings(tmp_path / "table.svg", "title", standings.table(three, met, {}))
    ladder = standings.ladder(terms, 2, 2, 3)
    plot.levels(tmp_path / "levels.svg", "title", standings.steps(terms, ladder, {}), 0.6)
    assert (tmp_path / "match.png").read_bytes()[:4] == b"\x89PNG"
    assert all("<svg" in (tmp_path / name).read_text() for name in ("table.svg", "levels.svg"))
    for name, said in (("match.doc", "ends in"), ("nowhere/match.png", "no folder")):
        with pytest.raises(plot.PlotError, match=said):
            plot.check(tmp_path / name)


def run(*words: str) -> tuple[int, Any, str]:
    result = RUN.invoke(app, list(words))
    return (
        result.exit_code,
        json.loads(result.stdout) if result.stdout.startswith("{") else result.stdout,
        result.stderr,
    )


def test_a_match_tells_its_result_as_json_and_goes_on_with_its_file(tmp_path: Path) -> None:
    words = ["match", "alphabeta:depth=1", "random", "--game", "morris", "--json", "--out", str(tmp_path / "a.jsonl")]
    status, found, _ = run(*words, "--games", "4")
    assert status == 0
    assert found["players"] == ["alphabeta:depth=1", "random"]
    assert found["games"] == 4 == sum(found["tally"].values()) and sum(found["pairs"]) == 2
    again, more, told = run(*words, "--games", "6")
    assert again == 0 and more["games"] == 6 and "4 games are in" in told
    assert run(*words, "--games", "6", "--seed", "2")[0] == 2
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    assert len(lines) == 7 and json.loads(lines[0])["seed"] == 1


def test_a_match_stops_when_the_sequential_test_has_decided() -> None:
    _, found, _ = run(
        "match", "alphabeta:depth=2", "random", "--game", "morris", "--games", "200", "--sprt", "0,200", "--json"
    )  # fmt: skip
    assert found["sprt"]["accepted"] == "elo1" and found["games"] < 100


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["match", "nobody", "random", "--game", "morris"], "no agent 'nobody'"),
        (["match", "random", "random:depth=x", "--game", "morris"], "depth is a whole number"),
        (["match", "random", "alphabeta:heuristic=luck", "--game", "morris"], "no heuristic 'luck'"),
        (["match", "random", "random", "--game", "ludo"], "no game 'ludo'"),
        (["match", "random", "random", "--game", "morris", "--rule", "men=99"], "between 3 and 12"),
        (["match", "random", "random", "--game", "morris", "--games", "3"], "even number"),
        (["match", "random", "random", "--game", "morris", "--sprt", "1"], "elo0,elo1"),
        (["match", "random", "random", "--game", "morris", "--openings", "/nowhere"], "No such file"),
        (["match", "random", "random", "--game", "morris", "--backend", "slurm"], "no backend"),
        (["match", "random", "random", "--game", "morris", "--plot", "a.doc"], "ends in"),
        (["round-robin", "random", "--game", "morris"], "two players"),
        (["bracket", "--game", "morris", "--depths", "x"], "--depths"),
        (["bracket", "--game", "morris", "--games", "6", "--depths", "1,2"], "multiple of 4"),
        (["levels", "--game", "morris", "--lowest", "5", "--highest", "4"], "2 to 8"),
    ],
)
def test_bad_input_is_one_line_and_status_two(words: list[str], said: str) -> None:
    status, found, told = run(*words)
    assert status == 2 and found == ""
    assert said in told and "Traceback" not in told and len(told.splitlines()) == 1


def test_the_bracket_takes_all_heuristics_of_the_game_by_itself() -> None:
    status, found, _ = run("bracket", "--game", "morris", "--games", "2", "--depths", "1/1", "--json")
    assert status == 0
    assert found["players"] == [f"alphabeta:heuristic={name}" for name in heuristics.of(MORRIS)]
    assert found["champion_player"] in found["players"] and len(found["rounds"]) == 3


def test_a_round_robin_and_the_levels_from_the_command_line() -> None:
    status, found, _ = run("round-robin", "random", "alphabeta:depth=1", "level-1", "--game", "morris", "--games", "2")
    assert status == 0 and len(found.splitlines()) == 4
    status, found, _ = run("levels", "--game", "morris", "--games", "2", "--highest", "2", "--json")
    assert status in (0, 1) and found["steps"][0]["level"] == 2


def test_a_gauntlet_meets_every_heuristic_at_the_depths_named_or_the_others_named() -> None:
    words = ("gauntlet", "random", "--game", "morris", "--games", "2")
    status, found, _ = run(*words, "--depths", "1/2", "--json")
    assert status == 0
    others = [f"alphabeta:heuristic={name},opening_depth=1,depth=2" for name in heuristics.of(MORRIS)]
    assert [one["players"] for one in found["meetings"]] == [["random", other] for other in others]
    assert all(sum(one["tally"].values()) == 2 for one in found["meetings"])
    status, found, _ = run("gauntlet", "random", "random:seed=7", "--game", "morris", "--games", "2")
    lines = found.splitlines()
    assert status == 0 and lines[0] == "random against" and lines[2].startswith("random:seed=7") and len(lines) == 3
    assert run(*words, "--depths", "none")[0] == 2


def test_a_gauntlets_depths_are_those_of_the_others_also_where_they_are_named() -> None:
    words = ("gauntlet", "random", "alphabeta", "--game", "morris", "--games", "2", "--depths", "1/1")
    status, found, _ = run(*words, "--json")
    assert status == 0
    assert [one["players"][1] for one in found["meetings"]] == ["alphabeta:opening_depth=1,depth=1"]
    status, _, told = run(*words[:2], "alphabeta:depth=2", *words[3:])
    assert status == 2 and "alphabeta:depth=2 names its depth" in told


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_tells_the_result_so_far_without_a_traceback(tmp_path: Path, jobs: str) -> None:
    path = tmp_path / "games.jsonl"
    words = ["arena", "match", "random", "alphabeta:time_s=0.02", "--game", "morris", "--games", "1000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "daemon.cli", *words, "--out", str(path), "--jobs", jobs],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    deadline_s = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline_s and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of the group gets it
    out, told = process.communicate(timeout=30)
    assert process.returncode == 130, told
    assert "so far" in told and "Traceback" not in told
    assert "won" in out
    with Record(json_settings(path), path) as record:
        assert record.found >= 2


def json_settings(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text().splitlines()[0])
    del found["format"]
    return found


def test_a_pairing_has_seeds_of_its_own_for_every_game_of_a_tournament() -> None:
    met = standings.round_robin(Terms(MORRIS), specs("random", "random:seed=1", "random:seed=2"), 4)
    seeds = [job.seeds for one in met.values() for job in one.jobs if one.a_is_first(job)]
    assert len(set(seeds)) == len(seeds)
    assert dataclasses.replace(met[0, 1]).jobs == met[0, 1].jobs
