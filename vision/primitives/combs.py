"""Finds evenly spaced parallel lines in a weave: the spacing at which its segments repeat along both x and y."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray, Grey
from vision.primitives.segments import FRAME_PX, Weave

Spectrum = NDArray[np.complex128]

BIN_PX = 0.5
SPECTRUM = 8192
"""Length of the spectra, finer than the frame's own, so that no peak falls between two frequencies."""
MIN_GAP_PX = 6.5
HELD = 0.75
"""Least share of a board's cells, either way, in the frame, which holds nearly all edges of its two directions."""
FOCAL = (0.65, 3.0)
"""Focal lengths of ordinary cameras, in picture widths."""
USUAL_FOCAL = 1.0
RATIO = 1.2
"""Greatest factor by which the frame's aspect, taken from the vanishing points, may be wrong."""
RATIO_STEPS = 9
KEPT = 3
"""Number of combs kept of each kind."""
WEAK = 0.55
"""Least strength, as a share of the greatest of its kind."""
EDGE_BLUR_PX = 1.5
TREND_PX = 24.0


@dataclasses.dataclass(frozen=True)
class Comb:
    """Spacing and phase of the lines of a weave, in frame pixels."""

    gaps_px: tuple[float, float]
    """Spacing of the upright lines, and of those that run along x."""
    starts_px: tuple[float, float]
    """Position of one upright line, and of one that runs along x."""
    by_men: bool = False
    """Whether it comes from all edges: the spacing is right then, but the men decide where the points are."""


def find_combs(weave: Weave, grey: Grey, men_on_points: bool, cells: tuple[int, int]) -> list[Comb]:
    """The likeliest spacings of a board of that many cells: by segments, best first, then by all edges, men's too."""
    aspect = frame_aspect(weave, (grey.shape[1], grey.shape[0]))
    lines = (_segment_spectrum(weave.upright, 0), _segment_spectrum(weave.across, 1))
    edges = _edge_spectra(weave, grey)
    shift = 0.5 if men_on_points else 0.0
    fewest = HELD * cells[0], HELD * cells[1]
    by_edges = _combs(edges, aspect, shift, 1, fewest)
    return _combs(lines, aspect, 0.0, 2, fewest) + [
        dataclasses.replace(comb, by_men=men_on_points) for comb in by_edges
    ]


