"""Descriptors: lengths, names, and the check of their weights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from system import paths, weights
from system.weights import MODELS, WeightsError, find_weights
from vision.reading.descriptors import BATCH, NAMES, load_descriptor, load_network

ROOT = Path(__file__).resolve().parents[2]


def random_patches(count: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (count, 48, 48, 3), dtype=np.uint8)


@pytest.mark.parametrize("name", NAMES)
def test_each_descriptor_gives_finite_rows_of_its_length(name: str) -> None:
    descriptor = load_descriptor(name)
    rows = descriptor.describe(random_patches(5))
    assert descriptor.name == name
    assert rows.shape == (5, descriptor.length)
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()
    assert descriptor.describe(random_patches(0)).shape == (0, descriptor.length)


@pytest.mark.parametrize("name", NAMES)
def test_a_patch_is_described_alike_whatever_stands_beside_it(name: str) -> None:
    patches = random_patches(BATCH + 3)
    together = load_descriptor(name).describe(patches)
    alone = load_descriptor(name).describe(patches[-1:])
    assert np.allclose(together[-1], alone[0], atol=1e-4)


def test_unknown_descriptor_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="resnet18, halves, pixels"):
        load_descriptor("sift")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    for name in ("manifest.toml", "resnet18.onnx"):
        shutil.copy(MODELS / name, folder / name)
    return folder


def test_damaged_weights_are_refused(copied: Path) -> None:
    content = bytearray((copied / "resnet18.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (copied / "resnet18.onnx").write_bytes(content)
    with pytest.raises(WeightsError, match=r"resnet18\.onnx: its sha256 is"):
        load_network("resnet18", copied)


@pytest.mark.parametrize(
    ("checkout", "remedy"), [(True, r"git checkout models/resnet18\.onnx"), (False, "install Kibitzer again")]
)
def test_missing_weights_say_how_to_get_them_back(
    monkeypatch: pytest.MonkeyPatch, copied: Path, checkout: bool, remedy: str
) -> None:
    monkeypatch.setattr(weights, "MODELS", copied)
    monkeypatch.setattr(weights, "ROOT", copied.parent)
    monkeypatch.setattr(paths, "IN_CHECKOUT", checkout)
    (copied / "resnet18.onnx").unlink()
    with pytest.raises(WeightsError, match=remedy):
        load_network("resnet18", copied)


def test_weights_that_the_manifest_does_not_know_are_refused(copied: Path) -> None:
    with pytest.raises(WeightsError, match=r"manifest\.toml has no entry \[other\]"):
        find_weights("other", copied)


@pytest.mark.parametrize(
    ("manifest", "fault"),
    [
        ('[resnet18]\nfile = "resnet18.onnx"\n', "no usable entry \\[resnet18\\]: it lacks 'sha256'"),
        ("[resnet18\n", "is damaged"),
        ("resnet18 = 1\n", "is damaged"),
        ("\0\0\0", "is damaged"),
    ],
)
def test_a_damaged_manifest_is_named(copied: Path, manifest: str, fault: str) -> None:
    (copied / "manifest.toml").write_text(manifest, encoding="utf-8")
    with pytest.raises(WeightsError, match=rf"manifest\.toml .*{fault}"):
        find_weights("resnet18", copied)


def test_every_learnt_file_that_is_there_is_checked(copied: Path) -> None:
    assert weights.check_all(copied) == 1
    (copied / "halves.onnx").write_bytes(b"")
    with pytest.raises(WeightsError, match=r"halves\.onnx: its sha256 is"):
        weights.check_all(copied)


def test_missing_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"manifest\.toml: No such file"):
        find_weights("resnet18", tmp_path)


@pytest.mark.parametrize(
    "program",
    [
        "import numpy; from vision.reading.descriptors import load_descriptor;"
        "load_descriptor('halves').describe(numpy.zeros((1, 48, 48, 3), numpy.uint8))",
        "from agents.morris_networks.networks import load_networks; load_networks('ours')",
    ],
    ids=["eyes", "agents"],
)
def test_the_network_s_runtime_neither_reports_nor_leaves_anything(tmp_path: Path, program: str) -> None:
    folders = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    known = {name: value for name, value in os.environ.items() if name not in ("ORT_DISABLE_TELEMETRY", "CI")}
    words = [sys.executable, "-c", f"{program}; import time; time.sleep(1)"]
    subprocess.run(words, env=known | folders, cwd=ROOT, check=True, timeout=60)
    assert not list(tmp_path.iterdir())
