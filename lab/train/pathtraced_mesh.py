"""Mitsuba 3 on LLVM, the renderer; and the triangle meshes of the path-traced table.

Meshes are turned bodies, boxes and sheets, with a colour at every corner. Frame: x to the right, y away from the
viewer, z up, in millimetres, the board's top-left corner at the origin: the simulated table's frame with y reversed, so
that it is right-handed."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import FloatArray

VARIANT = "llvm_ad_rgb"
OLDEST_LLVM = 17
"""Version; LLVM 15 aborts the process ("Cannot select") on processors with AVX-512 that are newer than itself."""


class RendererError(ValueError):
    """The renderer or a library of it is missing; the message says how to get it."""


@functools.cache
def load_mitsuba(threads: int = 1) -> Any:
    """The module `mitsuba` on so many processor cores. Raises RendererError."""
    try:
        mitsuba, drjit = importlib.import_module("mitsuba"), importlib.import_module("drjit")
    except ImportError as error:
        raise RendererError(f"{error.name} is not installed; ./kibitzer train installs it") from None
    try:
        mitsuba.set_variant(VARIANT)
        drjit.set_thread_count(threads)
        # The first array triggers the search for LLVM.
        drjit.eval(mitsuba.Float([0.0, 1.0]) + 1.0)
    except (ImportError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise RendererError(
            f"Mitsuba finds no LLVM ({reason}); on Debian: sudo apt-get install libllvm19, "
            "or name the library in DRJIT_LIBLLVM_PATH"
        ) from None
    version = drjit.detail.llvm_version()
    if version[0] < OLDEST_LLVM:
        raise RendererError(
            f"LLVM {version[0]} is too old for Mitsuba, which needs {OLDEST_LLVM} or newer; "
            "on Debian: sudo apt-get install libllvm19"
        )
    return mitsuba


Numbers = Sequence[float] | FloatArray


@dataclasses.dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles whose corners share places, normals, colours and texture coordinates."""

    places: FloatArray
    """(n, 3) millimetres."""
    normals: FloatArray
    """(n, 3) unit vectors outwards."""
    faces: NDArray[np.uint32]
    """(m, 3) indices, counter-clockwise as seen from outside."""
    colours: FloatArray
    """(n, 3) linear red, green, blue, 0 to 1."""
    texels: FloatArray
    """(n, 2) place in the texture, 0 to 1, x to the right and y down; zeros without a texture."""

    def coloured(self, colour: FloatArray) -> Mesh:
        return dataclasses.replace(self, colours=np.broadcast_to(colour, self.places.shape).astype(np.float64))

    def placed(self, at: Numbers, turn: float = 0.0, scale: float = 1.0, lean: float = 0.0) -> Mesh:
        """The mesh scaled, then tilted sideways, turned about the vertical (radians) and moved to `at`."""
        cosine, sine, up, aside = np.cos(turn), np.sin(turn), np.cos(lean), np.sin(lean)
        rotation = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]) @ np.array(
            [[up, 0, aside], [0, 1, 0], [-aside, 0, up]]
        )
        places = scale * self.places @ rotation.T + np.asarray(at)
        return dataclasses.replace(self, places=places, normals=self.normals @ rotation.T)

    @property
    def box(self) -> FloatArray:
        """(8, 3) corners of its axis-aligned bounding box."""
        low, high = self.places.min(axis=0), self.places.max(axis=0)
        return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def joined(meshes: Sequence[Mesh]) -> Mesh:
    starts = np.cumsum([0, *(len(mesh.places) for mesh in meshes)])
    faces = [mesh.faces + np.uint32(start) for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(
        np.concatenate([mesh.places for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate(faces).astype(np.uint32),
        np.concatenate([mesh.colours for mesh in meshes]),
        np.concatenate([mesh.texels for mesh in meshes]),
    )


def lathe(profile_mm: FloatArray, segments: int = 48) -> Mesh:
    """The body of revolution of a profile (n, 2) of radius and height, up the outside and in over the top."""
    way = np.diff(profile_mm, axis=0)
    outward = np.stack([way[:, 1], -way[:, 0]], axis=1) / np.maximum(np.linalg.norm(way, axis=1), 1e-9)[:, None]
    slant = np.concatenate([outward[:1], outward[:-1] + outward[1:], outward[-1:]])
    slant /= np.maximum(np.linalg.norm(slant, axis=1), 1e-9)[:, None]
    angles = np.arange(segments) * 2 * np.pi / segments
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = np.concatenate([profile_mm[:, None, :1] * circle, _upright(profile_mm[:, 1], segments)], axis=2)
    normals = np.concatenate([slant[:, None, :1] * circle, _upright(slant[:, 1], segments)], axis=2)
    ring, along = np.meshgrid(np.arange(len(profile_mm) - 1), np.arange(segments), indexing="ij")
    corner = ring * segments + along
    beside = ring * segments + (along + 1) % segments
    faces = _split(corner, beside, beside + segments, corner + segments)
    return _plain(places.reshape(-1, 3), normals.reshape(-1, 3), faces)


def sheet(low_mm: Numbers, high_mm: Numbers, height: Callable[[FloatArray], FloatArray], cells: int = 1) -> Mesh:
    """A sheet over an upright rectangle, at `height` of its (n, 2) places; its texture's top is at the largest y."""
    across, down = np.meshgrid(np.linspace(0, 1, cells + 1), np.linspace(0, 1, cells + 1))
    texels = np.stack([across, down], axis=-1).reshape(-1, 2)
    flat = np.stack(
        [low_mm[0] + texels[:, 0] * (high_mm[0] - low_mm[0]), high_mm[1] - texels[:, 1] * (high_mm[1] - low_mm[1])],
        axis=1,
    )
    step = 0.5
    slope = [(height(flat + step * way) - height(flat - step * way)) / (2 * step) for way in np.eye(2)]
    normals = np.stack([-slope[0], -slope[1], np.ones(len(flat))], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    row, column = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    corner = row * (cells + 1) + column
    faces = _split(corner + cells + 1, corner + cells + 2, corner + 1, corner)
    mesh = _plain(np.column_stack([flat, height(flat)]), normals, faces)
    return dataclasses.replace(mesh, texels=texels)


def block(half_mm: Numbers, height_mm: float, corner_mm: float, bevel_mm: float, steps: int = 4) -> Mesh:
    """A box on the plane z = 0, its upright edges rounded and its upper ones bevelled round; texture over the top.

    `half_mm` are half its length along x and half its width along y.
    """
    corner_mm = max(corner_mm, bevel_mm + 1e-3)
    angles = np.concatenate([quarter * np.pi / 2 + np.linspace(0, np.pi / 2, steps + 1) for quarter in range(4)])
    signs = np.repeat(np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]), steps + 1, axis=0)
    middles = signs * (np.asarray(half_mm) - corner_mm)
    outward = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rings: list[FloatArray] = []
    slants: list[FloatArray] = []
    bends = np.linspace(0, np.pi / 2, steps + 1)
    levels = [(0.0, 0.0, 0.0), *((bevel_mm * (1 - np.cos(b)), bevel_mm * np.sin(b), b) for b in bends)]
    for inset, rise, bend in levels:
        z = 0.0 if rise == 0 and not rings else height_mm - bevel_mm + rise
        flat = middles + (corner_mm - inset) * outward
        rings.append(np.column_stack([flat, np.full(len(flat), z)]))
        slants.append(np.column_stack([np.cos(bend) * outward, np.full(len(flat), np.sin(bend))]))
    rings.append(np.array([[0.0, 0.0, height_mm]] * len(angles)))
    slants.append(np.array([[0.0, 0.0, 1.0]] * len(angles)))
    count = len(angles)
    ring, along = np.meshgrid(np.arange(len(rings) - 1), np.arange(count), indexing="ij")
    corner, beside = ring * count + along, ring * count + (along + 1) % count
    mesh = _plain(np.concatenate(rings), np.concatenate(slants), _split(corner, beside, beside + count, corner + count))
    texels = 0.5 + mesh.places[:, :2] * (1, -1) / (2 * np.asarray(half_mm))
    return dataclasses.replace(mesh, texels=texels)


def in_mitsuba(mi: Any, name: str, mesh: Mesh, bsdf: dict[str, Any]) -> Any:
    """The mesh as a renderer object; its colours are the attribute `vertex_color`."""
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict(bsdf)
    made = mi.Mesh(
        name, len(mesh.places), len(mesh.faces), props=properties, has_vertex_normals=True, has_vertex_texcoords=True
    )
    values = mi.traverse(made)
    values["vertex_positions"] = mesh.places.astype(np.float32).ravel()
    values["vertex_normals"] = mesh.normals.astype(np.float32).ravel()
    values["vertex_texcoords"] = mesh.texels.astype(np.float32).ravel()
    values["faces"] = mesh.faces.astype(np.uint32).ravel()
    values.update()
    made.add_attribute("vertex_color", 3, mesh.colours.astype(np.float32).ravel())
    return made


def _upright(values: FloatArray, segments: int) -> FloatArray:
    return np.repeat(values[:, None, None], segments, axis=1)


def _split(a: NDArray[Any], b: NDArray[Any], c: NDArray[Any], d: NDArray[Any]) -> NDArray[np.uint32]:
    first, second = np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)
    return np.concatenate([first, second]).astype(np.uint32)


def _plain(places: FloatArray, normals: FloatArray, faces: NDArray[np.uint32]) -> Mesh:
    return Mesh(places, normals, faces, np.full(places.shape, 0.5), np.zeros((len(places), 2)))
