"""Endgame tables: numbering, counts, values by the rules, files, and files that are refused."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agents.jobs import ALONE, Backend
from agents.players import parse
from agents.tables import TableError, build, files, numbering, slots
from agents.tables.build import Builder
from agents.tables.check import Checker, Questions, keep
from agents.tables_cli import app
from games.nine_mens_morris import Move, NineMensMorris, Position
from games.nine_mens_morris.kernel import endgame_index
from rules.symmetry import symmetries
from tests.agents.morris import morris

U = np.uint64
ORBITS = {(3, 3): 169_626, (3, 4): 760_398, (4, 3): 760_398}
"""Numbers of positions that differ under all 16 symmetries, by both sides' men, as counted by others."""
THREE_THREE = {"flying": (2_232_160, 455_648, 4_112, 25, 26), "plain": (1_442_092, 635_704, 614_124, 39, 38)}
"""Wins, losses, draws, longest win and longest loss with three men each, as counted by others."""


def make(game: NineMensMorris, within: Path, men: int) -> list[files.Header]:
    return Builder(game, within, lambda _what, _steps: None).build(men, Backend("threading", 2))


def test_a_position_and_all_its_images_have_one_slot() -> None:
    words, draw = numbering.index(5), random.Random(1)
    base = U(words.ctypes.data)
    for own, opp in ((3, 3), (4, 3), (3, 5), (5, 4)):
        for slot in draw.sample(range(slots.slot_count(own, opp)), 300):
            men = int(slots.position_at(base, U(own), U(opp), U(slot)))
            mine, theirs = U(men & 0xFFFFFF), U(men >> 24)
            assert endgame_index.slot_of(base, mine, theirs) == slot
            images = {
                int(slots.true_slot(base, *(endgame_index.permute(base, U(one), side) for side in (mine, theirs))))
                for one in range(16)
            }
            assert len(images) == 1
            assert images.pop() & (2**40 - 1) <= slot


def test_the_symmetries_are_those_of_the_lines() -> None:
    mills = {frozenset(cell for cell in range(24) if mill >> cell & 1) for mill in morris().mills}
    found = symmetries(morris())
    assert len(set(found)) == 16
    assert found[0] == tuple(range(24))
    for images in found:
        assert {frozenset(images[cell] for cell in mill) for mill in mills} == mills


@pytest.mark.parametrize("key", THREE_THREE)
def test_three_men_each_are_counted_as_others_have_counted_them(within: Path, key: str) -> None:
    header = files.read_header(within / f"nine_mens_morris-{key}" / "3-3.table")
    assert header.total == math.comb(24, 3) * math.comb(21, 3)
    assert THREE_THREE[key] == (header.wins, header.losses, header.draws, header.longest_win, header.longest_loss)


def test_positions_that_no_symmetry_joins_are_as_many_as_others_have_counted(within: Path) -> None:
    for headers in (files.found(one) for one in within.iterdir() if one.is_dir()):
        assert {(header.own, header.opp): header.orbits for header in headers} == ORBITS


@pytest.mark.parametrize("rules", [{}, {"flying": True}, {"flying": True, "mill_protected": True}], ids=str)
def test_every_value_follows_from_those_one_ply_on_by_the_plain_rules(within: Path, rules: dict[str, object]) -> None:
    checker = Checker(morris(**rules), within)
    for own, opp in ORBITS:
        checker.file(own, opp)
        assert checker.values(own, opp, 400, seed=3, look=lambda: None) == 400


def test_a_wrong_value_is_found_with_its_position(within: Path, tmp_path: Path) -> None:
    there = tmp_path / "nine_mens_morris-plain"
    there.mkdir()
    header, codes = files.read(within / there.name / "3-3.table", "plain", 3, 3)
    changed = np.array(codes)
    slot = int(np.flatnonzero(codes == 5)[0])
    changed[slot] = 0
    files.write(there / "3-3.table", header, changed)
    with pytest.raises(TableError, match="checksum"):
        Checker(morris(), tmp_path).file(3, 3)
    files.write(there / "3-3.table", dataclasses.replace(header, checksum=files.checksum(changed)), changed)
    with pytest.raises(TableError, match=r"table 3-3, light:[MEO]{24}0033: the code is"):
        Checker(morris(), tmp_path).values(3, 3, None, 0, lambda: None)


def test_who_is_blocked_has_lost_and_who_has_three_and_loses_one_has_lost(within: Path) -> None:
    checker = Checker(morris(), within)
    blocked = morris().parse_position("MEOOOOOOOEOOOOEOOOOOOMEM0034")  # a7, a1 and g1 are blocked
    assert checker.endgames.code(*blocked.men) == checker.code_by_the_rules(blocked) == 1
    closing = Position((0b11 | 1 << 14, 0b111 << 21), (0, 0), 0)  # a7, d7, and g4, which moves to g7
    assert checker.endgames.code(*closing.men) == 2
    assert Move(2, 14, 21) in morris().legal_moves(closing)


def test_other_rules_another_subspace_and_broken_files_are_refused_with_the_reason(
    within: Path, tmp_path: Path
) -> None:
    whole = within / "nine_mens_morris-flying" / "3-3.table"
    with pytest.raises(TableError, match=r"of the rules flying, not plain"):
        files.read(whole, "plain", 3, 3)
    with pytest.raises(TableError, match=r"is the table 3-3, not 4-3"):
        files.read(whole, "flying", 4, 3)
    path, content = tmp_path / "3-3.table", whole.read_bytes()
    for text, reason in (
        (content[:-1], "cut short"),
        (content[:500], "cut short"),
        (content + b"x", "too long"),
        (b"", "does not begin with"),
        (b"PNG" + content, "does not begin with"),
        (content.replace(b'"slots": 210140', b'"slots": "many"'), "damaged header"),
        (content[:30] + b"???" + content[33:], "damaged header"),
        (content[:-1] + bytes([content[-1] ^ 1]), "is damaged"),
    ):
        path.write_bytes(text)
        with pytest.raises(TableError, match=reason):
            files.read(path, "flying", 3, 3)
    with pytest.raises(TableError, match="No such file"):
        files.read(tmp_path / "absent.table", "flying", 3, 3)


