"""`kibitzer service`: prints, writes or removes the daemon's systemd unit; starts nothing."""

from __future__ import annotations

import contextlib
import getpass
import os
import pwd
import sys
from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.wrong_call import settings_of, stop
from daemon.config.settings import DEFAULT, ROOT
from daemon.supervision.unit import MARK, unit_of
from system import paths

NAME = "kibitzer"
PROGRAM = None if paths.IN_CHECKOUT else Path(sys.executable).with_name(NAME)
MAX_BYTES = 1 << 20

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Run the daemon as a systemd service: it starts with the computer, and restarts if it crashes or hangs.",
)
ConfigOption = Annotated[Path, typer.Option("--config", help="Settings for the daemon.")]
OwnOption = Annotated[bool, typer.Option("--user", help="Make a service of your own login, not of the system.")]
RunAsOption = Annotated[str, typer.Option("--run-as", help="User of a system service. Default: the program's owner.")]
NameOption = Annotated[str, typer.Option("--name", help="Name of the unit; each table on this computer needs its own.")]
RootOption = Annotated[Path, typer.Option("--root", help="Write below this folder instead of /, for images and tests.")]


@app.command("unit")
def unit(
    config: ConfigOption = DEFAULT, own: OwnOption = False, run_as: RunAsOption = "", name: NameOption = NAME
) -> None:
    """Prints the unit that `install` would write, without writing it.

    Example: kibitzer service unit --config /etc/kibitzer.toml
    """
    _checked(name, "unit")
    sys.stdout.write(_text(config, "unit", name, own=own, run_as=run_as))


@app.command("install")
def install(
    config: ConfigOption = DEFAULT,
    own: OwnOption = False,
    run_as: RunAsOption = "",
    name: NameOption = NAME,
    root: RootOption = Path("/"),
    force: Annotated[bool, typer.Option("--force", help="Replace even a unit that Kibitzer did not write.")] = False,
) -> None:
    """Writes the unit and prints the commands that start it. A system service needs root: use sudo.

    Example: sudo ./kibitzer service install --config /etc/kibitzer.toml
    """
    _checked(name, "install")
    path, text = _place(root, name, own=own), _text(config, "install", name, own=own, run_as=run_as)
    if path.exists() and not _is_ours(path) and not force:
        raise stop("service install", f"{path}: there is a unit that Kibitzer did not write; --force replaces it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8")
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        raise stop("service install", f"{path}: {error.strerror}; {_remedy(error, own=own)}") from None
    control = "systemctl --user" if own else "sudo systemctl"
    sys.stderr.write(f"{path} is written. Nothing runs yet; now:\n")
    lines = [f"{control} daemon-reload", f"{control} enable --now {name}", f"{control} status {name}"]
    if own:
        lines += [f"loginctl enable-linger {getpass.getuser()}    # so that it runs while you are not logged in"]
    lines += [f"journalctl {'--user ' if own else ''}-u {name} -f    # what it says"]
    sys.stderr.write("".join(f"  {line}\n" for line in lines))
    if not own:
        _say_about_the_user(_user(run_as))


@app.command("uninstall")
def uninstall(own: OwnOption = False, name: NameOption = NAME, root: RootOption = Path("/")) -> None:
    """Removes the unit that `install` wrote; keeps record, settings and profiles.

    Example: sudo ./kibitzer service uninstall
    """
    _checked(name, "uninstall")
    path, control = _place(root, name, own=own), "systemctl --user" if own else "sudo systemctl"
    if not path.exists():
        hint = "" if own else "; is it one of your own (--user)?"
        raise stop("service uninstall", f"{path}: there is no such unit{hint}")
    if not _is_ours(path):
        raise stop("service uninstall", f"{path}: Kibitzer did not write this unit; it stays")
    try:
        path.unlink()
    except OSError as error:
        raise stop("service uninstall", f"{path}: {error.strerror}; {_remedy(error, own=own)}") from None
    sys.stderr.write(f"{path} is removed. What still runs is ended by:\n")
    sys.stderr.write(f"  {control} disable --now {name}\n  {control} daemon-reload\n")


def _text(config: Path, command: str, name: str, *, own: bool, run_as: str) -> str:
    settings = settings_of(f"service {command}", config)
    user = "" if own else _user(run_as)
    if any(letter in user for letter in "\n %/"):
        raise stop(f"service {command}", f"--run-as {run_as!r}: this is no user's name")
    return unit_of(ROOT, config.resolve(), settings, user, name, PROGRAM)


def _user(run_as: str) -> str:
    owner = ""
    with contextlib.suppress(KeyError, OSError):
        owner = pwd.getpwuid(ROOT.stat().st_uid).pw_name
    return run_as or (owner if owner != "root" else "") or NAME


def _say_about_the_user(user: str) -> None:
    try:
        pwd.getpwnam(user)
    except KeyError:
        sys.stderr.write(f"There is no user {user!r} yet; before that:\n")
        sys.stderr.write(f"  sudo useradd --system --no-create-home --groups video,audio {user}\n")
        if PROGRAM is None:
            sys.stderr.write(f"  sudo chown -R {user} {paths.state_folder()}\n")


def _place(root: Path, name: str, *, own: bool) -> Path:
    base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    folder = base / "systemd" / "user" if own else Path("/etc/systemd/system")
    return root / folder.relative_to("/") / f"{name}.service"


def _is_ours(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as unit:
            return unit.read(MAX_BYTES).startswith(MARK)
    except OSError:
        return False


def _checked(name: str, command: str) -> None:
    if not (0 < len(name) <= 64 and name.isascii() and all(letter.isalnum() or letter in "_-" for letter in name)):
        raise stop(f"service {command}", f"--name {name!r}: letters, digits, _ and -, up to 64")


def _remedy(error: OSError, *, own: bool) -> str:
    denied = isinstance(error, PermissionError) and not own
    return "try again with sudo, or with --user" if denied else "is it writable?"
