"""Recorded games that are imported: in every text form that export writes."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

import games
from daemon.records.exporting.download import download
from daemon.records.exporting.formats import suiting
from daemon.records.exporting.played import play_again
from daemon.records.importing.imported import MOST_PLIES, ImportFault
from daemon.records.importing.reading import read_text
from daemon.records.stored import StoredGame
from tests.daemon.recorded_games import journal_of_every_game
from tests.fuzz.entry import Entry, IllegalState
from tests.fuzz.positions import text_of

WORDS = {
    "sgf": (b"AB[aa]", b"PL[W]", b"RE[B+R]", b"BL[1]", b"TM[60]", b"OT[2 fischer]", b"V[-1]", b"KC[two]", b";W[bb]"),
    "ggf": (b"BO[8 ", b"B[F5//1]", b"W[PA]", b"RE[+1:r]", b"TI[1:00/00:02/00:00]", b"DT[2026.01.01_00:00:00.UTC]"),
    "moves": (b"[%clk 0:00:01]", b"{", b"}", b"1-0", b"*", b'[FEN "', b'[Rules "men=6"]\n', b"d6-d7xa1"),
    "json": (b'"side": 1', b'"ply": 2', b"null", b'"data": {}', b'"rewritten"', b"1e999", b'"known": "said"', b"[]"),
    "transcript": (b"f5", b"pass", b"--"),
}


@functools.cache
def _seeds() -> dict[str, tuple[bytes, ...]]:
    """Exports of short games of every kind."""
    found: dict[str, list[bytes]] = {}
    with tempfile.TemporaryDirectory() as folder:
        journal = journal_of_every_game(Path(folder) / "journal.sqlite", most=8)
        for stored in journal.games():
            for name in set(suiting(stored.game)) & set(WORDS):
                found.setdefault(name, []).append(_small(download(stored, name).content))
        journal.close()
    return {name: tuple(contents) for name, contents in found.items()}


def _small(content: bytes) -> bytes:
    """JSON without its indents."""
    return json.dumps(json.loads(content)).encode() if content.startswith(b"{") else content


def import_entries() -> list[Entry]:
    """An entry for each text format."""
    return [
        Entry(
            f"import_{name}",
            "files",
            functools.partial(imported, name),
            seeds,
            WORDS[name],
            longest=1 << 14 if name == "json" else 4096,
            weight=0.4,
        )
        for name, seeds in sorted(_seeds().items())
    ]


def imported(name: str, data: bytes) -> bool:
    """A game that is taken can be played, and written and read again as the same."""
    try:
        stored = read_text(text_of(data), "it", name)
    except ImportFault:
        return False
    game = games.load(stored.game, stored.rules)
    positions = play_again(stored).positions
    if len(stored.plies) > MOST_PLIES or len(positions) != len(stored.plies) + 1:
        raise IllegalState(f"{len(stored.plies)} plies, {len(positions)} positions")
    shown = game.outcome(positions[-1])
    if shown is not None and stored.outcome is not None and shown.winner != stored.outcome.winner:
        raise IllegalState(f"{stored.outcome} where the rules say {shown}")
    if name in suiting(stored.game) and not (name == "transcript" and stored.start):
        again = read_text(download(stored, name).content.decode(), "it", name, rules=_rules(stored, name))
        if again.moves != stored.moves:
            raise IllegalState(f"{again.moves} read again, {stored.moves} before")
    return True


def _rules(stored: StoredGame, name: str) -> dict[str, object]:
    """What a transcript does not say."""
    return dict(stored.rules) if name == "transcript" else {}