def test_a_build_that_was_stopped_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    def report(what: str, _steps: int) -> None:
        if "written" in what:
            raise KeyboardInterrupt

    game = morris(flying=True)
    with pytest.raises(KeyboardInterrupt):
        Builder(game, tmp_path, report).build(7, ALONE)
    there = tmp_path / "nine_mens_morris-flying"
    assert [path.name for path in there.iterdir()] == ["3-3.table"]
    stamp = (there / "3-3.table").stat().st_mtime_ns
    broken = there / "3-4.table"
    broken.write_bytes(b"half a table")
    assert [(header.own, header.opp) for header in make(game, tmp_path, 7)] == [(3, 4), (4, 3)]
    assert (there / "3-3.table").stat().st_mtime_ns == stamp
    assert make(game, tmp_path, 7) == []
    assert sorted(path.name for path in there.iterdir()) == ["3-3.table", "3-4.table", "4-3.table"]


def test_one_process_at_a_time_builds_in_a_folder(tmp_path: Path) -> None:
    with build.only_builder(tmp_path, wait=False) as first, build.only_builder(tmp_path, wait=False) as second:
        assert first
        assert not second
        done = CliRunner().invoke(app, ["build", "--men", "6", "--into", str(tmp_path)])
        assert done.exit_code == 2
        assert "another process builds tables" in done.stderr
    with build.only_builder(tmp_path, wait=False) as third:
        assert third


def test_the_commands_build_list_and_check(tmp_path: Path) -> None:
    run = CliRunner().invoke
    rules = ["--rule", "flying=true", "--into", str(tmp_path)]
    built = run(app, ["build", "--men", "6", "--game", "morris", "--json", *rules])
    assert built.exit_code == 0, built.output
    header = json.loads(built.stdout)
    assert (header["own"], header["opp"], header["rules"], header["orbits"]) == (3, 3, "flying", ORBITS[3, 3])
    listed = run(app, ["list", "--json", "--into", str(tmp_path)])
    assert json.loads(listed.stdout) == header
    checked = run(app, ["check", "--states", "50", *rules])
    assert checked.exit_code == 0, checked.output
    assert "2232160 won" in checked.stdout
    assert "50 positions checked" in checked.stdout
    for words, reason in (
        (["check", "--into", str(tmp_path)], "no tables in"),
        (["check", "--men", "7", *rules], "No such file"),
        (["build", "--men", "6", "--rule", "fly=true", "--into", str(tmp_path)], "no rule option 'fly'"),
        (["build", "--men", "6", "--game", "gomoku", "--into", str(tmp_path)], "only nine_mens_morris has"),
        (["build", "--men", "6"], "KIBITZER_TABLES is empty"),
    ):
        refused = run(app, words)
        assert refused.exit_code == 2
        assert reason in refused.stderr
        assert "Traceback" not in refused.output


def test_of_moves_those_that_keep_a_positions_value_are_counted(within: Path) -> None:
    questions = Questions(morris(flying=True), within)
    asked = list(questions.draw(60, seed=1))
    assert {tuple(men.bit_count() for men in one.position.men) for one in asked} == {(3, 3), (3, 4), (4, 3)}
    assert any(one.is_open for one in asked)
    found = keep(questions, [parse("random"), parse("alphabeta:heuristic=best,depth=4")], 60, 1, lambda: None)
    chance, search = found
    assert search.positions == 60 and search.open == sum(one.is_open for one in asked)
    assert search.kept > chance.kept
    again = keep(questions, [parse("alphabeta:heuristic=best,depth=4")], 60, 1, lambda: None)
    assert again == [search]


def test_a_win_at_once_is_the_only_move_that_keeps_a_win_of_one_ply(within: Path) -> None:
    game = morris(flying=True)
    checker, questions = Checker(game, within), Questions(game, within)
    for question in questions.draw(200, seed=2):
        if checker.endgames.code(*question.position.men) == 2:
            for move in game.legal_moves(question.position):
                assert game.outcome(game.apply(question.position, move)) is None or move in question.keeping
            return
    pytest.fail("no such position was drawn")


def test_keep_refuses_by_name_what_cannot_be_asked(within: Path, tmp_path: Path) -> None:
    words = ["keep", "random", "--rule", "flying=true", "--positions", "3"]
    runner = CliRunner()
    assert runner.invoke(app, [*words, "--into", str(within)]).exit_code == 0
    for more, said in ((["nobody"], "nobody"), ([], "no tables in")):
        result = runner.invoke(app, [words[0], *more, *words[1:], "--into", str(tmp_path)])
        assert result.exit_code == 2 and said in result.stderr


def test_where_smaller_tables_are_missing_nothing_is_asked_that_cannot_be_judged(within: Path, tmp_path: Path) -> None:
    game = morris(flying=True)
    shutil.copytree(within, tmp_path, dirs_exist_ok=True)
    files.table_path(files.of_rules(game, tmp_path), 3, 3).unlink()
    with pytest.raises(TableError, match="no tables in"):
        Questions(game, tmp_path)
