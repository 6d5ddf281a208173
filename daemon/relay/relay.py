"""Sends the running game on after every change, through hours without a network."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path

import aiohttp

from daemon.record.journal import Journal, JournalError
from daemon.relay.demo_board import DEMO, DemoBoard
from daemon.relay.following import Following, Memory, digest_of
from daemon.relay.places import (
    ANSWER_S,
    ROUND,
    STUDY,
    BroadcastRound,
    Client,
    Place,
    Post,
    Refused,
    Study,
    Unreached,
    origin_of,
)

LOOK_S = 0.5
"""Seconds between two looks at the record: a move is followed within a second."""
MOST_S = 60.0
"""The longest wait until a place that cannot be reached is tried again; it begins at LOOK_S, and doubles."""

Say = Callable[[str], None]


def place_of(address: str) -> Place:
    """The place that an address means, by the form of its path. Raises AddressError."""
    origin = origin_of(address)
    path = address.removeprefix(origin).partition("?")[0].partition("#")[0]
    if found := ROUND.fullmatch(path):
        return BroadcastRound(origin, found[1])
    if found := STUDY.fullmatch(path):
        return Study(origin, found[1])
    if found := DEMO.fullmatch(path):
        return DemoBoard(origin, int(found[1]))
    return Post(address)


async def relay(journal: Path, address: str, token: str, say: Say, *, once: bool = False) -> None:
    """Follows the record at `journal`; `once` sends what there is, and ends.

    Raises AddressError, JournalError if there is no readable record, OSError if what was sent cannot be noted, and
    Refused if the place takes nothing at all.
    """
    place, memory = place_of(address), Memory(journal, address)
    record = Journal(journal, read_only=True)
    try:
        following = Following(record, place, memory)
        timeout = aiohttp.ClientTimeout(total=ANSWER_S)
        async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
            relaying = _Relaying(Client(session, token), place, following, memory, say)
            await relaying.run(once)
    finally:
        record.close()


class _Relaying:
    def __init__(self, client: Client, place: Place, following: Following, memory: Memory, say: Say) -> None:
        self._client, self._place, self._following, self._memory = client, place, following, memory
        self._say = say
        self._told = dict[str, str]()
        """What was said of each game that cannot be shown."""
        self._trouble = ""

    async def run(self, once: bool) -> None:
        wait_s = 0.0
        while True:
            try:
                if once or wait_s or self._following.changed():
                    while await self._send():
                        pass
                wait_s = 0.0
                self._report("")
            except (Unreached, JournalError) as error:
                wait_s = max(min(MOST_S, 2 * wait_s) or LOOK_S, getattr(error, "wait_s", 0.0))
                self._report(str(error))
            if once and not wait_s:
                return
            await asyncio.sleep(wait_s or LOOK_S)

    async def _send(self) -> bool:
        """Sends the first game that is due; False if none is. Raises Refused if nothing else would be taken."""
        due = self._following.due()
        self._tell()
        if due is None:
            return False
        sheet, sent = due
        try:
            mark = await self._place.send(self._client, sheet, sent.mark)
        except Refused as refusal:
            if refusal.is_final:
                raise
            self._following.refused[sheet.game_id] = digest_of(sheet)
            self._say(f"{sheet.game_id}: not sent: {refusal}")
            return True
        self._memory.keep(dataclasses.replace(sent, digest=digest_of(sheet), mark=mark, over=sheet.over))
        self._say(f"{sheet.game_id}: sent with plies: {sheet.plies}{', the game is over' if sheet.over else ''}")
        return True

    def _tell(self) -> None:
        """Says once why a game cannot be shown."""
        for game_id, why in self._following.untold.items():
            if self._told.get(game_id) != why:
                self._told[game_id] = why
                self._say(f"{game_id}: not sent: {why}")

    def _report(self, trouble: str) -> None:
        """Says what keeps it from sending, once for as long as it lasts; nothing is the end of it."""
        if trouble != self._trouble:
            self._trouble = trouble
            self._say(f"waiting: {trouble}; tried again within {MOST_S:g} s" if trouble else "reached again")