def _combs(
    spectra: tuple[Spectrum, Spectrum], aspect: float, shift: float, harmonics: int, fewest: tuple[float, float]
) -> list[Comb]:
    """The highest common peaks of two spectra; `shift` is the distance, in gaps, of the points from what repeats.

    Thin lines also show at twice the frequency; what repeats by chance does not.
    """
    frame_bins = FRAME_PX / (SPECTRUM * BIN_PX)
    low, high = int(fewest[0] / frame_bins), int(FRAME_PX / MIN_GAP_PX / frame_bins)
    places = np.arange(low, high)
    best, partner = np.zeros(len(places)), np.zeros(len(places), dtype=np.intp)
    for ratio in np.geomspace(1 / RATIO, RATIO, RATIO_STEPS):
        # The frequency of the lines along x that the aspect implies for that of the upright ones.
        other = np.clip(np.rint(places / aspect * ratio).astype(np.intp), 1, SPECTRUM // 2 - 1)
        strength = np.zeros(len(places))
        for times in range(1, harmonics + 1):
            first, second = (np.minimum(times * one, SPECTRUM // 2 - 1) for one in (places, other))
            strength += np.sqrt(np.abs(spectra[0][first]) * np.abs(spectra[1][second])) / harmonics
        better = (strength > best) & (other > fewest[1] / frame_bins)
        best, partner = np.where(better, strength, best), np.where(better, other, partner)
    if not len(places):
        return []
    combs: list[Comb] = []
    width = max(2, round(0.7 / frame_bins))
    left = best.copy()
    for _ in range(KEPT):
        index = int(np.argmax(left))
        if left[index] <= WEAK * best.max():
            break
        bins = int(places[index]), int(partner[index])
        gaps = tuple(SPECTRUM * BIN_PX / one for one in bins)
        phases = tuple(float(np.angle(spectrum[one])) for spectrum, one in zip(spectra, bins, strict=True))
        starts = tuple((shift - phase / (2 * np.pi)) * gap for phase, gap in zip(phases, gaps, strict=True))
        combs.append(Comb((gaps[0], gaps[1]), (starts[0], starts[1])))
        left[max(0, index - width) : index + width + 1] = 0
    return combs


def _axes(weave: Weave, size: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """The directions of x and y as columns of K^-1 H, but for the focal length."""
    picture_from_frame = np.linalg.inv(weave.frame_from_picture)
    centred = np.array([[1, 0, -size[0] / 2], [0, 1, -size[1] / 2], [0, 0, size[0]]]) / size[0]
    first, second = (centred @ picture_from_frame)[:, :2].T
    return first, second


def frame_aspect(weave: Weave, size: tuple[int, int]) -> float:
    """Frame pixels along y per frame pixel along x for equal lengths on the table.

    A camera of focal length f (in picture widths) sees the frame's axes as columns of K^-1 H; on the table these have
    the same length (Zhang 2000, eq. 3 and 4). f follows from their right angle where both vanishing points are near.
    """
    first, second = _axes(weave, size)
    product, depth = float(first[:2] @ second[:2]), float(first[2] * second[2])
    norms = float(np.linalg.norm(first) * np.linalg.norm(second))
    focal = USUAL_FOCAL
    if abs(depth) > 0.02 * norms:
        focal = float(np.sqrt(np.clip(-product / depth, FOCAL[0] ** 2, FOCAL[1] ** 2)))
    lengths = [float(np.hypot(np.linalg.norm(axis[:2]) / focal, axis[2])) for axis in (first, second)]
    # A unit of length on the table spans 1 / length frame pixels.
    return lengths[0] / lengths[1]


def _segment_spectrum(segments: FloatArray, axis: int) -> Spectrum:
    """The spectrum of the segments' lengths over their positions; at most 1."""
    at = segments[:, :, axis].mean(axis=1)
    lengths = np.abs(segments[:, 1, 1 - axis] - segments[:, 0, 1 - axis])
    histogram, _ = np.histogram(at, bins=round(FRAME_PX / BIN_PX), range=(0, FRAME_PX), weights=lengths)
    return _spectrum(histogram)


def _edge_spectra(weave: Weave, grey: Grey) -> tuple[Spectrum, Spectrum]:
    """Spectra of all edges along x and along y: men touch, so most edges lie halfway between their middles."""
    size = (FRAME_PX, FRAME_PX)
    frame = np.asarray(cv2.warpPerspective(grey, weave.frame_from_picture, size), np.float32)
    seen = cv2.warpPerspective(np.ones_like(grey), weave.frame_from_picture, size)
    inner = cv2.erode(seen, np.ones((9, 9), np.uint8), borderValue=0).astype(np.float32)
    smooth = cv2.GaussianBlur(frame, (0, 0), EDGE_BLUR_PX)
    spectra = []
    for axis in (0, 1):
        slope = np.abs(cv2.Sobel(smooth, cv2.CV_32F, 1 - axis, axis)) * inner
        slope = np.minimum(slope, float(np.percentile(slope, 95)))
        profile = slope.sum(axis=axis).astype(np.float64)
        trend = cv2.GaussianBlur(profile.reshape(1, -1), (0, 0), TREND_PX).ravel()
        wave = np.repeat((profile - trend) / max(float(np.abs(profile - trend).sum()), 1e-9), round(1 / BIN_PX))
        spectra.append(_spectrum(wave, float(np.abs(wave).sum())))
    return spectra[0], spectra[1]


def _spectrum(values: FloatArray, total: float | None = None) -> Spectrum:
    spectrum = np.fft.rfft(values, SPECTRUM) / max(float(values.sum()) if total is None else total, 1e-9)
    # Shifted by half a bin: the contents of a bin lie around its middle.
    shift = np.exp(-2j * np.pi * np.arange(len(spectrum)) * 0.5 / SPECTRUM)
    return np.asarray(spectrum * shift)
