"""A phone's effects on pictures, measured on its output."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from lab.simulated import phone
from lab.simulated.phone import KEY_EVERY, Phone, RandomWay, VideoRoundTrip
from vision.frame import Image

SIZE = (320, 192)


def scene(step: int = 0) -> Image:
    """A patterned picture, shifted to the right by a pixel per step."""
    chance = np.random.default_rng(2)
    coarse = chance.integers(40, 220, (24, 40, 3), dtype=np.uint8)
    picture = cv2.resize(coarse, SIZE, interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.roll(picture, step, axis=1), np.uint8)


def apart(one: Image, other: Image) -> float:
    return float(np.abs(one.astype(float) - other).mean())


def resting() -> Phone:
    return Phone(RandomWay(1, share=0.0))


def test_a_phone_at_rest_changes_nothing() -> None:
    at_rest = resting()
    assert (at_rest.send(at_rest.look(scene(), 3.0)) == scene()).all()


def test_a_swaying_phones_picture_is_the_one_at_rest_moved_along_its_way() -> None:
    swaying = Phone(RandomWay(5))
    for time_s in (0.4, 7.3):
        seen = swaying.look(scene(), time_s)
        back = np.linalg.inv(RandomWay(5).picture_from_rest(time_s, SIZE))
        inner = (slice(24, -24), slice(24, -24))
        righted = np.asarray(cv2.warpPerspective(seen, back, SIZE), np.uint8)
        assert apart(righted[inner], scene()[inner]) < 2 < 4 < apart(seen[inner], scene()[inner])


def test_a_lens_out_of_focus_smears_what_is_finer_than_its_blur() -> None:
    blurred = resting()
    blurred.blur = 4 / SIZE[0]
    stripes = np.asarray(np.tile([[0, 0, 255, 255]], (SIZE[1], SIZE[0] // 4)), np.uint8)
    assert np.ptp(blurred.look(cv2.merge([stripes] * 3), 0.0)[:, 20:-20]) < 10


def test_exposure_multiplies_levels_and_clips_them() -> None:
    bright = resting()
    bright.gain = 1.5
    assert bright.look(np.full((4, 4, 3), 100, np.uint8), 0.0).max() == 150
    assert bright.look(np.full((4, 4, 3), 200, np.uint8), 0.0).min() == 255


def test_a_bad_jpeg_has_blocks() -> None:
    bad = resting()
    bad.jpeg_quality = 30
    steps = np.abs(np.diff(bad.send(scene()).astype(float), axis=1)).mean(axis=(0, 2))
    before = np.abs(np.diff(scene().astype(float), axis=1)).mean(axis=(0, 2))
    assert (steps - before)[7::8].mean() > 2 * np.abs(np.delete(steps - before, np.s_[7::8])).mean()


def test_pictures_come_out_of_a_video_one_by_one_as_they_do_out_of_the_whole_file(tmp_path: Path) -> None:
    video, pictures = VideoRoundTrip(), [scene(step) for step in range(KEY_EVERY + 3)]
    passed = [video.pass_on(picture) for picture in pictures]
    for picture, came in zip(pictures, passed, strict=True):
        assert came.shape == picture.shape and 0.2 < apart(came, picture) < 6
    path = tmp_path / "whole.mp4"
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*phone.encoder()), 15.0, SIZE)
    for picture in pictures[:KEY_EVERY]:
        writer.write(picture)
    writer.release()
    clip = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    assert all((clip.read()[1] == came).all() for came in passed[:KEY_EVERY])
    # Later pictures are encoded by their changes, so the result differs from that of the same picture alone.
    assert (VideoRoundTrip().pass_on(pictures[5]) != passed[5]).any()
    assert video.pass_on(scene()[:96]).shape == (96, SIZE[0], 3)


def test_a_machine_without_an_encoder_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone, "CODECS", ("none",))
    phone.encoder.cache_clear()
    try:
        with pytest.raises(OSError, match="no video encoder"):
            VideoRoundTrip()
    finally:
        phone.encoder.cache_clear()


def test_encoders_that_are_absent_are_passed_over_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    phone.encoder.cache_clear()
    assert phone.encoder() in phone.CODECS
    assert capfd.readouterr().err == ""
