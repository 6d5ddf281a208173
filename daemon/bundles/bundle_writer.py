"""Packs bundles and writes them into a folder that only its owner can read; those kept unasked stay under a quota."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import importlib.metadata
import platform
import re
import shutil
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import daemon
from calibration.atomic_file import write_atomically
from calibration.profile import TableProfile
from daemon.bundles.bundle import (
    MANIFEST,
    PROFILE,
    REJECTED,
    STANDING,
    BundleError,
    GameState,
    Manifest,
    PipelineSettings,
    Place,
    SceneFrame,
    frame_name,
)
from daemon.bundles.scene_ring import KeptFrame
from daemon.commands.command import as_object
from daemon.record.pictures import make_room
from rules import AnyGame
from system.weights import MODELS

PACKAGES = ("numpy", "opencv-python", "opencv-python-headless", "onnxruntime")
PER_FILE_BYTES = 200
"""Bytes that the zip format adds for each file in it."""
ASKED = "asked"
MIN_FREE_BYTES = 100 << 20
"""Bytes of disk space that no bundle may use: the record comes first."""
OWN = re.compile(rf"^kibitzer-[\w.:-]+-({'|'.join(REJECTED)})\.zip$")
PLAIN_WORDS = frozenset({"name", "rules", "agent", "seat", "language", "table"})
"""Keys whose texts are kept; any other text may be an address, a path, or a secret."""
PRIVATE = re.compile(r"token|key|secret|password|passwd|pin$|port|host|engine|command|user|allow")
"""Keys whose values are never kept, not even numbers."""
STRIPPED = "(stripped)"
PLAIN = re.compile(r"^[\w .=-]{0,64}$")
"""Pattern of a text that may be kept: no address and no path."""
DEEPEST = 6


@dataclasses.dataclass(frozen=True, eq=False)
class TableFacts:
    table: str
    game: AnyGame
    agents: tuple[str | None, str | None]
    seats: tuple[str, str]
    eyes: PipelineSettings
    config: Mapping[str, Any]
    """The settings, already stripped of private values."""
    profile: TableProfile | None


@dataclasses.dataclass(frozen=True, eq=False)
class Packed:
    manifest: Manifest
    frames: Sequence[KeptFrame]
    profile: bytes | None

    @property
    def size(self) -> int:
        """Bytes the file will have: an estimate, usually a little too large."""
        pictures = sum(len(one.jpeg or b"") + PER_FILE_BYTES for one in self.frames)
        return pictures + len(self.profile or b"") + len(self.manifest.model_dump_json())

    def write(self, file: IO[bytes]) -> None:
        """Writes the zip file; JPEGs are stored uncompressed. Raises OSError."""
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(MANIFEST, self.manifest.model_dump_json(), zipfile.ZIP_DEFLATED)
            if self.profile is not None:
                archive.writestr(PROFILE, self.profile)
            for number, one in enumerate(self.frames):
                archive.writestr(frame_name(number), one.jpeg or b"")


def pack(
    frames: Sequence[KeptFrame],
    facts: TableFacts,
    *,
    reason: str,
    note: str,
    shape: Mapping[str, float],
    now: datetime.datetime,
    left_out: int = 0,
) -> Packed:
    """Builds a bundle from these pictures. Raises BundleError if there are none."""
    if not frames:
        raise BundleError("no picture has come yet")
    first = frames[0]
    states, scene = _states(frames)
    stands = first.standing is not None and first.standing.code in STANDING and first.before.verdict != "unchanged"
    manifest = Manifest(
        created=now.isoformat(timespec="seconds"),
        reason=reason,
        note=note[:1024],
        table=facts.table,
        game=facts.game.name,
        rules=dataclasses.asdict(facts.game.rules),
        agents=facts.agents,
        seats=facts.seats,
        eyes=facts.eyes,
        shape=dict(shape),
        place=_place(first),
        states=states,
        standing=first.standing if stands else None,
        frames=scene,
        encoded_here=any(one.encoded_here for one in frames),
        left_out=left_out,
        config=dict(facts.config),
        versions=versions(),
        weights=weights(),
    )
    return Packed(manifest, frames, None if facts.profile is None else facts.profile.to_bytes())


def versions() -> dict[str, str]:
    """Versions of Kibitzer, Python and the main packages, and the machine type."""
    found = {"kibitzer": daemon.__version__, "python": platform.python_version(), "machine": platform.machine()}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def weights(folder: Path = MODELS) -> dict[str, str]:
    """SHA-256 of every file of model weights, by its name in the weights' manifest; empty without a manifest."""
    try:
        manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: str(entry["sha256"]) for name, entry in manifest.items() if "sha256" in entry}


