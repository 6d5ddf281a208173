"""Reads a bundle as untrusted input: anybody may have made it. Nothing from it is ever written to disk."""

from __future__ import annotations

import itertools
import re
import zipfile
import zlib
from pathlib import Path

from pydantic import ValidationError

from calibration.profile import ProfileError, TableProfile
from daemon.bundles.bundle import MANIFEST, MAX_FRAMES, PROFILE, VERSION, BundleError, Manifest, frame_name
from system.named_files import open_regular
from vision.sources.encoded import TooLargeError, peek

MAX_FILE_BYTES, MAX_CONTENT_BYTES = 2 << 30, 2 << 30
"""Bytes: greatest size of the file, and of the declared content in total."""
MAX_MANIFEST_BYTES, MAX_PROFILE_BYTES, MAX_FRAME_BYTES = 64 << 20, 32 << 20, 32 << 20
NAMES = re.compile(r"^(manifest\.json|profile\.npz|frames/\d{6}\.jpg)$")
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


class BundleFile:
    """An open bundle; close it, or use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        """Reads the manifest and checks the list of files. Raises BundleError."""
        self.path = path
        try:
            open_regular(path, MAX_FILE_BYTES).close()
            self._archive = zipfile.ZipFile(path)
        except OSError as error:
            raise BundleError(f"{path}: {error.strerror or error}") from error
        except DAMAGED as error:
            raise BundleError(f"{path}: this is no bundle, or a damaged one ({error})") from error
        try:
            self._check_names()
            self.manifest = self._manifest()
            self._check_frames()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> BundleFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._archive.close()

    def profile(self) -> TableProfile | None:
        """The table's profile; None if the bundle has none. Raises BundleError."""
        if PROFILE not in self._archive.NameToInfo:
            return None
        try:
            profile = TableProfile.from_bytes(self._read(PROFILE, MAX_PROFILE_BYTES))
            profile.check_game(self.manifest.game)
        except ProfileError as error:
            raise BundleError(f"{self.path}: its profile: {error}") from error
        return profile

    def jpeg(self, number: int) -> bytes:
        """One picture as JPEG, checked to be complete and small enough to decode. Raises BundleError."""
        data = self._read(frame_name(number), MAX_FRAME_BYTES)
        try:
            if peek(data) is not None:
                return data
            fault = "is no picture"
        except TooLargeError as error:
            fault = str(error)
        raise BundleError(f"{self.path}: {frame_name(number)}: {fault}")

    def _check_names(self) -> None:
        entries = self._archive.infolist()
        strange = next((entry.filename for entry in entries if not NAMES.match(entry.filename)), None)
        if strange is not None:
            raise BundleError(f"{self.path}: {strange[:64]!r} does not belong in a bundle")
        if len(entries) > MAX_FRAMES + 2 or len({entry.filename for entry in entries}) != len(entries):
            raise BundleError(f"{self.path}: there are too many files in it, or one twice")
        if sum(entry.file_size for entry in entries) > MAX_CONTENT_BYTES:
            raise BundleError(f"{self.path}: unpacks to more than {MAX_CONTENT_BYTES >> 30} GiB")

    def _manifest(self) -> Manifest:
        content = self._read(MANIFEST, MAX_MANIFEST_BYTES)
        try:
            return Manifest.model_validate_json(content, strict=True)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in fault["loc"])
            hint = f"; this Kibitzer reads version {VERSION}" if where in ("version", "format") else ""
            raise BundleError(f"{self.path}: its manifest: {where}: {fault['msg']}{hint}") from error

    def _check_frames(self) -> None:
        manifest = self.manifest
        missing = [n for n in range(len(manifest.frames)) if frame_name(n) not in self._archive.NameToInfo]
        if missing:
            raise BundleError(f"{self.path}: {frame_name(missing[0])} is missing")
        times_s = [frame.time_s for frame in manifest.frames]
        if any(after < before for before, after in itertools.pairwise(times_s)):
            raise BundleError(f"{self.path}: its pictures are not in the order of their times")
        if any(frame.told is not None and frame.told >= len(manifest.states) for frame in manifest.frames):
            raise BundleError(f"{self.path}: a picture names a state that is not there")

    def _read(self, name: str, most: int) -> bytes:
        """The content of one file, read without trusting its declared size. Raises BundleError."""
        try:
            with self._archive.open(name) as file:
                content = file.read(most + 1)
        except KeyError as error:
            raise BundleError(f"{self.path}: {name} is missing: this is no bundle") from error
        except DAMAGED as error:
            raise BundleError(f"{self.path}: {name} is damaged ({error})") from error
        if len(content) > most:
            raise BundleError(f"{self.path}: {name} is larger than {most >> 20} MiB")
        return content
