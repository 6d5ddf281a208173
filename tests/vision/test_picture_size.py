"""Pictures that claim to be huge are refused by their header, with their size, wherever they come from."""

from __future__ import annotations

import io
import logging
import struct
from pathlib import Path

import cv2
import pytest
from PIL import Image as Picture

from daemon.cli.read import app
from lab.simulated.mjpeg_server import MjpegServer
from tests.vision.test_sources import jpeg
from tests.vision.test_video_files import Film
from vision.frame import SourceError
from vision.sources.encoded import FORMATS, TooLargeError, decode, peek, picture_size_px
from vision.sources.files import PhotoFolder, VideoFile, read_photo
from vision.sources.mjpeg import mjpeg_frames

HUGE = jpeg(90).replace(struct.pack(">HH", 48, 64), struct.pack(">HH", 32_000, 32_000), 1)
SAID = "32000x32000 is 1,024 megapixels; max_megapixels allows 50"


@pytest.fixture(autouse=True)
def _nothing_huge_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    real = cv2.imdecode

    def checked(data: object, flags: int) -> object:
        assert bytes(data) != HUGE, "it takes 3 GB"  # type: ignore[call-overload]
        return real(data, flags)  # type: ignore[call-overload]

    monkeypatch.setattr(cv2, "imdecode", checked)


@pytest.mark.parametrize("read", [decode, peek])
def test_a_picture_is_refused_by_the_size_that_it_claims(read: object) -> None:
    with pytest.raises(TooLargeError, match=SAID):
        read(HUGE)  # type: ignore[operator]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_that_is_read_is_measured_first(name: str) -> None:
    buffer = io.BytesIO()
    Picture.new("RGB", (200, 100), (90, 120, 150)).save(buffer, name)
    assert picture_size_px(buffer.getvalue()) == (200, 100)
    image = decode(buffer.getvalue(), 0.03)
    assert image is not None and image.shape == (100, 200, 3)
    with pytest.raises(TooLargeError, match=r"200x100 is 0.02 megapixels; max_megapixels allows"):
        decode(buffer.getvalue(), 0.01)


def test_a_picture_without_pixels_is_none() -> None:
    assert decode(jpeg(90).replace(struct.pack(">HH", 48, 64), struct.pack(">HH", 0, 0), 1)) is None


def test_a_photo_says_why_it_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "1.jpg").write_bytes(HUGE)
    (tmp_path / "2.jpg").write_bytes(jpeg(90))
    with pytest.raises(OSError, match=SAID):
        read_photo(tmp_path / "1.jpg")
    with caplog.at_level(logging.WARNING):
        frame = PhotoFolder(tmp_path).read(1.0)
    assert frame is not None and frame.name == "2.jpg"
    assert SAID in caplog.text


def test_a_video_is_refused_by_the_size_of_its_frames_at_the_start_and_later(tmp_path: Path) -> None:
    path = tmp_path / "v.avi"
    path.touch()
    sizes = {cv2.CAP_PROP_FRAME_WIDTH: 16_000.0, cv2.CAP_PROP_FRAME_HEIGHT: 16_000.0}
    film = Film([0.0, 50.0])
    film.get = lambda propId, /: sizes.get(propId, 0.0)  # type: ignore[method-assign] # noqa: N803
    with pytest.raises(SourceError, match=r"v\.avi: 16000x16000 is 256 megapixels"):
        VideoFile(path, lambda _: film)
    with pytest.raises(SourceError, match=r"v\.avi: 64x48 is 0.003072 megapixels"):
        VideoFile(path, lambda _: Film([0.0]), 0.001).read(1.0)


def test_a_stream_breaks_off_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "1.jpg").write_bytes(jpeg(90))
    server = MjpegServer(PhotoFolder(tmp_path, hold_s=60), port=0)
    try:
        assert next(mjpeg_frames(server.url, max_megapixels=1)) is not None
        with pytest.raises(SourceError, match=r"64x48 is 0.003072 megapixels; max_megapixels allows"):
            next(mjpeg_frames(server.url, max_megapixels=0.001))
    finally:
        server.stop()


def test_the_command_line_can_allow_more_and_less(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    Picture.new("RGB", (1100, 1000)).save(tmp_path / "a.png")
    words = ["--game", "reversi", str(tmp_path / "a.png")]
    assert "1100x1000" not in CliRunner().invoke(app, words).stderr
    assert "1100x1000 is 1.1 megapixels; max_megapixels allows 1" in (
        CliRunner().invoke(app, [*words, "--max-megapixels", "1"]).stderr
    )


def test_a_jpeg_of_very_many_scans_is_refused_because_each_takes_a_pass_over_all_pixels() -> None:
    buffer = io.BytesIO()
    Picture.new("RGB", (64, 48), (90, 120, 150)).save(buffer, "JPEG", progressive=True)
    whole = buffer.getvalue()
    last_scan = whole[whole.rindex(b"\xff\xda") : -2]
    for scans, taken in ((0, True), (20, True), (1000, False)):
        data = whole[:-2] + last_scan * scans + b"\xff\xd9"
        assert (decode(data) is not None, peek(data) is not None) == (taken, taken)
