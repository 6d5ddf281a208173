"""The list of games: ranking of its players, pages of it, and positions found in any symmetry."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from daemon.cli.games import app
from daemon.config.player_names import player_name
from daemon.config.settings import PlayerSection
from daemon.record.browsing import find, folded, games_page, names_seen
from daemon.record.journal import Journal
from daemon.record.ranking import START, K, Result, expected_points, ranking, results
from daemon.record.stored_game import GameSummary
from rules import GameError, Outcome
from rules.symmetry import images, symmetries
from rules.turns import line_of_play
from tests.daemon.recorded_games import connection, random_moves, record_game

SECONDS = itertools.count()
COUNTS = {"reversi": 8, "gomoku": 8, "co_ganh": 8, "nine_mens_morris": 16}


def record(journal: Journal, first: str, second: str, outcome: Outcome | None, game: str = "reversi") -> str:
    game_id = journal.new_game(game, {}, [first, second])
    if outcome is not None:
        finish(journal, game_id, outcome)
    return game_id


def finish(journal: Journal, game_id: str, outcome: Outcome) -> None:
    journal.finish(game_id, outcome)
    time = f"2026-01-01T{next(SECONDS):08d}"
    connection(journal).execute("UPDATE games SET finished = ? WHERE game_id = ?", (time, game_id))


def test_elo_is_what_its_formula_says() -> None:
    assert expected_points(1500, 1500) == 0.5
    assert expected_points(1900, 1500) == pytest.approx(10 / 11)  # ten to one at 400 points
    first, second = ranking([Result(("Ana", "Ben"), 0)])
    assert (first.player, first.elo, second.elo) == ("Ana", START + K / 2, START - K / 2)
    first, second = ranking([Result(("Ana", "Ben"), 0), Result(("Ben", "Ana"), None)])
    expected = expected_points(START - K / 2, START + K / 2)
    assert second.elo == pytest.approx(START - K / 2 + K * (0.5 - expected))
    assert (first.wins, first.draws, first.losses, first.games) == (1, 1, 0, 2)


def test_what_one_wins_the_other_loses_and_the_same_games_give_the_same_ranking() -> None:
    chance = random.Random(1)
    names = ["Ana", "Ben", "Zoë", "Nguyễn", "level-5"]
    pairs = [chance.sample(names, 2) for _ in range(300)]
    played = [Result((one, other), chance.choice([0, 1, None])) for one, other in pairs]
    standings = ranking(played)
    assert sum(one.elo for one in standings) == pytest.approx(START * len(names))
    assert sum(one.games for one in standings) == 600 and standings == ranking(played)
    assert [one.elo for one in standings] == sorted((one.elo for one in standings), reverse=True)


def test_nobody_wins_against_themselves_and_nobody_is_rated_beyond_all_numbers() -> None:
    assert ranking([Result(("person", "person"), 0)]) == []
    first, last = ranking([Result(("Ana", "Ben"), 0)] * 5000)
    assert 2000 < first.elo < 10_000 and first.elo + last.elo == pytest.approx(2 * START)


def test_games_that_are_not_finished_do_not_count_and_resigned_and_late_ones_do(journal: Journal) -> None:
    record(journal, "Ana", "Ben", None)
    record(journal, "Ana", "Ben", Outcome(0, "resigned"))
    record(journal, "Ana", "Ben", Outcome(1, "time"))
    record(journal, "Ana", "Ben", Outcome(None, "board_full"), game="gomoku")
    assert [one.winner for one in results(journal)] == [0, 1, None]
    assert [one.winner for one in results(journal, "gomoku")] == [None]


def test_games_count_in_the_order_in_which_they_ended(journal: Journal) -> None:
    early = record(journal, "Ana", "Ben", None)
    record(journal, "Ben", "Zoë", Outcome(0, "resigned"))
    finish(journal, early, Outcome(0, "resigned"))  # began first, ended last
    assert [one.players for one in results(journal)] == [("Ben", "Zoë"), ("Ana", "Ben")]


def test_what_somebody_else_wrote_into_the_file_does_not_count(journal: Journal) -> None:
    game_id = record(journal, "Ana", "Ben", Outcome(0, "resigned"))
    for column, value in (("players", "[1"), ("players", '["Ana"]'), ("winner", 7)):
        other = record(journal, "Ana", "Ben", Outcome(0, "resigned"))
        connection(journal).execute(f"UPDATE games SET {column} = ? WHERE game_id = ?", (value, other))
    assert len(results(journal)) == 1 and game_id in journal.ids()


def test_an_agent_is_a_player_with_its_settings_in_the_name() -> None:
    assert player_name(PlayerSection()) == "person"
    assert player_name(PlayerSection(agent="level-5")) == "level-5"
    assert player_name(PlayerSection(name="Ana")) == "Ana"
    set_up = PlayerSection(agent="alphabeta", depth=3, time_s=5, options={"heuristic": "best", "endgame": True})
    assert player_name(set_up) == "alphabeta:endgame=true,heuristic=best,time_s=5,depth=3"


def test_an_agent_does_not_play_under_the_name_of_the_person_who_sat_there_before() -> None:
    assert player_name(PlayerSection(agent="level-5", name="Ana")) == "level-5"
    assert player_name(PlayerSection(agent="bus:mascot", name="Ana", depth=3)) == "bus:mascot:depth=3"


def test_the_command_lists_players_and_programs_get_an_object(journal: Journal, tmp_path: Path) -> None:
    path = str(tmp_path / "journal.sqlite")
    nothing = CliRunner().invoke(app, ["ranking", "--journal", path])
    assert nothing.exit_code == 0 and not nothing.stdout and "no finished game" in nothing.stderr
    last = record(journal, "Ana", "level-5", Outcome(1, "resigned"))
    assert CliRunner().invoke(app, ["names", last, "Ánh", "Bea", "--journal", path]).exit_code == 0
    lines = CliRunner().invoke(app, ["ranking", "--game", "reversi", "--journal", path]).stdout.splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["1", "Bea", "1516", "1", "1", "0", "0"],
        ["2", "Ánh", "1484", "1", "0", "0", "1"],
    ]
    told = json.loads(CliRunner().invoke(app, ["ranking", "--json", "--journal", path]).stdout)
    assert (told["k"], told["start"], told["games"]) == (32.0, 1500.0, 1)
    counts = {"games": 1, "wins": 1, "draws": 0, "losses": 0}
    assert told["players"][0] == {"place": 1, "player": "Bea", **counts, "elo": 1516}
    assert CliRunner().invoke(app, ["ranking", "--game", "ludo", "--journal", path]).exit_code == 2
    refused = CliRunner().invoke(app, ["names", last, "x" * 65, "Bea", "--journal", path])
    assert refused.exit_code == 2 and "1 to 64 characters" in refused.stderr


def test_the_list_is_leafed_through_by_game_and_by_part_of_a_name(journal: Journal) -> None:
    for number in range(450):
        first = ["Đào", "Łukasz", "Ana"][number % 3]
        record(journal, first, "level-5", Outcome(0, "resigned"), game="gomoku" if number % 2 else "reversi")
    record(journal, "Łukasz", "level-5", None, game="gomoku")  # nobody has moved: there is nothing to see
    found: list[GameSummary] = []
    before = ""
    while True:
        page = games_page(journal, 70, before, game="gomoku", player="lUKASZ")
        found += page.games
        if not page.older:
            break
        before = page.older
    assert len(found) == 75 and {one.game for one in found} == {"gomoku"}
    ids = [one.game_id for one in found]
    assert ids == [one for one in reversed(journal.ids()) if one in ids]
    assert {one.players[0] for one in games_page(journal, 5, player="dao").games} == {"Đào"}
    assert names_seen(journal) == sorted(["Ana", "level-5", "Łukasz", "Đào"], key=folded)
    assert games_page(journal, 5, player="nobody").games == ()


@pytest.mark.parametrize("name", COUNTS)
def test_every_symmetry_is_one_to_one_and_they_are_a_group(name: str) -> None:
    game = games.load(name)
    found = symmetries(game)
    assert len(found) == COUNTS[name] and found[0] == tuple(range(len(game.cells)))
    for one in found:
        for other in found:
            assert tuple(one[other[cell]] for cell in range(len(one))) in found


@pytest.mark.parametrize("name", COUNTS)
def test_a_turned_board_has_as_many_moves(name: str) -> None:
    game, chance = games.load(name), random.Random(5)
    start, texts = random_moves(game, chance, 9)
    position = line_of_play(game, texts, start)[-1]
    side = game.to_move(position)
    counts = set()
    for board in images(game, game.board(position)):
        counts.add(len(game.legal_moves(game.set_up(board, side, game.initial()))))
    assert len(counts) == 1 and counts != {0}


def turned(name: str, texts: list[str], symmetry: tuple[int, ...]) -> list[str]:
    """The moves of a game whose moves are cells, turned."""
    cells = games.load(name).cells
    return [cells[symmetry[cells.index(text)]] for text in texts]


@pytest.mark.parametrize(
    ("name", "texts", "follows"),
    [("gomoku", "h8 i9 h7 j10", "g6"), ("nine_mens_morris", "d6 f4 d2 b4", "a7"), ("reversi", "f5 d6 c3 d3", "c4")],
)
def test_a_position_is_found_however_the_board_is_turned(journal: Journal, name: str, texts: str, follows: str) -> None:
    game, moves = games.load(name), [*texts.split(), follows]
    asked = line_of_play(game, moves[:-1])[-1]
    whole = 0
    for symmetry in symmetries(game):
        other = turned(name, moves, symmetry)
        try:
            line_of_play(game, other)
        except GameError:  # a turned game of reversi begins with the colours exchanged
            continue
        record_game(journal, game, game.initial(), other)
        whole += 1
    found = find(journal, game, asked)
    assert len(found) == whole >= 4
    assert {one.ply for one in found} == {len(moves) - 1}
    # A position that is its own mirror image leaves two moves to choose from.
    assert all(one.next and one.next in _images(name, follows, asked) for one in found)
    assert find(journal, game, line_of_play(game, moves[:1])[-1]) != []


def _images(name: str, follows: str, asked: object) -> set[str]:
    game = games.load(name)
    board = game.board(asked)
    same = [one for one in symmetries(game) if all(board[one[cell]] == board[cell] for cell in range(len(one)))]
    return {game.cells[one[game.cells.index(follows)]] for one in same}


def test_other_rules_and_the_other_side_to_move_are_other_positions(journal: Journal) -> None:
    game, flying = games.load("nine_mens_morris"), games.load("nine_mens_morris", {"flying": True})
    record_game(journal, game, game.initial(), ["d6", "f4"])
    record_game(journal, flying, flying.initial(), ["d6", "f4"])
    assert len(find(journal, game, line_of_play(game, ["d6", "f4"])[-1])) == 1
    position = game.set_up(game.board(line_of_play(game, ["d6", "f4"])[-1]), 1, game.initial())
    assert find(journal, game, position) == []


def test_the_command_lists_the_games_and_counts_what_followed(journal: Journal) -> None:
    game = games.load("gomoku")
    first = record_game(journal, game, game.initial(), ["h8", "i9", "h7"], players=("Ana", "Ben"))
    record_game(journal, game, game.initial(), ["h8", "g7", "h9"], players=("Ben", "Ana"))

    def run(*words: object) -> tuple[int, str]:
        told = CliRunner().invoke(app, ["find", *map(str, words), "--journal", str(journal.path)])
        return told.exit_code, told.output

    status, text = run("--game", "gomoku", "--moves", "h8 i9")
    assert status == 0 and "Ana - Ben  after 2: then h7" in text and text.splitlines()[-1].startswith("h7: 2 games")
    status, text = run("--like", first.game_id, "--ply", 2, "--json")
    assert status == 0 and {json.loads(line)["next"] for line in text.splitlines()} == {"h7"}
    nothing = "no recorded game by these rules went through this position\n"
    assert run("--game", "gomoku", "--moves", "a1 b1")[1] == nothing
    for words in ([], ["--game", "gomoku"], ["--like", first.game_id, "--ply", 9], ["--game", "ludo", "--moves", "e4"]):
        assert run(*words)[0] == 2
