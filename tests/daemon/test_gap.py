"""Unseen moves: the game is taken up again, and no illegal move becomes legal by that."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import games
from daemon.belief.costs import MAX_BACK
from daemon.belief.gap_search import GapSearch
from daemon.belief.plies import PlySearch
from daemon.commands.command import Adopt
from daemon.game.effects import TakeBack
from daemon.judging import adopting
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.record.journal import Journal
from daemon.record.record import GameRecord
from daemon.record.stored_line import line_of
from rules import AnyGame, PositionError
from rules.turns import changed_cells
from tests.daemon.match_bench import bench_of
from tests.daemon.readings import board_with, codes, look_at, reading_of, see

MORRIS = Path(__file__).resolve().parents[3] / "shared" / "data" / "morris" / "labels.json"


def photographed() -> list[str]:
    """The boards of a real morris game, one for each photo."""
    if not MORRIS.exists():
        pytest.skip("../shared/data/morris is not here")
    images = json.loads(MORRIS.read_text(encoding="utf-8"))["images"]
    return [images[f"1_{number}.jpg"]["cells"] for number in range(1, 39)]


def followed(game: AnyGame, boards: Sequence[str]) -> Referee:
    referee = Referee(game)
    for board in boards:
        see(referee, board)
    return referee


def test_a_real_game_with_six_photos_left_out_is_followed_to_its_end() -> None:
    game, boards = games.load("morris", {"flying": "true", "first": "auto"}), photographed()
    whole = [game.board(position) for position in followed(game, boards).history]
    gap = followed(game, [*boards[:8], *boards[14:]])
    assert len(whole) == 40 and gap.outcome is not None
    assert [game.board(position) for position in gap.history[14:]] == whole[14:]
    assert [ply.assumed for ply in gap.line.plies] == [7 <= ply < 14 for ply in range(39)]


def played(game: AnyGame, dice: random.Random, plies: int, before: Any = None) -> list[Any]:
    """Positions of a line of `plies` random visible plies from `before` or the start; fewer where the game ends."""
    line = [game.starts[0] if before is None else before]
    while len(line) <= plies:
        seen = [move for move in game.legal_moves(line[-1]) if game.steps(line[-1], move)]
        if not seen:
            break
        line.append(game.apply(line[-1], dice.choice(seen)))
    return line


def at(game: AnyGame, line: Sequence[Any]) -> Referee:
    """A referee that was shown this line of play."""
    referee = Referee(game)
    for position in line:
        see(referee, game.board(position))
    assert game.board(referee.position) == game.board(line[-1])
    return referee


@pytest.mark.parametrize("name", ["morris", "gomoku", "ganh", "reversi"])
def test_after_four_missed_plies_adopt_goes_on_with_the_same_game(name: str) -> None:
    bench = bench_of(name, None)
    line = played(bench.game, random.Random(3), 16)
    for position in line[:9]:
        bench.show(bench.game.board(position))
    before = list(bench.match.referee.moves)
    assert len(before) == 8
    board = bench.game.board(line[12])
    assert bench.show(board)[-1] in ("illegal", "desync")
    answer = obey(bench.match, Adopt(), bench.eyes)
    assert answer.accepted and "I missed some moves. I take it that they were: " in answer.text
    referee = bench.match.referee
    assert (referee.moves[:8], referee.ply, bench.game.board(referee.position)) == (before, 12, board)
    assert not bench.eyes.new_game_due
    assert bench.notebook.written[-6:] == [*referee.moves[8:], "assumed", "adopted"]
    assert bench.show(bench.game.board(line[13])) == ["move"]


def test_nobody_believes_men_that_were_knocked_about_though_play_could_have_left_them_so() -> None:
    game = games.load("morris")
    referee = Referee(game)
    see(referee, board_with(game))
    see(referee, board_with(game, W="d2"))
    knocked = board_with(game, W="d2 a1 a4", B="f4 b4 f2")
    assert codes(see(referee, knocked)) == ["desync"]
    assert see(referee, knocked) == []
    for board in (board_with(game, W="d2 a1 a4", B="f4 b4"), board_with(game, W="d2 a1", B="b4")):
        see(referee, board)
        assert not any(ply.assumed for ply in referee.line.plies)
    see(referee, board_with(game, W="d2"))
    assert referee.moves == ["d2"]


@pytest.mark.parametrize("name", ["morris", "gomoku", "ganh"])
@pytest.mark.parametrize("seed", range(12))
def test_a_man_moved_against_the_rules_is_told_and_never_made_legal_by_those_who_play_on(name: str, seed: int) -> None:
    game, dice = games.load(name), random.Random(seed)
    line = played(game, dice, dice.randint(6, 40))
    if game.outcome(line[-1]) is not None:
        line.pop()
    referee, present = at(game, line), game.board(line[-1])
    men = [cell for cell, man in enumerate(present) if man != "."]
    empty = [cell for cell, man in enumerate(present) if man == "."]
    while True:
        board = list(present)
        origin, to = dice.choice(men), dice.choice(empty)
        board[to], board[origin] = board[origin], "."
        wrong = "".join(board)
        if not referee.fits(look_at(referee, reading_of(game, wrong))):
            break
    effects = see(referee, wrong)
    assert codes(effects) == ["illegal"]
    believed = referee.position
    for board in played_on(game, dice, line[-1], wrong):
        see(referee, board)
        assert not any(ply.assumed for ply in referee.line.plies)
        if referee.position is not believed:
            break  # the wrongly moved man is gone, and a few legal plies explain the rest


def played_on(game: AnyGame, dice: random.Random, position: Any, wrong: str) -> list[str]:
    """Eight boards of a game that goes on after `wrong`, where nobody minds the misplaced man."""
    try:
        after = game.set_up(wrong, 1 - game.to_move(position), position)
    except PositionError:
        changed = changed_cells(game.board(position), wrong)
        boards = [game.board(one) for one in played(game, dice, 8, position)[1:]]
        return ["".join(wrong[cell] if cell in changed else man for cell, man in enumerate(one)) for one in boards]
    return [game.board(one) for one in played(game, dice, 8, after)[1:]]


def test_another_way_is_taken_where_a_later_board_contradicts_the_one_assumed() -> None:
    game, dice = games.load("ganh"), random.Random(12)
    line = played(game, dice, dice.randint(7, 30))
    begun = len(line) - 1
    line = [*line, *played(game, dice, 7, line[-1])[1:]]
    referee = at(game, line[: begun + 1])
    see(referee, game.board(line[begun + 4]))
    adopting.adopt(referee, reading_of(game, game.board(line[begun + 4])))
    assumed = referee.ply
    assert game.to_move(referee.position) != game.to_move(line[begun + 4])
    effects = [effect for position in line[begun + 5 :] for effect in see(referee, game.board(position))]
    assert "restored" in codes(effects)
    assert any(isinstance(effect, TakeBack) and begun <= effect.ply < assumed for effect in effects)
    assert game.board(referee.position) == game.board(line[-1])
    assert game.to_move(referee.position) == game.to_move(line[-1])


def test_the_record_is_one_game_and_says_which_moves_nobody_saw(tmp_path: Path) -> None:
    game = games.load("morris")
    journal = Journal(tmp_path / "games.db")
    game_id = journal.new_game(game.name, {}, ("", ""))
    match = Match(Referee(game), recorder=GameRecord(journal, game_id))
    shown = [board_with(game), board_with(game, W="d2"), board_with(game, W="d2 a1 a4", B="f4 b4 f2")]
    for board in [*shown, board_with(game, W="d2 a1 a4 g4", B="f4 b4 f2")]:
        match.carry_out(see(match.referee, board))
    stored = journal.game(game_id)
    assert len(journal.ids()) == 1
    assert [ply.verdict for ply in stored.plies] == ["legal", *["assumed"] * 5, "legal"]
    assert [ply.assumed for ply in line_of(game, stored).plies] == [False, *[True] * 5, False]


@pytest.mark.parametrize("name", games.names())
def test_a_search_looks_at_so_many_moves_and_at_those_of_one_more_position(name: str) -> None:
    game = games.load(name)
    line = played(game, random.Random(1), 20)
    search = GapSearch(game, line[0], game.board(line[-1])[::-1], 2_000)
    search.ways()
    assert search.looked_at <= 2_000 + max(len(list(game.legal_moves(position))) for position in line)


def test_what_adopt_holds_against_a_board_is_bounded_by_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("gomoku")
    line = played(game, random.Random(1), 20)
    referee, made = at(game, line), list[PlySearch]()
    search = PlySearch.search
    monkeypatch.setattr(PlySearch, "search", lambda self, *given: (made.append(self), search(self, *given))[1])
    board = list(game.board(line[-1]))
    for cell in [cell for cell, man in enumerate(board) if man == "."][:3]:
        board[cell] = "B"
    assert adopting.way_to(referee, reading_of(game, "".join(board))) is None
    assert len(made) == 1 + MAX_BACK
    assert sum(one.looked_at for one in made) < 50_000
