"""torchvision's published weights: fetched completely or not at all, checked, put there by hand; and converted."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch", reason="torch is not installed; `./kibitzer test` brings it")
pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")

import torch

from lab.train import imagenet
from lab.train.cli import app
from lab.train.imagenet import Missing, find_published, published_path
from lab.train.patch_pool import draw_pool
from lab.train.thesis import prepared
from system.weights import find_weights
from tests.lab.train.small_network import overflowing
from tests.lab.train.stand_in import lay_weights_of_chance
from vision.reading.descriptors import IMAGENET, load_network

CONTENT = b"weights " * 100_000


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    return tmp_path


@pytest.fixture
def site(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A local server with the file, whose address replaces the published one."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT)

        def log_message(self, *_words: object) -> None:
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(imagenet, "URL", f"http://127.0.0.1:{server.server_port}/resnet18-f37072fd.pth")
    yield imagenet.URL
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_file_lies_where_torch_keeps_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in (("TORCH_HOME", str(tmp_path)), ("XDG_CACHE_HOME", str(tmp_path / "cache"))):
        monkeypatch.delenv("TORCH_HOME", raising=False)
        monkeypatch.setenv(name, value)
        assert published_path().parent == Path(torch.hub.get_dir()) / "checkpoints"


def test_absent_weights_are_named_with_their_address(home: Path) -> None:
    with pytest.raises(Missing, match=r"resnet18-f37072fd\.pth is not on this machine.*--weights imagenet.*https://"):
        find_published(fetch=False)


@pytest.mark.usefixtures("site")
def test_weights_are_fetched_once_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imagenet, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    told: list[tuple[int, int]] = []
    path = find_published(True, lambda done, total: told.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT)) and len(told) > 2
    find_published(True, lambda done, total: pytest.fail("it was there"))


@pytest.mark.usefixtures("site")
def test_weights_that_are_not_what_their_name_says_are_refused() -> None:
    with pytest.raises(Missing, match=r"not what its name says.*not f37072fd; delete it"):
        find_published(fetch=True)


def test_without_a_network_the_address_and_the_place_for_the_file_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imagenet, "URL", "http://127.0.0.1:9/resnet18-f37072fd.pth")
    result = CliRunner().invoke(app, ["imagenet", "--out", str(home / "made")])
    assert result.exit_code == 2 and "http://127.0.0.1:9/" in result.stderr
    assert f"may be laid at {published_path()}" in result.stderr and len(result.stderr.splitlines()) == 1
    assert not list(published_path().parent.iterdir()), "nothing half loaded is left"
    assert not (home / "made").exists()


def test_what_is_no_network_is_refused_by_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published_path().parent.mkdir(parents=True)
    published_path().write_bytes(CONTENT)
    monkeypatch.setattr(imagenet, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    result = CliRunner().invoke(app, ["imagenet", "--out", str(home / "made")])
    assert result.exit_code == 2 and "holds no ResNet-18" in result.stderr


@pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning"
)  # torch's exporter itself uses what it warns about
def test_the_network_made_describes_as_torchvision_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks the order of colours, their scale and the recipe's size; eight-bit rounding is allowed."""

    lay_weights_of_chance(tmp_path / "torch", monkeypatch)
    monkeypatch.setattr(imagenet, "PATCHES", 64)
    torch.set_num_threads(1)
    imagenet.make_imagenet(tmp_path / "made", fetch=False)
    patches = draw_pool(12, 7).images
    with torch.inference_mode():
        proper, swapped = (
            imagenet.load(fetch=False)(prepared(images, imagenet.SIDE_PX)).numpy()
            for images in (patches, np.ascontiguousarray(patches[..., ::-1]))
        )
    described = load_network(IMAGENET, tmp_path / "made").describe(patches)
    apart, from_swapped = (np.linalg.norm(described - whole, axis=1) for whole in (proper, swapped))
    assert described.shape == (12, 32) and (apart / np.linalg.norm(proper, axis=1)).max() < 0.1
    assert (apart < from_swapped).mean() > 0.8, "it is the colours in their order that are described"
    assert not overflowing(tmp_path / "made" / "imagenet.onnx")
    entry = find_weights(IMAGENET, tmp_path / "made")
    assert entry.known_as != entry.sha256, "profiles go by what it was made from, not by this computer's file"
