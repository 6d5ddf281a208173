"""Shows a game of go on a demo board of online-go.com, by its websocket.

A message is an array of its name and its data; the answer to one with a number begins with that number. The board's
owner, or whom they made its controller, appends whole lines of moves; a line shorter than the last one goes back. The
facts are from https://github.com/online-go/goban, src/engine/protocol and GobanSocket.ts.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import re
from typing import Any

import aiohttp

import daemon
from daemon.record.formats.sgf import COLOURS, SgfError, first_of
from daemon.record.formats.sgf_reading import main_line
from daemon.relay.places import ANSWER_S, Client, Refused, Sheet, Unreached, as_object, why_unreached
from wording.outside import clean

DEMO = re.compile(r"/(?:demo(?:/view)?|review)/(\d{1,18})/?")
GO = "go"
AUTHENTICATE = 1
"""Number of the message that is answered."""
PASS = ".."


@dataclasses.dataclass(frozen=True)
class DemoBoard:
    origin: str
    review_id: int
    suffix: str = ".sgf"
    numbered: bool = False

    async def send(self, client: Client, sheet: Sheet, _mark: str) -> str:
        if sheet.game != GO:
            raise Refused(f"a demo board shows {GO}, and this is {sheet.game}")
        config = as_object(await client.ask("GET", f"{self.origin}/api/v1/ui/config"))
        jwt, user = config.get("user_jwt"), config.get("user")
        if not isinstance(jwt, str) or not isinstance(user, dict) or user.get("anonymous"):
            raise Refused("401: nobody is known by this token", 401)
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._append(client.session, jwt, user.get("id"), sheet)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unreached(why_unreached(error)) from None
        return ""

    async def _append(self, session: aiohttp.ClientSession, jwt: str, user: object, sheet: Sheet) -> None:
        async with session.ws_connect(f"ws{self.origin.removeprefix('http')}/") as socket:
            told = {"jwt": jwt, "client": "Kibitzer", "client_version": daemon.__version__}
            await socket.send_json(["authenticate", told, AUTHENTICATE])
            if not isinstance(await _answer(socket, AUTHENTICATE), dict):
                raise Refused("401: it does not let this user in", 401)
            await socket.send_json(["review/connect", {"review_id": self.review_id}])
            self._check(await _answer(socket, f"review/{self.review_id}/full_state"), user, sheet)
            await socket.send_json(["review/append", {"review_id": self.review_id, **_line(sheet)}])
            await socket.send_json(["net/ping", {"client": 0, "drift": 0, "latency": 0}])
            await _answer(socket, "net/pong")  # messages are read in turn: the line has arrived

    def _check(self, state: Any, user: object, sheet: Sheet) -> None:
        """Raises Refused if the board is another's, or of another size."""
        steps = [one for one in state if isinstance(one, dict)] if isinstance(state, list) else []
        for name in ("controller", "owner"):
            named = [one[name] for one in steps if one.get(name)]
            if named:
                who = named[-1].get("id") if isinstance(named[-1], dict) else named[-1]
                if who != user:
                    raise Refused(f"403: user {user} does not control demo board {self.review_id}", 403)
                break
        sizes = [one["gamedata"].get("width") for one in steps if isinstance(one.get("gamedata"), dict)]
        size = int(first_of(_nodes(sheet)[0], "SZ", "19"))
        if sizes and sizes[-1] != size:
            raise Refused(f"demo board {self.review_id} has {sizes[-1]} lines, the game {size}")


async def _answer(socket: aiohttp.ClientWebSocketResponse, name: str | int) -> Any:
    """The data of the next message of that name or number. Raises Refused for an error that it is told instead."""
    async for message in socket:
        if message.type is not aiohttp.WSMsgType.TEXT:
            break
        with contextlib.suppress(ValueError):
            told = json.loads(message.data)
            if not isinstance(told, list) or not told:
                continue
            heard, data, fault = (*told, None, None)[:3]
            if heard == name and fault is None:
                return data
            if heard == name or str(heard).lower() == "error":
                raise Refused(clean(json.dumps(data if fault is None else fault), 200))
    raise aiohttp.ClientError("the connection was closed")


def _nodes(sheet: Sheet) -> list[dict[str, list[str]]]:
    try:
        return main_line(sheet.text, [])
    except SgfError as error:
        raise Refused(str(error)) from None


def _line(sheet: Sheet) -> dict[str, object]:
    """The whole line of moves from the beginning, and the result as a note.

    A stone of a colour that is not on turn there, such as those of a handicap, is marked by `!` and its colour: 1 is
    black, 2 is white. Such a one leaves the turn as it was.
    """
    nodes, moves, turn = _nodes(sheet), "", 0
    for node in nodes:
        for colour, name in enumerate(COLOURS):
            moves += "".join(f"!{colour + 1}{value}" for value in node.get(f"A{name}", ()))
    for node in nodes:
        for colour, name in enumerate(COLOURS):
            for value in node.get(name, ()):
                if value and colour != turn:
                    moves += f"!{colour + 1}{value}"
                else:
                    moves += value or PASS
                    turn = 1 - turn
    result = first_of(nodes[0], "RE")
    return {"f": 0, "m": moves} | ({"t": result} if sheet.over and result else {})
