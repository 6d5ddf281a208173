"""The recipes: drawn patches, a few training steps, export and quantisation."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from lab.train.patch_pool import PatchPool, cut_photographs, draw_pool, write_sheet
from lab.train.patches import CLASSES, PatchMaker
from system.weights import find_weights, write_entry


@pytest.fixture(scope="module")
def pool() -> PatchPool:
    return draw_pool(160, seed=3)


def test_same_seed_draws_the_same_patches(pool: PatchPool) -> None:
    assert np.array_equal(draw_pool(12, seed=3).images, pool.images[:12])
    assert not np.array_equal(PatchMaker(5).draw().image, pool.images[0])


def test_patches_come_in_all_classes_and_say_their_colours(pool: PatchPool) -> None:
    assert set(pool.labels) == set(range(len(CLASSES)))
    assert pool.images.shape == (160, 48, 48, 3)
    men = np.isin(pool.labels, (CLASSES.index("light"), CLASSES.index("dark")))
    assert (np.isfinite(pool.colours[:, :3]).all(axis=1) == men).all()


def test_pool_is_saved_and_joined(pool: PatchPool, tmp_path: Path) -> None:
    made = [PatchPool.kept(tmp_path / "pool.npz", lambda: pool) for _ in range(2)]
    assert made[0] is pool and made[1] is not pool
    joined = PatchPool.joined(made)
    assert np.array_equal(joined.images, np.concatenate([pool.images] * 2))
    assert len(joined.labels) == len(joined.colours) == 320


def test_sheet_shows_every_class(pool: PatchPool, tmp_path: Path) -> None:
    write_sheet(pool, tmp_path / "sheet.png", each=10)
    assert (tmp_path / "sheet.png").stat().st_size > 10_000


def test_absent_photographs_are_left_out(tmp_path: Path) -> None:
    assert len(cut_photographs(tmp_path, "train", seed=0).labels) == 0


def test_stones_are_cut_in_three_classes(real_data: Path) -> None:
    pool = cut_photographs(real_data, "test", seed=0, stones=4)
    light, dark = (
        pool.images[pool.labels == CLASSES.index(name)][:, 20:28, 20:28].mean() for name in ("light", "dark")
    )
    assert set(pool.labels) == {0, 1, 2}
    assert light > dark + 60


def test_entries_of_the_manifest_are_replaced_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"first")
    write_entry(tmp_path, "a", "a.npz", {"licence": 'MIT "and" ș', "accuracy": 0.5})
    write_entry(tmp_path, "b", "a.npz", {"licence": "MIT"})
    (tmp_path / "a.npz").write_bytes(b"second")
    write_entry(tmp_path, "a", "a.npz", {"accuracy": 0.75})
    entries = tomllib.loads((tmp_path / "manifest.toml").read_text(encoding="utf-8"))
    assert list(entries) == ["a", "b"]
    assert entries["a"]["accuracy"] == 0.75
    assert entries["a"]["sha256"] != entries["b"]["sha256"]


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_a_few_steps_train_export_and_quantise_a_network(pool: PatchPool, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed; `./kibitzer test` brings it")
    from lab.train.quantise import describe, export_descriptor, quantise
    from lab.train.resnet18 import Recipe, train
    from tests.lab.train.small_network import overflowing

    small = PatchPool(pool.images[:64], pool.labels[:64], pool.colours[:64])
    network = train(small, Recipe(epochs=3, batch=32))
    export_descriptor(network, tmp_path / "full.onnx")
    quantise(tmp_path / "full.onnx", tmp_path / "small.onnx", pool.images[64:])
    assert not overflowing(tmp_path / "small.onnx")
    exact = describe(network, pool.images[:20])
    for name, least in (("full.onnx", 0.9999), ("small.onnx", 0.98)):
        session = onnxruntime.InferenceSession(str(tmp_path / name), providers=["CPUExecutionProvider"])
        (described,) = session.run(["descriptors"], {"patches": pool.images[:20]})
        alike = (described * exact).sum(axis=1) / np.linalg.norm(described, axis=1) / np.linalg.norm(exact, axis=1)
        assert described.shape == (20, 512)
        assert alike.min() > least
    assert (tmp_path / "small.onnx").stat().st_size < 0.3 * (tmp_path / "full.onnx").stat().st_size


def test_weights_whose_zero_is_moved_describe_the_same_but_for_roundings(pool: PatchPool) -> None:
    onnx = pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")
    from onnx import numpy_helper

    model = onnx.load(str(find_weights("resnet18").path))
    moved = [
        stored
        for node in model.graph.node
        if node.op_type == "DequantizeLinear"
        and ".conv" in node.input[0]
        and not node.input[0].endswith("_bias_quantized")
        for name in (node.input[0], node.input[2])
        for stored in model.graph.initializer
        if stored.name == name
    ]
    assert moved and all(numpy_helper.to_array(zero).max() == -1 for zero in moved[1::2])
    for stored in moved:
        stored.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(stored) + np.int8(1), stored.name))
    patches = pool.images[:8]
    told = [
        onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"]).run(None, {"patches": patches})[0]
        for network in (find_weights("resnet18").path.read_bytes(), model.SerializeToString())
    ]
    apart = np.linalg.norm(told[0] - told[1], axis=1) / np.linalg.norm(told[1], axis=1)
    assert np.median(apart) < 0.005 and apart.max() < 0.05
