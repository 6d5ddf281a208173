"""Input from the bus: messages, and workers' replies to the registry and the referee."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import games
from agents import certificates, messages
from agents.certificates import CertificateError
from agents.messages import MessageError, ReplyMessage, StateMessage
from daemon.bus import endpoints, keys, worker_registry
from daemon.bus.endpoints import BusError
from daemon.bus.worker_registry import WorkerRegistry
from daemon.judging.referee import Referee
from tests.fuzz.entry import Entry, IllegalState
from tests.fuzz.game_entries import text_of, walks
from wording.outside import clean

READY = {"schema_version": 1, "type": "ready", "worker": "w1", "agents": ["random"], "games": ["reversi"]}
HEARTBEAT = {"schema_version": 1, "type": "heartbeat", "worker": "w1"}
REPLY = {
    "schema_version": 1, "type": "reply", "worker": "w1", "agent": "random", "session": "s1", "game_id": "g1",
    "sequence": 7, "move": "d3", "score": 0.5, "nodes": 10, "depth": 3, "seconds": 0.1, "pv": ["d3", "c5"],
}  # fmt: skip
WORDS = (*(f'"{name}"'.encode() for name in (*READY, *REPLY)), b"null", b"true", b"1e5", b"\\ud800", b"\\u202e")


def entries() -> list[Entry]:
    mine = tuple(json.dumps(one).encode() for one in (READY, HEARTBEAT, REPLY))
    state = messages.encode(_state())
    error = b'{"schema_version":1,"type":"error","code":"unasked","text":"no","field":"agent"}'
    talks = (b"\n".join(mine), b"\n".join([mine[0], mine[2], mine[2], mine[1]]), mine[2])
    endpoints_known = tuple(
        one.encode() for one in ("tcp://127.0.0.1:5555", "tcp://[::1]:*", "ipc:///run/kibitzer/s", "tcp://localhost:1")
    )
    moves = tuple(
        bytes([number]) + game.format_move(position, move).encode()
        for number, (game, position) in enumerate(walks())
        for move in list(game.legal_moves(position))[:3]
    )
    certificate = b'metadata\ncurve\n    public-key = "' + b"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID" + b'"\n'
    return [
        Entry("worker_message", "bus", worker_message, mine, WORDS, weight=6),
        Entry("daemon_message", "bus", daemon_message, (state, error), WORDS, weight=2, longest=8192),
        Entry("registry", "bus", talk_to_registry, talks, WORDS, weight=0.5, longest=8192),
        Entry("agents_reply", "bus", agents_reply, moves, (b"x", b"-", b"pass", b"=", b"swap"), weight=1),
        Entry("endpoint", "bus", endpoint, endpoints_known, (b"0.0.0.0", b"tcp://", b"[::]", b"*"), weight=1),
        Entry("certificate", "bus", certificate_file, (certificate,), (b"secret-key", b"="), weight=0.5, guided=False),
        Entry("shown_text", "bus", shown_text, ("a\u202eb c".encode(), b"plain \x1b[0m"), weight=1),
    ]


def worker_message(data: bytes) -> bool:
    """Reads a worker's message; an accepted one must survive encoding and decoding."""
    try:
        message = messages.decode_from_worker(data)
    except MessageError:
        return False
    if messages.decode_from_worker(messages.encode(message)) != message:
        raise IllegalState("a message changes on the way")
    if isinstance(message, ReplyMessage) and not message.move.isprintable():
        raise IllegalState(f"a move that cannot be shown: {message.move!r}")
    return True


def daemon_message(data: bytes) -> bool:
    try:
        message = messages.decode_from_daemon(data)
    except MessageError:
        return False
    if messages.decode_from_daemon(messages.encode(message)) != message:
        raise IllegalState("a message changes on the way")
    return True


def talk_to_registry(data: bytes) -> bool:
    """Takes message lines from two connections while state 7 asks agent random; only a matching reply may pass."""
    here, state = WorkerRegistry(), _state()
    here.expect(state)
    now_s = 100.0
    for number, line in enumerate(data.split(b"\n")[:200]):
        now_s += 0.01
        error = here.take(b"b" if number % 7 == 6 else b"a", line, now_s)
        if error is not None and (not error.code or len(str(error)) > 4000):
            raise IllegalState("an error without a code, or one that fills the wire")
    replies = here.replies()
    for reply in replies:
        quoted = (reply.session, reply.game_id, reply.sequence, reply.agent)
        if quoted != (state.session, state.game_id, state.sequence, "random"):
            raise IllegalState(f"a reply that quotes {quoted} is let through")
    if len(replies) > 2 or len(here.workers(now_s)) > worker_registry.MAX_WORKERS:
        raise IllegalState(f"{len(replies)} replies of two connections")
    return bool(replies)


def agents_reply(data: bytes) -> bool:
    """Gives the referee the text of an agent's move: it must accept only legal moves, and silently refuse others."""
    known = walks()
    game, position = known[data[0] % len(known)] if data else known[0]
    if game.outcome(position) is not None:
        return False
    text = text_of(data[1:])
    referee = Referee(game, ("random", "random"), [position])
    referee.reply("random", referee.ply, text)
    if referee.agent_move is None:
        return False
    if referee.agent_move not in list(game.legal_moves(position)):
        raise IllegalState(f"{game.name}: the agent may play {text!r}")
    return True


def endpoint(data: bytes) -> bool:
    """Checks an address from the settings; without keys, only addresses on this computer are accepted."""
    try:
        taken = endpoints.checked(text_of(data))
    except BusError:
        return False
    if not taken.startswith(("tcp://127.", "tcp://[::1]:", "ipc:///")):
        raise IllegalState(f"{taken} can be reached by others")
    return True


def certificate_file(data: bytes) -> bool:
    """Reads a file of keys, and checks the name of a key."""
    path = scratch_file(data)
    with contextlib.suppress(CertificateError):
        keys.checked_name(text_of(data[:40]))
    try:
        found = certificates.read(path)
    except CertificateError:
        return False
    if len(found.public) != certificates.KEY_LENGTH:
        raise IllegalState(f"a key of {len(found.public)} characters")
    return True


def shown_text(data: bytes) -> bool:
    """Cleans text from outside: the result must be printable, one line, and not longer than asked."""
    shown = clean(text_of(data), 80)
    if len(shown) > 80 or not shown.isprintable() or clean(shown, 80) != shown:
        raise IllegalState(f"shown as {shown!r}")
    return bool(shown)


def _state() -> StateMessage:
    game = games.load("reversi")
    position = game.initial()
    fields: dict[str, Any] = {
        "session": "s1", "table": "table", "game": game.name, "rules": {}, "game_id": "g1", "sequence": 7, "ply": 0,
        "moves": [], "position": game.format_position(position), "board": game.board(position),
        "cells": list(game.cells), "sides": game.sides, "to_move": 0, "awaiting": "agent", "verdict": "legal",
        "players": ({"agent": "random"}, {"agent": None}),
        "legal_moves": [game.format_move(position, move) for move in game.legal_moves(position)],
    }  # fmt: skip
    return StateMessage.model_validate(fields)


def scratch_file(data: bytes, name: str = "input") -> Any:
    """Writes the data to a file in memory; one file per process and name."""
    import os
    from pathlib import Path

    folder = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    path = folder / f"kibitzer-fuzz-{os.getpid()}-{name}"
    path.write_bytes(data)
    return path
