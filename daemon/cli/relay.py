"""`kibitzer relay`: the running game, to where people follow it."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from calibration.atomic_file import read_private
from daemon.cli.game_arguments import RECORD
from daemon.cli.wrong_call import BLOCKED, refusals, stop
from daemon.record.journal import JournalError
from daemon.relay.places import AddressError, Refused, is_private_to
from daemon.relay.relay import place_of, relay
from wording.outside import visible_lines

MAX_TOKEN = 4096
"""Bytes of a token; a JSON web token has some hundreds."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("relay")
def main(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Where to send the game; see above.")],
    token: Annotated[
        Path | None, typer.Option(help="File with the token for that address; only you may be able to read it.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Send what there is, and end.")] = False,
    journal: Annotated[Path, typer.Option(help="File of the record.")] = RECORD,
) -> None:
    """Sends the game being played, and those after it, to where people follow it, after every move.

    ADDRESS is copied from the browser:

    - a round of a Lichess broadcast that has no source: https://lichess.org/broadcast/NAME/ROUND/AbCdEfGh

    - a Lichess study, which gets a chapter for each game: https://lichess.org/study/AbCdEfGh

    - a demo board of online-go.com of the game's size: https://online-go.com/demo/123456

    - any other address gets a POST with the whole game so far, in its usual format, after every change

    Broadcasts and studies show chess, demo boards go. The token for Lichess needs the scope study:write
    (https://lichess.org/account/oauth/token); that for online-go.com is an OAuth2 access token of the board's owner.

    It needs nothing but the record that the running daemon keeps. Without a network it waits, and then sends every game
    as it stands; stopped and started again, it goes on. A move taken back is taken back there, too, but a broadcast
    shows it until another is made. Imported games and puzzles are not sent, dominoes when they are over.

    Ends with 1 if the place refuses the token or the address, and with Ctrl-C.

    Example: kibitzer relay https://lichess.org/broadcast/club-night/round-1/AbCdEfGh --token lichess.token
    """
    with refusals("relay", AddressError):
        place_of(address)
        secret = "" if token is None else _token(token, address)
    if not journal.is_file():
        raise stop("relay", f"{journal}: there is no record yet; `kibitzer run` makes one")
    try:
        asyncio.run(relay(journal, address, secret, _say, once=once))
    except Refused as refusal:
        raise stop("relay", f"{address} refuses: {refusal}", 1) from None
    except (JournalError, OSError) as error:
        raise stop("relay", error, BLOCKED) from None


def _say(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')}  {visible_lines(text)}\n")
    sys.stderr.flush()


def _token(path: Path, address: str) -> str:
    """Raises AddressError."""
    try:
        content, is_shown = read_private(path, MAX_TOKEN)
        token = content.decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no token"
        raise AddressError(f"{path}: cannot be read: {why}") from None
    if is_shown:
        raise AddressError(f"{path}: others may read this token; `chmod 600 {path}` ends that")
    if not token or not token.isprintable() or " " in token:
        raise AddressError(f"{path}: holds no token, which is one word")
    if not is_private_to(address):
        raise AddressError(f"{address} is not encrypted: anybody on the way could read the token; use https://")
    return token
