"""Writes a page as a file: PDF and SVG made of outlines alone, or a picture."""

from __future__ import annotations

import zlib
from xml.sax.saxutils import escape

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.frame import Image
from vision.sheet.ink import Ink, Page

POINTS_A_MM = 72 / 25.4
CREATOR = b"/Creator (Kibitzer)"
FINER = 3
"""Factor by which a picture is drawn larger and then shrunk, so that edges are smooth."""
_SHIFT = 4
"""Fractional bits of OpenCV's drawing coordinates."""


def pdf_of(*pages: Page) -> bytes:
    """The pages as PDF 1.4, with the title of the first; the same pages give the same bytes."""
    # Each page is an object, followed by its drawing.
    numbers = [4 + 2 * index for index in range(len(pages))]
    title = b"\xfe\xff" + pages[0].title.encode("utf-16-be")
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Title <" + title.hex().encode() + b"> " + CREATOR + b" >>",
    ]
    for page, number in zip(pages, numbers, strict=True):
        width, height = (extent * POINTS_A_MM for extent in page.size_mm)
        drawing = zlib.compress("\n".join(_operators(ink, height) for ink in page.inks).encode("ascii"), 9)
        box = f"[0 0 {width:.3f} {height:.3f}]"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Resources << >> /Contents {number + 1} 0 R >>".encode(),
            f"<< /Length {len(drawing)} /Filter /FlateDecode >>\nstream\n".encode() + drawing + b"\nendstream",
        ]
    out, starts = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, content in enumerate(objects, 1):
        starts.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = len(out)
    entries = "".join(f"{start:010d} 00000 n \n" for start in starts)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{entries}".encode()
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 3 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)


def svg_of(page: Page) -> str:
    width, height = page.size_mm
    paths = [
        f'<path fill="#{ink.colour[0]:02x}{ink.colour[1]:02x}{ink.colour[2]:02x}" d="'
        + "".join(f"M{'L'.join(f'{x:.3f},{y:.3f}' for x, y in ring)}Z" for ring in ink.rings)
        + '"/>'
        for ink in page.inks
    ]
    size = f'width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    paper = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(page.title)}</title>", paper, *paths, "</svg>", ""])


def picture_of(page: Page, pixels_per_mm: float) -> Image:
    """The page as seen from straight above, to its very edges; uint8 (height, width, 3) BGR."""
    size = tuple(round(extent * pixels_per_mm) for extent in page.size_mm)
    fine: Image = np.full((size[1] * FINER, size[0] * FINER, 3), 255, dtype=np.uint8)
    for ink in page.inks:
        _fill(fine, ink, FINER * pixels_per_mm)
    return np.asarray(cv2.resize(fine, (size[0], size[1]), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _operators(ink: Ink, height: float) -> str:
    red, green, blue = (level / 255 for level in ink.colour)
    parts = [f"{red:.3f} {green:.3f} {blue:.3f} rg"]
    for ring in ink.rings:
        points = [f"{x * POINTS_A_MM:.3f} {height - y * POINTS_A_MM:.3f}" for x, y in ring]
        parts.append(f"{points[0]} m " + " ".join(f"{point} l" for point in points[1:]) + " h")
    return " ".join([*parts, "f"])


def _fill(fine: Image, ink: Ink, scale: float) -> None:
    """Fills the outlines first and then cuts the holes, so that overlapping parts stay whole."""
    if not ink.rings:
        return
    points = np.concatenate(ink.rings)
    low = np.maximum(np.floor(points.min(axis=0) * scale).astype(int) - 1, 0)
    high = np.minimum(np.ceil(points.max(axis=0) * scale).astype(int) + 2, fine.shape[1::-1])
    if (low >= high).any():
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), dtype=np.uint8)
    forward = _area(max(ink.rings, key=lambda ring: abs(_area(ring)))) > 0
    for ring in sorted(ink.rings, key=lambda ring: (_area(ring) > 0) != forward):
        level = 255 if (_area(ring) > 0) == forward else 0
        texels = np.round((ring * scale - low - 0.5) * 2**_SHIFT).astype(np.int32)
        cv2.fillPoly(mask, [texels.reshape(-1, 1, 2)], (level,), cv2.LINE_8, _SHIFT)
    fine[low[1] : high[1], low[0] : high[0]][mask > 0] = ink.colour[::-1]


def _area(ring: FloatArray) -> float:
    """Twice the signed area."""
    x, y = ring.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
