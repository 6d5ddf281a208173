"""A small client of the Wyoming protocol: a JSON line for each event, then its data and its payload, over TCP.

Every length is checked before anything is read, and every wait ends at the connection's deadline: the server may hang,
close, or send without an end. https://github.com/OHF-Voice/wyoming describes the events.
"""

from __future__ import annotations

import dataclasses
import json
import select
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

from daemon.voice import STOP_S, VoiceError
from wording.outside import clean

MAX_LINE = 65536
"""Bytes of an event's line."""
MAX_DATA = 1 << 20
"""Bytes of an event's data: a server may describe hundreds of voices."""
Address = tuple[str, int]


@dataclasses.dataclass(frozen=True)
class Event:
    type: str
    data: Mapping[str, Any]
    payload: bytes = b""

    def number(self, name: str) -> int:
        value = self.data.get(name)
        if type(value) is not int:
            raise VoiceError(f"{self.type} has no {name}")
        return value


class Connection:
    """A connection to a server that ends after `deadline_s` seconds, whatever the server does."""

    def __init__(self, address: Address, deadline_s: float, stop: threading.Event) -> None:
        """Connects. Raises VoiceError; so does every method, also if `stop` is set meanwhile."""
        self._name = f"wyoming://{address[0]}:{address[1]}"
        self._deadline_s, self._end_s, self._stop = deadline_s, time.monotonic() + deadline_s, stop
        self._unread = bytearray()
        try:
            self._socket = socket.create_connection(address, timeout=deadline_s)
        except OSError as error:
            raise VoiceError(f"{self._name} cannot be reached ({_why(error)})") from error
        self._socket.setblocking(False)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, kind: str, data: Mapping[str, object], payload: bytes = b"") -> None:
        line = {"type": kind, "data": data} | ({"payload_length": len(payload)} if payload else {})
        rest = memoryview(json.dumps(line).encode() + b"\n" + payload)
        while rest:
            self._wait(writing=True)
            try:
                rest = rest[self._socket.send(rest) :]
            except OSError as error:
                raise self._fault(f"closes the connection ({_why(error)})") from error

    def receive(self, most: int = 0) -> Event:
        """The next event, with a payload of at most `most` bytes. An `error` event is raised."""
        while b"\n" not in self._unread:
            if len(self._unread) > MAX_LINE:
                raise self._fault("sends no Wyoming events")
            self._read()
        line, _, rest = self._unread.partition(b"\n")
        self._unread = bytearray(rest)
        try:
            head = _object(line)
            data = _object(head.get("data") or {})
            more = self._take(_length(head, "data_length", MAX_DATA))
            data |= _object(more) if more else {}
            event = Event(str(head["type"]), data, self._take(_length(head, "payload_length", most)))
        except (ValueError, KeyError, RecursionError) as error:
            raise self._fault("sends no Wyoming events") from error
        if event.type == "error":
            raise self._fault(f"answers: {clean(str(data.get('text')), 200)}")
        return event

    def _take(self, length: int) -> bytes:
        while len(self._unread) < length:
            self._read()
        taken = bytes(self._unread[:length])
        del self._unread[:length]
        return taken

    def _read(self) -> None:
        self._wait()
        try:
            part = self._socket.recv(1 << 16)
        except OSError as error:
            raise self._fault(f"closes the connection ({_why(error)})") from error
        if not part:
            raise self._fault("closes the connection")
        self._unread += part

    def _wait(self, *, writing: bool = False) -> None:
        while True:
            if self._stop.is_set():
                raise VoiceError("closing")
            if time.monotonic() > self._end_s:
                raise self._fault(f"takes longer than {self._deadline_s:g} s")
            ready = select.select([self._socket] * (not writing), [self._socket] * writing, [], STOP_S)
            if ready[0] or ready[1]:
                return

    def _fault(self, what: str) -> VoiceError:
        return VoiceError(f"{self._name} {what}")


def _object(text: Any) -> dict[str, Any]:
    """An object, or the one that the JSON describes. Raises ValueError."""
    told = json.loads(text) if isinstance(text, bytes | bytearray) else text
    if not isinstance(told, dict):
        raise ValueError("no object")
    return dict(told)


def _length(head: Mapping[str, Any], name: str, most: int) -> int:
    """A length in an event's line; 0 if it is not there. Raises ValueError if it is none, or above `most`."""
    value = head.get(name, 0)
    value = 0 if value is None else value
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{name} is above {most}")
    return value


def _why(error: OSError) -> str:
    return error.strerror or str(error)
