"""The recipe for halves of domino tiles: drawn scenes, turned patches, a few training steps, the shipped network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.train.domino_scene import CLASSES, DOWN, LEFT, NONE, OTHER, RIGHT, UP, SceneMaker
from lab.train.halves import HalvesPool, draw_halves
from vision.reading.descriptors import load_descriptor
from vision.reading.heads import judge, load_generic

SHIPPED_LEAST = 0.9
"""Share of drawn patches that the shipped network must read right."""


@pytest.fixture(scope="module")
def pool() -> HalvesPool:
    return draw_halves(700, seed=77)


def test_same_seed_draws_the_same_patches(pool: HalvesPool) -> None:
    assert np.array_equal(draw_halves(40, seed=77).images, pool.images[:40])


def test_scenes_show_all_classes_and_directions(pool: HalvesPool) -> None:
    assert set(pool.labels) == set(range(len(CLASSES)))
    assert set(pool.partners) == {NONE, UP, RIGHT, DOWN, LEFT}


def test_halves_and_only_they_have_partners(pool: HalvesPool) -> None:
    assert np.array_equal(pool.partners == NONE, (pool.labels == 0) | (pool.labels == OTHER))


def test_shards_are_drawn_once_and_kept(pool: HalvesPool, tmp_path: Path) -> None:
    first = HalvesPool.drawn(tmp_path / "halves", lambda count, seed: pool.rows(slice(seed, seed + count)), 30, 3, 20)
    for path in tmp_path.iterdir():
        path.touch()
    again = HalvesPool.drawn(tmp_path / "halves", lambda _count, _seed: pytest.fail("drawn again"), 30, 3, 20)
    assert np.array_equal(first.images, again.images) and len(first.images) == 30
    assert {path.name for path in tmp_path.iterdir()} == {"halves_3_20.npz", "halves_4_10.npz"}


def test_one_maker_draws_on_and_on(pool: HalvesPool) -> None:
    maker = SceneMaker(1)
    patches, labels, partners = maker.draw()
    assert patches.shape[1:] == (48, 48, 3)
    assert len(patches) == len(labels) == len(partners)
    assert not np.array_equal(patches[:1], maker.draw()[0][:1])
    assert not np.array_equal(patches[:1], pool.images[:1]), "another seed draws others"


def test_directions_turn_and_mirror_with_the_patches() -> None:
    pytest.importorskip("torch", reason="torch is not installed; `./kibitzer test` brings it")
    from lab.train.halves import vary

    edges = {UP: np.s_[:12], RIGHT: np.s_[:, 36:], DOWN: np.s_[36:], LEFT: np.s_[:, :12]}
    images = np.zeros((4, 48, 48, 3), dtype=np.uint8)
    for row, way in enumerate(edges):
        images[row][edges[way]] = 200
    for seed in range(16):
        turned, ways = vary(images, np.array(list(edges)), np.random.default_rng(seed))
        assert [max(edges, key=lambda way: float(image[edges[way]].mean())) for image in turned] == ways.tolist()


def test_shipped_network_reads_drawn_halves(pool: HalvesPool) -> None:
    described = load_descriptor("halves").describe(pool.images)
    generic = load_generic("halves")
    logs, _ = judge(described, CLASSES[:-1], None, generic.head)
    plain = pool.labels != OTHER
    assert (logs.argmax(axis=1) == pool.labels)[plain].mean() > SHIPPED_LEAST
    assert generic.ways is not None
    occupied = pool.partners != NONE
    towards = generic.ways.log_probabilities(described)
    assert np.allclose(np.exp(towards).sum(axis=1), 1)
    assert (towards.argmax(axis=1) == pool.partners)[occupied].mean() > 0.8


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_a_few_steps_make_weights_that_the_eyes_can_load(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed; `./kibitzer test` brings it")
    from lab.train.halves import make_halves
    from vision.reading.descriptors import load_network

    make_halves(tmp_path, tmp_path / "work", patches=400, epochs=1, seed=3, threads=1)
    network, generic = load_network("halves", tmp_path), load_generic("halves", tmp_path)
    assert network.length == len(generic.head.mean)
    assert set(generic.head.letters) <= set(CLASSES)
    assert (tmp_path / "halves.onnx").stat().st_size < 3_000_000
