"""Positions that our networks teach to others: legal walks, legal answers, no held-out positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import games
from agents.morris_networks.good_moves import GoodMoves, States, as_rows, check_counts, held_out, join_states, state_of
from agents.morris_networks.legality import is_legal, legal_from, legal_remove, legal_to
from games.nine_mens_morris import NineMensMorris
from lab.train import neural_morris_answers
from lab.train.neural_morris_answers import Taught, Teacher, after, taught_by_ours
from lab.train.neural_morris_designs import OurDesign, PaperDesign
from lab.train.neural_morris_fit import Recipe, Run, _balanced, raw_answers
from tests.agents.random_games import positions

SEED = 1


@pytest.fixture(scope="module")
def learnt() -> States:
    game = NineMensMorris()
    return join_states([state_of(game, position) for position in positions(game, 5, 80)])


@pytest.fixture(scope="module")
def taught(learnt: States) -> Taught:
    return Teacher(learnt, SEED, walks=40).chunk(3)


def test_a_walk_goes_by_the_rules() -> None:
    game = games.load(NineMensMorris.name, {"flying": True, "mill_protected": True})
    assert isinstance(game, NineMensMorris)
    chance = np.random.default_rng(1)
    for position in positions(game, 7, 150):
        moves = game.legal_moves(position)
        for row in chance.permutation(len(moves))[:4]:
            following = state_of(game, game.apply(position, moves[row]))
            found = after(state_of(game, position), as_rows([moves[row]]).astype(np.int8))
            assert (found.cells == following.cells).all() and (found.counts == following.counts).all()


def test_what_is_taught_is_allowed_and_never_held_out(learnt: States, taught: Taught) -> None:
    states, moves = taught.states, taught.moves.astype(np.intp)
    assert len(taught) > 60
    assert check_counts(states).all() and is_legal(states, moves).all()
    assert not (held_out(states, SEED) | held_out(states, SEED + 1)).any()
    allowed = legal_to(states), legal_from(states, moves[:, 0]), legal_remove(states, moves[:, 0], moves[:, 1])
    for shares, mask in zip((taught.to, taught.origin, taught.removed), allowed, strict=True):
        assert np.allclose(shares.astype(float).sum(axis=1), 1.0, atol=3e-3)
        assert not shares[~mask].any()
    assert (moves[:, 0] != taught.to.argmax(axis=1)).mean() > 0.1
    again = Teacher(learnt, SEED, walks=40).chunk(3)
    assert (again.moves == taught.moves).all() and (again.to == taught.to).all()


def test_chunks_are_kept_and_not_made_again(learnt: States, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    first = taught_by_ours(learnt, 50, SEED, tmp_path, lambda *now: told.append(now), walks=20)
    assert len(first) == 50 and told[-1] == (50, 50)
    monkeypatch.setattr(neural_morris_answers, "_answered", None)
    again = taught_by_ours(learnt, 40, SEED, tmp_path, lambda *_: pytest.fail("made again"))
    assert (again.moves == first.moves[:40]).all()


def test_a_teacher_of_another_split_is_refused(learnt: States, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="another fifth than that of --seed 9: first kibitzer train"):
        taught_by_ours(learnt, 5, 9, tmp_path, lambda *_: None)


@pytest.mark.parametrize("design", ["ours", "paper"])
def test_a_pupil_comes_to_answer_as_its_teacher_and_goes_on_after_a_stop(design: str, taught: Taught) -> None:
    nothing = GoodMoves(taught.states.rows(slice(0, 0)), taught.moves[:0])
    recipe = Recipe(design, epochs=15, batch=32, dropout=0.0, taught=len(taught))
    whole, first, second = (Run(recipe, nothing, None, taught) for _ in range(3))
    likely = taught.to.argmax(axis=1)
    losses = [whole.advance() for _ in range(4)]
    again = [first.advance() for _ in range(2)]
    second.restore(first.state())
    again += [second.advance() for _ in range(2)]
    assert again == losses
    before = (raw_answers(make_ready(whole), taught.states)[:, 0] == likely).mean()
    while whole.step < whole.steps:
        losses.append(whole.advance())
    assert np.mean(losses[-4:]) < 0.7 * np.mean(losses[:4])
    assert (raw_answers(make_ready(whole), taught.states)[:, 0] == likely).mean() > before + 0.2


def make_ready(run: Run) -> PaperDesign | OurDesign:
    return run.network.eval()


def test_rare_rows_come_first_into_the_third_that_removals_learn_from() -> None:
    chance = np.random.default_rng(2)
    for count in (0, 5, 30, 90):
        rare = np.zeros(90, dtype=bool)
        rare[chance.permutation(90)[:count]] = True
        rows = _balanced(rare, chance)
        assert len(np.unique(rows)) == 30
        assert rare[rows].sum() == min(count, 30)
