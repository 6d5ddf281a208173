from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents import levels
from agents.agent import Answer, Limits
from agents.analyse_cli import app
from agents.analysis import Analyst, Choice, Judged
from agents.move_request import texts_of
from agents.search import WIN
from agents.values import Scale, accuracy, chance_of, mark_of, value_of, value_of_end
from rules import Outcome
from rules.turns import line_of_play

GO_ON = threading.Event()
REVERSI = Scale(lead=850, unit="disc", unit_score=100, won_score=100_000)


def judged_last(name: str, moves: str, time_s: float = 0.2, **rules: Any) -> Judged:
    game = games.load(name, rules)
    texts = moves.split()
    positions = line_of_play(game, texts)
    analyst = Analyst(game, time_s)
    after = analyst.end(positions[-1]) or analyst.best(positions[-1], GO_ON)
    return analyst.judged(positions[-2], game.parse_move(positions[-2], texts[-1]), GO_ON, after)


def test_scores_promise_shares_of_the_point_and_leads_in_units() -> None:
    assert chance_of(850, 850) == pytest.approx(0.75)  # a clear advantage wins three of four games
    assert chance_of(-850, 850) == pytest.approx(0.25)
    assert chance_of(0, 850) == chance_of(12345, None) == 0.5
    won = value_of(REVERSI, 101_200, exact=True)  # a solved ending counts its discs
    assert (won.chance, won.amount, won.exact) == (1.0, 12.0, True)
    assert (won.turned.chance, won.turned.amount) == (0.0, -12.0)
    assert value_of(REVERSI, 0, exact=True).chance == 0.5
    assert value_of(REVERSI, 320).amount == pytest.approx(3.2)
    end = value_of_end(REVERSI, Outcome(0, "neither_can_lay", (62, 0)), 1, 64)  # the winner gets the empty squares
    assert (end.chance, end.amount, end.score) == (0.0, -64.0, -106_400)
    assert value_of_end(REVERSI, Outcome(None, "full", (32, 32)), 1, 64).chance == 0.5
    forced = value_of(Scale(), WIN - 5)  # its plies are one more a move earlier
    assert (forced.chance, forced.plies, forced.exact) == (1.0, 5, True)
    assert (forced.turned.chance, forced.turned.later().plies) == (0.0, 6)
    scale = levels.scale("a_game_without_a_file")  # whose scores nobody has explained
    assert (scale.lead, scale.unit) == (None, "score")
    assert value_of(scale, 17).amount == 17 and value_of(scale, 17).chance == 0.5
    assert value_of(scale, WIN - 3).chance == 1


def test_losses_have_marks_and_make_an_accuracy() -> None:
    assert accuracy([]) is None
    assert accuracy([0.0, 0.0]) == pytest.approx(100, abs=0.01)
    assert accuracy([1.0]) == pytest.approx(0, abs=0.5)
    marks = {0.0: "", 0.049: "", 0.05: "slip", 0.12: "mistake", 0.15: "blunder", 1.0: "blunder"}
    assert {lost: mark_of(lost) for lost in marks} == marks


@pytest.mark.parametrize("name", games.shipped())
def test_every_game_says_what_its_scores_mean(name: str) -> None:
    scale = levels.scale(name)
    assert scale.lead == levels.lead(name) and scale.lead is not None and scale.lead > 0 and scale.unit_score > 0


def test_a_missed_block_is_a_mistake_with_the_block_as_the_better_move() -> None:
    judged = judged_last("gomoku", "h8 h7 h9 g9 h10 g10 h11 a1")
    assert (judged.made.value.chance, judged.made.value.plies) == (0.0, 2)
    assert judged.best.line[0] == "h12"
    assert judged.lost > 0.1


def test_the_last_discs_of_reversi_are_judged_exactly() -> None:
    game = games.load("reversi", {})
    position, moves = game.initial(), []
    while game.outcome(position) is None:
        moves.append(game.legal_moves(position)[0])
        position = game.apply(position, moves[-1])
    analyst = Analyst(game, 0.5)
    after = analyst.end(position)
    assert after is not None
    positions = line_of_play(game, texts_of(game, game.initial(), moves))
    for before, move in reversed(list(zip(positions[-9:-1], moves[-8:], strict=True))):
        judged = analyst.judged(before, move, GO_ON, after)
        after = judged.best
        assert judged.best.value.exact and judged.made.value.exact
        assert judged.best.value.amount == best_result(game, before)


