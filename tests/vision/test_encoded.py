"""Frames that are decoded only when their picture is needed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.frame import PREVIEW_SHRINK, Frame, Image
from vision.sources import encoded
from vision.sources.encoded import EncodedFrame, Picture, decode, peek


def picture(seed: int = 1) -> Image:
    coarse = np.random.default_rng(seed).integers(0, 255, (9, 16, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(coarse, (640, 360), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def jpeg(image: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())


def test_a_frame_is_decoded_once_and_only_when_its_picture_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []
    real = encoded._decoded
    monkeypatch.setattr(encoded, "_decoded", lambda data: (decoded.append(len(data)), real(data))[1])
    seen = peek(jpeg(picture()))
    assert seen is not None
    frame = EncodedFrame(seen, 1.5, 7)
    assert (frame.time_s, frame.index, frame.name) == (1.5, 7, "")
    assert not decoded
    assert np.abs(frame.image.astype(float) - picture()).mean() < 3
    assert frame.image is frame.image and len(decoded) == 1


def test_the_preview_shows_the_same_whether_the_frame_is_encoded_or_not() -> None:
    seen = peek(jpeg(picture()))
    assert seen is not None
    plain, encoded_one = Frame(picture(), 0.0, 0).preview, EncodedFrame(seen, 0.0, 0).preview
    assert plain.shape == encoded_one.shape
    assert np.abs(plain.astype(float) - encoded_one).mean() < 3


def test_a_picture_that_is_cut_off_or_none_is_refused_at_once() -> None:
    whole = jpeg(picture())
    assert peek(whole[: len(whole) // 2]) is None
    assert peek(b"not a picture") is None
    assert peek(b"") is None


def test_a_frame_that_cannot_be_decoded_is_black() -> None:
    frame = EncodedFrame(Picture(b"\xff\xd8 damaged", (640, 360)), 0.0, 0)
    assert frame.image.shape == (360, 640, 3) and frame.preview.shape == (45, 80)
    assert not frame.image.any() and not frame.preview.any()


def test_equal_files_have_equal_checksums_and_different_ones_do_not() -> None:
    frames = [EncodedFrame(Picture(jpeg(picture(seed)), (640, 360)), 0.0, 0) for seed in (1, 1, 2)]
    assert frames[0].checksum == frames[1].checksum != frames[2].checksum


@pytest.mark.parametrize(
    ("size_px", "read_px"), [((640, 480), (640, 480)), ((3000, 2001), (1500, 1001)), ((6001, 4003), (1501, 1001))]
)
def test_a_live_picture_is_read_no_larger_than_needed(
    size_px: tuple[int, int], read_px: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoded, "MAX_LIVE_MEGAPIXELS", 2.0)
    picture = peek(bytes(cv2.imencode(".jpg", np.full((*size_px[::-1], 3), 90, np.uint8))[1]))
    assert picture is not None and picture.size_px == read_px
    frame = EncodedFrame(picture, 0.0, 0)
    assert frame.image.shape == (*read_px[::-1], 3) and abs(int(frame.image.mean()) - 90) < 3
    assert frame.preview.shape == (-(-read_px[1] // PREVIEW_SHRINK), -(-read_px[0] // PREVIEW_SHRINK))
    whole = decode(picture.data)
    assert whole is not None and whole.shape == (*size_px[::-1], 3)
