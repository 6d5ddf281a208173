"""Paths of files: beside the program in a checkout, otherwise in the system's standard folders.

|          | in a checkout   | installed                                                                              |
|----------|-----------------|----------------------------------------------------------------------------------------|
| settings | `config.toml`   | `config.toml` in `$XDG_CONFIG_HOME/kibitzer`, else in `/etc/kibitzer`, else as shipped |
| state    | `var/`          | `$XDG_STATE_HOME/kibitzer`; a systemd service's own folder                             |
| caches   | in the checkout | `$XDG_CACHE_HOME/kibitzer`; a systemd service's own folder                             |
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

import platformdirs

NAME = "kibitzer"
PROGRAM = Path(__file__).resolve().parents[1]
"""The checkout, or the folder in which the packages are installed."""
IN_CHECKOUT = (PROGRAM / "pyproject.toml").is_file()
STATE_IN_CHECKOUT = "var"
SETTINGS = "config.toml"
SHIPPED = PROGRAM / SETTINGS if IN_CHECKOUT else PROGRAM / "daemon" / "config" / SETTINGS
FOR_ALL = Path("/etc") / NAME
"""Folder of the settings for all users of this computer."""


def settings_file(in_checkout: bool = IN_CHECKOUT) -> Path:
    if in_checkout:
        return SHIPPED
    own = platformdirs.user_config_path(NAME, appauthor=False)
    return next((path for path in (own / SETTINGS, FOR_ALL / SETTINGS) if path.is_file()), SHIPPED)


def state_folder(in_checkout: bool = IN_CHECKOUT) -> Path:
    if in_checkout:
        return PROGRAM / STATE_IN_CHECKOUT
    return _of_systemd("STATE_DIRECTORY") or platformdirs.user_state_path(NAME, appauthor=False)


def cache_folder(name: str, in_checkout: bool = IN_CHECKOUT) -> Path:
    """Folder for data that can be regenerated; in a checkout, `name` itself."""
    if in_checkout:
        return PROGRAM / name
    caches = _of_systemd("CACHE_DIRECTORY") or platformdirs.user_cache_path(NAME, appauthor=False)
    return caches / Path(name).name.lstrip(".")


def is_private(folder: Path) -> bool:
    """Whether a folder is this user's and only this user may write it: what lies there may be loaded as code."""
    facts = folder.stat()
    return facts.st_uid == os.getuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def is_read_only(folder: Path) -> bool:
    """Whether the disk takes no writing, as Linux decides by itself where it meets damage; found out by writing.

    Newer ones tell it in no other way.
    """
    try:
        with tempfile.TemporaryFile(dir=folder):
            return False
    except OSError as error:
        return error.errno == errno.EROFS


def exposed(path: Path) -> str:
    """Which other user may change a file or folder, or put another in its place, and what to do; empty if none may.

    A group is trusted, as its owner named it, and so is root. With the sticky bit nobody replaces another's entries.
    """
    there = path.resolve()
    for one in (there, *there.parents):
        try:
            found = one.stat()
        except OSError:  # it is not there yet
            continue
        if found.st_uid not in (0, os.geteuid()):
            return f"{one} belongs to another user: sudo chown $USER {one}"
        if found.st_mode & stat.S_IWOTH and not (stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX):
            return f"every user may write {one}: chmod o-w {one}"
    return ""


def resolved(path: Path | str, in_checkout: bool = IN_CHECKOUT) -> Path:
    """A path from the settings as an absolute path.

    A relative path starts at the checkout; in an installation at the state folder, for which `var/` then stands.
    """
    given = Path(path).expanduser()
    if in_checkout or given.is_absolute():
        return PROGRAM / given
    inside = given.relative_to(STATE_IN_CHECKOUT) if given.parts[:1] == (STATE_IN_CHECKOUT,) else given
    return state_folder(in_checkout) / inside


def left_behind(path: Path | str, in_checkout: bool = IN_CHECKOUT) -> Path | None:
    """A relative path of the settings, if it exists in the current folder but not where the installation looks for it.

    Someone who used to run Kibitzer from a checkout may call the installed one there, and would miss their record.
    """
    there = Path.cwd() / Path(path).expanduser()
    here = resolved(path, in_checkout)
    return there if not in_checkout and there != here and there.exists() and not here.exists() else None


def installs(extra: str, command: str) -> str:
    """How to install the packages of an extra of `pyproject.toml`, in words."""
    if IN_CHECKOUT:
        return f"`./kibitzer {command}` installs it"
    return f"install Kibitzer with it: `uv tool install '.[{extra}]'` or `pip install '.[{extra}]'` in the checkout"


def _of_systemd(variable: str) -> Path | None:
    """The folder made by systemd for the service to which this process belongs; None outside a service."""
    first = os.environ.get(variable, "").partition(":")[0]
    return Path(first) if first else None