def best_result(game: Any, position: Any) -> float:
    """Plain minimax to the end: discs for the side to move."""
    side = game.to_move(position)
    if (outcome := game.outcome(position)) is not None:
        return float(outcome.scores[side] - outcome.scores[1 - side])
    return max(-best_result(game, game.apply(position, move)) for move in game.legal_moves(position))


def test_a_mirror_image_of_the_best_move_gives_nothing_away() -> None:
    for text in ("f5", "e6", "c4", "d3"):
        judged = judged_last("reversi", text)
        assert judged.lost == 0 and judged.lost_amount == 0 and judged.best.line[0] == text


def test_a_move_is_never_better_than_the_best() -> None:
    for name in ("nine_mens_morris", "co_ganh", "double_double_dominoes"):
        game = games.load(name, {})
        position = game.initial(seed=1)
        analyst = Analyst(game, 0.05)
        for move in list(game.legal_moves(position))[:4]:
            judged = analyst.judged(position, move, GO_ON)
            assert judged.lost >= 0 and isinstance(judged.best, Choice)
            assert judged.best.value.chance >= judged.made.value.chance


def command(*words: str, stdin: str = "") -> tuple[int, str, str]:
    told = CliRunner().invoke(app, [*words], input=stdin)
    return told.exit_code, told.stdout, told.stderr


def test_the_command_judges_from_the_last_move_to_the_first_and_names_where_a_game_breaks() -> None:
    status, out, _ = command("--game", "reversi", "--moves", "f5 d6 z9 c3", "--time-s", "0.05")
    head, *lines = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and head["plies"] == 2 and head["unit"] == "disc" and head["fault"].startswith("move 3, z9")
    assert [one["ply"] for one in lines] == [3, 2, 1]
    assert lines[1]["move"] == "d6" and lines[1]["best"]["line"][0] == lines[1]["best"]["move"]
    asked = json.dumps({"moves": ["f5", "d6"]})
    assert command("--game", "reversi", "--moves", "-", "--time-s", "0.05", stdin=asked)[0] == 0


@pytest.mark.parametrize(
    ("words", "stdin", "why"),
    [
        (["--game", "reversi", "--moves", "-"], "[", "reads an object"),
        (["--game", "reversi", "--moves", "-"], "[]", "reads an object"),
        (["--game", "reversi", "--moves", "-"], '{"moves": 5}', "reads an object"),
        (["--game", "ludo", "--moves", "e4"], "", "no game"),
        (["--game", "reversi", "--moves", "", "--start", "x"], "", ""),
        (["--game", "reversi", "--moves", "", "--time-s", "nan"], "", "--time-s"),
        (["--game", "reversi", "--moves", "", "--engine", "nobody"], "", "nobody"),
        (["--game", "reversi", "--moves", "", "--engines", "/nowhere.toml"], "", "/nowhere.toml"),
    ],
)
def test_a_wrong_call_is_refused_in_one_line(words: list[str], stdin: str, why: str) -> None:
    status, _, error = command(*words, stdin=stdin)
    assert status == 2 and why in error and len(error.splitlines()) == 1 and "Traceback" not in error


def test_go_is_judged_by_playouts_and_an_engines_better_move_makes_a_blunder_of_the_one_made() -> None:
    game = games.load("go")
    rows = [*3 * ["........."], "XXXXXXXXX", "OOOOOOOO.", "XXXXXXXX.", "OOOOOOOOO", *2 * ["........."]]
    position = game.parse_position(f"{'/'.join(rows)} b - 0,0 0")
    made, better = (game.parse_move(position, text) for text in ("E8", "J5"))
    analyst = Analyst(game, 0.4)
    judged = analyst.reconsidered(position, analyst.judged(position, made, GO_ON), better, GO_ON)
    assert judged.best.move == better and mark_of(judged.lost) == "blunder"
    assert judged.best.value.chance > 0.7 > 0.6 > judged.made.value.chance


def test_a_move_of_go_is_thought_about_for_no_longer_than_one_of_other_games(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("go")
    position, move, other = game.initial(), *game.legal_moves(game.initial())[:2]
    analyst, thought = Analyst(game, 0.2), []
    choose = analyst._agent.choose

    def timed(position: Any, limits: Limits, stop: threading.Event) -> Answer:
        thought.append(limits.time_s or 0.0)
        return choose(position, limits, stop)

    monkeypatch.setattr(analyst._agent, "choose", timed)
    analyst.reconsidered(position, analyst.judged(position, move, GO_ON), other, GO_ON)
    assert len(thought) >= 3 and sum(thought) <= 2 * 0.2 + 1e-9
