"""`kibitzer keys`: manages the keys for workers on other computers, the page's token, and the code for phones."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from agents import certificates
from daemon.bus.keys import DAEMON, OWN, KeyFolder
from daemon.cli.options import PortOption
from daemon.cli.wrong_call import refusals, settings_of, stop
from daemon.commands.page_client import address_of, ask
from daemon.config.settings import DEFAULT, load_config
from daemon.page.phones.door import Invitation
from daemon.page.token import new_token, page_token
from system import paths

FOLDER = paths.state_folder() / "keys"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
FolderOption = Annotated[Path, typer.Option("--folder", help="Folder of the keys, readable only by you.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


@app.callback()
def keys() -> None:
    """Manages the keys of workers on other computers, the page's token, and the code for phones.

    Without keys, only this computer can reach the bus. To let a worker on another computer join: on the table's
    computer run `kibitzer keys new daemon`, then set keys = "var/keys" and an address such as tcp://192.168.1.5:5555
    in the section `bus` of the settings. On the worker's computer run `kibitzer keys new laptop`. Copy laptop.key to
    the table's computer and run `kibitzer keys allow laptop.key` there; copy daemon.key to the worker's computer and
    name it, and the worker's own secret key, in `kibitzer worker`.

    Exit status: 0 done, 2 refused.
    """


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Name for the worker; `daemon` makes the daemon's own pair.")],
    folder: FolderOption = FOLDER,
    as_json: JsonOption = False,
) -> None:
    """Makes a key pair: NAME.key, to pass on, and NAME.key_secret, which stays on this computer.

    Example: kibitzer keys new laptop
    """
    with refusals("keys new"):
        public, secret = KeyFolder(folder).new(name)
        fingerprint = KeyFolder(folder).pairs()[name].fingerprint
    if as_json:
        _print({"name": name, "public": str(public), "secret": str(secret), "fingerprint": fingerprint})
        return
    sys.stdout.write(f"{public}: hand this one on (fingerprint {fingerprint})\n{secret}: keep this one to yourself\n")
    if name == DAEMON:
        sys.stdout.write(f'Set keys = "{folder}" under [bus] of the settings, and start the daemon again.\n')
    else:
        sys.stdout.write(f"Let it join on the table's computer: kibitzer keys allow {public.name}\n")


@app.command("allow")
def allow(
    file: Annotated[Path, typer.Argument(help="The worker's public key, NAME.key.")],
    name: Annotated[str, typer.Option(help="Name to list it under. Default: the name of the file.")] = "",
    folder: FolderOption = FOLDER,
) -> None:
    """Allows the owner of a key to join the bus; takes effect in a running daemon at once.

    Compare the fingerprint with the one that `kibitzer keys new` printed on the worker's computer.

    Example: kibitzer keys allow laptop.key
    """
    ours = KeyFolder(folder)
    source = file if file.exists() or file.parent != Path() else ours.path / file
    with refusals("keys allow"):
        listed = ours.allow(source, name)
        fingerprint = certificates.read(source).fingerprint
    sys.stdout.write(f"{listed} may join (fingerprint {fingerprint}).\n")


@app.command("list")
def show(folder: FolderOption = FOLDER, as_json: JsonOption = False) -> None:
    """Lists the keys that may join and the pairs made here, with fingerprints.

    Example: kibitzer keys list --json
    """
    ours = KeyFolder(folder)
    with refusals("keys list"):
        ours.check()
    allowed = {name: certificates.Certificate(key).fingerprint for name, key in ours.allowed().items()}
    pairs = {name: pair.fingerprint for name, pair in ours.pairs().items() if name != OWN}
    damaged = [str(path) for path in ours.damaged()]
    if as_json:
        _print({"folder": str(folder), "allowed": allowed, "pairs": pairs, "damaged": damaged})
        return
    lines = [f"allowed  {name:<32} {fingerprint}" for name, fingerprint in allowed.items()]
    lines += [f"pair     {name:<32} {fingerprint}" for name, fingerprint in pairs.items()]
    lines += [f"damaged  {path}: remove it, or allow the key again" for path in damaged]
    sys.stdout.write("\n".join(lines or [f"No keys in {folder}. `kibitzer keys new daemon` makes the first."]) + "\n")


@app.command("revoke")
def revoke(
    name: Annotated[str, typer.Argument(help="Name from `kibitzer keys list`.")], folder: FolderOption = FOLDER
) -> None:
    """Stops allowing a key; a running daemon ends its connection within a second.

    Example: kibitzer keys revoke laptop
    """
    with refusals("keys revoke"):
        KeyFolder(folder).revoke(name)
    sys.stdout.write(f"{name} may not join any more.\n")


@app.command("token")
def token(
    config: Annotated[Path, typer.Option("--config", help="Settings of the daemon.")] = DEFAULT,
    fresh: Annotated[bool, typer.Option("--new", help="Make a new token; the old one stops working.")] = False,
) -> None:
    """Prints the token that other computers need to send commands to the page; the first use creates it.

    Send it as `Authorization: Bearer TOKEN`. This computer needs no token.

    Example: curl -H "Authorization: Bearer $(kibitzer keys token)" -H "Content-Type: application/json"
    -d '{"command": "pause"}' http://192.168.1.5:8765/tell
    """
    with refusals("keys token"):
        path = paths.resolved(load_config(config).page.token)
        sys.stdout.write((new_token(path) if fresh else page_token(path)) + "\n")


@app.command("phone")
def phone(
    config: Annotated[
        Path, typer.Option("--config", help="The daemon's settings; they say where its page is.")
    ] = DEFAULT,
    port: PortOption = 0,
    fresh: Annotated[bool, typer.Option("--new", help="Make a new code; the old one stops working.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Forget all phones that are paired.")] = False,
) -> None:
    """Shows the code that a phone scans to film for the running daemon, which opens its door for phones.

    Each code pairs one phone. A paired phone stays so until it is forgotten, or sixteen others came after it.

    Example: kibitzer keys phone --forget
    """
    address = address_of(settings_of("keys phone", config).page, port)
    status, told = ask(f"{address}/phone{'?new' if fresh else ''}", "DELETE" if forget else "POST")
    if status != 200:
        raise stop("keys phone", str(told.get("text", "what answers there is no Kibitzer")))
    addresses = tuple(str(one["address"]) for one in told["addresses"])
    invitation = Invitation(addresses, float(told["ends_s"]), int(told["phones"]))
    lines = [invitation.in_terminal(), *addresses, f"Phones that are paired: {invitation.phones}."]
    sys.stdout.write("\n".join(lines) + "\n")


def _print(found: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
