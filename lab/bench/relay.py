"""Hands a local port on to another, byte for byte, as a process that can be killed: a cable that can be unplugged.

.venv/bin/python -m lab.bench.relay 8091 8090
"""

from __future__ import annotations

import contextlib
import socket
import sys
import threading

CHUNK_BYTES = 1 << 16
IDLE_S = 30.0


def relay(own_port: int, to_port: int) -> None:
    with socket.create_server(("127.0.0.1", own_port)) as server:
        while True:
            viewer, _ = server.accept()
            threading.Thread(target=_serve, args=(viewer, to_port), daemon=True).start()


def _serve(viewer: socket.socket, to_port: int) -> None:
    with viewer, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", to_port), IDLE_S) as origin:
        viewer.settimeout(IDLE_S)
        origin.settimeout(IDLE_S)
        threading.Thread(target=_pump, args=(viewer, origin), daemon=True).start()
        _pump(origin, viewer)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK_BYTES):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        relay(int(sys.argv[1]), int(sys.argv[2]))
