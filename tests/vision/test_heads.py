"""Heads: calibrated probabilities from few examples."""

from __future__ import annotations

import numpy as np
import pytest

from vision.calibrating.fitting import fit_head
from vision.reading.heads import MIN_SHARE, OTHER, Head, head_from_arrays, judge, load_generic

LENGTH = 40
CENTRES = {letter: np.random.default_rng(index).normal(0, 1, LENGTH) for index, letter in enumerate(".WB?")}


def examples(labels: str, spread: float = 0.3, seed: int = 9) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, spread, (len(labels), LENGTH))
    return (np.array([CENTRES[letter] for letter in labels]) + noise).astype(np.float32)


@pytest.fixture(scope="module")
def head() -> Head:
    labels = "." * 40 + "W" * 20 + "B" * 20
    return fit_head(examples(labels), labels, ".WB").head


def test_fitted_head_reads_new_examples(head: Head) -> None:
    labels = ".WB" * 30
    logs, _ = judge(examples(labels, seed=1), ".WB", head, None)
    assert "".join(".WB"[index] for index in logs.argmax(axis=1)) == labels


def test_probabilities_add_up_and_are_never_certain(head: Head) -> None:
    far = examples(".WB" * 5, spread=20.0)
    shares = np.exp(judge(np.concatenate([far, examples(".WB" * 5)]), ".WB", head, None)[0])
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares >= MIN_SHARE / 2).all()
    assert (shares < 1).all()


def test_overlapping_classes_get_the_probabilities_that_come_true() -> None:
    labels = "." * 200 + "W" * 200
    head = fit_head(examples(labels, spread=4.0), labels, ".W", softness=0.001).head
    shares = np.exp(judge(examples(labels, spread=4.0, seed=2), ".W", head, None)[0])
    said = shares.max(axis=1).mean()
    true = (shares.argmax(axis=1) == np.array([".W".index(letter) for letter in labels])).mean()
    assert 0.6 < true < 0.99
    assert abs(said - true) < 0.12


def test_class_without_examples_is_left_to_the_generic_head(head: Head) -> None:
    labels = "." * 30 + "W" * 30
    own = fit_head(examples(labels), labels, ".WB").head
    assert own.letters == ".W"
    shares = np.exp(judge(examples("B.W", seed=3), ".WB", own, head)[0])
    assert [".WB"[index] for index in shares.argmax(axis=1)] == ["B", ".", "W"]


def test_strange_patch_comes_out_unsure(head: Head) -> None:
    strange = np.random.default_rng(77).normal(0, 2, (1, LENGTH)).astype(np.float32)
    ordinary = examples("W", seed=4)
    assert head.strangeness(ordinary)[0] < 0.2 < 0.6 < head.strangeness(strange)[0]
    shares = np.exp(judge(strange, ".WB", head, None)[0])
    assert shares.max() < 0.75


def test_share_of_a_covered_cell_goes_to_all_classes_alike() -> None:
    labels = "." * 30 + "W" * 30 + "B" * 30 + OTHER * 30
    own = fit_head(examples(labels), labels, ".WB" + OTHER).head
    shares = np.exp(judge(examples(OTHER, seed=5), ".WB", own, None)[0])
    assert shares.max() < 0.5


def test_game_with_other_classes_takes_only_empty_from_the_generic_head(head: Head) -> None:
    shares = np.exp(judge(examples(".B", seed=6), ".0123", None, head)[0])
    assert shares[0].argmax() == 0
    assert shares[1, 0] < 0.2
    assert np.allclose(shares[1, 1:], shares[1, 1])


def test_stored_head_comes_back(head: Head) -> None:
    back = head_from_arrays(head.arrays())
    patches = examples(".WB")
    assert np.allclose(back.probabilities(patches), head.probabilities(patches))
    assert np.allclose(back.strangeness(patches), head.strangeness(patches), atol=1e-3)


@pytest.mark.parametrize(
    "fault",
    [
        {"mean": np.zeros(LENGTH + 1)},
        {"coefficients": np.zeros((2, LENGTH))},
        {"slopes": np.full(3, np.nan)},
        {"scale": np.zeros(LENGTH)},
        {"reach": np.array(0.0)},
        {"letters": np.array([-5, 7, 8])},
        {"offsets": np.array(["a", "b", "c"])},
    ],
)
def test_arrays_that_do_not_fit_are_refused(head: Head, fault: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match="head"):
        head_from_arrays(head.arrays() | fault)


def test_missing_array_is_refused(head: Head) -> None:
    arrays = head.arrays()
    del arrays["intercepts"]
    with pytest.raises(ValueError, match="intercepts"):
        head_from_arrays(arrays)


def test_one_class_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two classes"):
        fit_head(examples("WWW"), "WWW", ".WB")


def test_two_examples_of_a_class_are_enough_to_read_it() -> None:
    labels = "." * 20 + "WWBB"
    head = fit_head(examples(labels), labels, ".WB").head
    shares = np.exp(judge(examples("WB.", seed=7), ".WB", head, None)[0])
    assert [".WB"[index] for index in shares.argmax(axis=1)] == ["W", "B", "."]


def test_groups_left_out_together_show_what_copies_would_hide() -> None:
    chance = np.random.default_rng(0)
    labels = "".join(chance.choice([".", "W"], 40))
    random = chance.normal(0, 1, (40, LENGTH)).astype(np.float32)
    copies, groups = np.repeat(random, 5, axis=0), np.repeat(np.arange(40), 5)
    copied = "".join(letter * 5 for letter in labels)
    assert fit_head(copies, copied, ".W").accuracy() > 0.95
    assert fit_head(copies, copied, ".W", groups).accuracy() < 0.75


def test_generic_head_knows_empty_light_dark_and_other() -> None:
    generic = load_generic()
    assert set(generic.head.letters) == set(".WB" + OTHER)
    assert generic.others.shape[1] == len(generic.head.mean)
    found = generic.head.probabilities(generic.others).argmax(axis=1)
    assert (found == generic.head.letters.index(OTHER)).mean() > 0.6


def test_share_that_a_covered_cell_loses_is_told() -> None:
    labels = "." * 30 + "W" * 30 + "B" * 30 + OTHER * 30
    own = fit_head(examples(labels), labels, ".WB" + OTHER).head
    _, unknown = judge(examples(OTHER + "W", seed=5), ".WB", own, None)
    assert unknown[0] > 0.5 > 0.2 > unknown[1]
    assert ((unknown >= 0) & (unknown <= 1)).all()


def test_what_is_strange_is_told_as_unknown(head: Head) -> None:
    strange = np.random.default_rng(77).normal(0, 2, (1, LENGTH)).astype(np.float32)
    _, unknown = judge(np.concatenate([strange, examples("W", seed=4)]), ".WB", head, None)
    assert unknown[0] > 0.6 > 0.2 > unknown[1]


def test_nothing_is_unknown_to_who_has_learnt_nothing() -> None:
    assert judge(examples("W"), ".WB", None, None)[1].tolist() == [0.0]


def test_head_of_an_older_profile_is_read_whose_examples_have_letters_and_lengths(head: Head) -> None:
    count = len(head.examples)
    old = head_from_arrays(head.arrays() | {"example_letters": np.full(count, 87), "example_lengths": np.ones(count)})
    assert np.allclose(old.strangeness(examples("W")), head.strangeness(examples("W")), atol=1e-3)