def _states(frames: Sequence[KeptFrame]) -> tuple[tuple[GameState, ...], tuple[SceneFrame, ...]]:
    """The game states needed for a replay, and the pictures that refer to them."""
    states, scene = [frames[0].before], []
    believed = frames[0].before
    for number, one in enumerate(frames):
        told, said = None, one.commands if number else ()  # commands before the first picture are already in its state
        if one.before is not believed and one.before != believed:
            told = len(states)
            states.append(one.before)
        believed = one.after
        scene.append(
            SceneFrame(
                time_s=one.time_s,
                name=one.name,
                settled=one.settled,
                commands=tuple(map(as_object, said)),  # type: ignore[arg-type]
                told=told,
                said=one.said,
            )
        )
    return tuple(states), tuple(scene)


def _place(first: KeptFrame) -> Place | None:
    if first.pose is None:
        return None
    matrix = tuple(float(value) for value in first.pose.image_from_board.ravel())
    return Place(image_from_board=matrix, error_px=float(first.pose.error_px), quality=float(first.pose.quality))


class BundleStore:
    """Writes bundles into one folder; not thread-safe, for use by one thread."""

    def __init__(self, folder: Path, quota_bytes: int) -> None:
        """Creates the folder and removes half-written files. Raises BundleError."""
        self.folder = folder
        self._quota_bytes = quota_bytes
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
            for part in folder.glob(".kibitzer-*"):
                part.unlink(missing_ok=True)
        except OSError as error:
            raise BundleError(f"{folder}: bundles cannot be kept there: {error.strerror}") from error

    def put(self, packed: Packed, table: str, reason: str, now: datetime.datetime) -> Path:
        """Writes a bundle completely or not at all. Raises BundleError, also if the disk is nearly full."""
        kept_by_itself, size = reason in REJECTED, packed.size
        if kept_by_itself and size > self._quota_bytes:
            raise BundleError(f"a bundle of {size / 1e6:.0f} MB is more than quota_mb = {self._quota_bytes / 1e6:g}")
        path = self.folder / f"kibitzer-{table}-{now:%Y%m%dT%H%M%S.%f}-{reason}.zip"
        try:
            if kept_by_itself:
                make_room(self.kept(), self._quota_bytes - size)
            if shutil.disk_usage(self.folder).free < size + MIN_FREE_BYTES:
                raise BundleError(f"the disk of {self.folder} is nearly full")
            write_atomically(path, packed.write, private=True)
        except OSError as error:
            raise BundleError(f"{path}: cannot be written: {error.strerror}") from error
        return path

    def kept(self) -> list[Path]:
        """The automatically kept bundles, oldest first."""
        found = [path for path in self.folder.iterdir() if OWN.match(path.name)]
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def stripped(settings: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """The settings without secrets, and without paths and addresses on this computer or its network."""
    return {str(key): _kept(str(key), value, depth) for key, value in settings.items()}


def _kept(key: str, value: Any, depth: int) -> Any:
    if PRIVATE.search(key.lower()) or depth > DEEPEST:
        return STRIPPED
    if isinstance(value, Mapping):
        inner = {f"{name}": one for name, one in value.items()}
        if key in PLAIN_WORDS:
            return {name: _plain(one) for name, one in inner.items() if not PRIVATE.search(name.lower())}
        return stripped(inner, depth + 1)
    if value is None or isinstance(value, bool | int | float):
        return value
    return _plain(value) if key in PLAIN_WORDS else STRIPPED


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    return value if isinstance(value, str) and PLAIN.match(value) else STRIPPED
