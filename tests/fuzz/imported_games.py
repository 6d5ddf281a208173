"""Import of recorded games, in every text format that export writes."""

from __future__ import annotations

import functools
import json

import games
from daemon.record.formats.formats import FORMATS, suiting, to_json
from daemon.record.formats.imported import MAX_PLIES, ImportFault
from daemon.record.formats.played import play_again
from daemon.record.formats.reading import read_text
from daemon.record.stored_game import StoredGame
from tests.fuzz.entry import Entry, IllegalState
from tests.fuzz.game_entries import text_of

WORDS = {
    "sgf": (*b"AB[aa] PL[W] RE[B+R] BL[1] TM[60] V[-1] KC[two] ;W[bb] RU[renju]".split(), b"OT[2 fischer]"),
    "ggf": (b"BO[8 ", b"B[F5//1]", b"W[PA]", b"RE[+1:r]", b"TI[1:00/00:02/00:00]", b"DT[2026.01.01_00:00:00.UTC]"),
    "moves": (b"[%clk 0:00:01]", b"{", b"}", b"1-0", b"*", b'[FEN "', b'[Rules "men=6"]\n', b"d6-d7xa1"),
    "json": (b'"side": 1', b'"ply": 2', b"null", b'"data": {}', b'"rewritten"', b"1e999", b'"known": "said"', b"[]"),
    "transcript": (b"f5", b"pass", b"--"),
}


SEEDS = {
    "sgf": (
        b"(;FF[4]GM[4]CA[UTF-8]SZ[15]RU[free]PB[Ana]PW[level-5]DT[2026-07-28]TM[600]OT[2 fischer]RE[B+R]\n"
        b";B[hh]BL[595.5];W[ii]WL[600.1]V[-0.4];B[hi]BL[590.0])",
        b"(;GM[4]SZ[19]RU[swap2];B[hh];W[ii];B[ab];KC[black])",
        b"(;GM[4]SZ[15]AB[hh]AW[ii]PL[B];B[aa])",
        b"(;GM[4]SZ[15]RU[renju];B[hh](;W[gg];B[aa])(;W[ii]))",
    ),
    "ggf": (
        b"(;GM[Othello]PC[Kibitzer]DT[2026.07.28_12:00:00.UTC]PB[Ana]PW[level-5]RE[+64.00:r]TI[10:00/00:02/00:00]TY[8]"
        b"BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5//3.20]W[D6//1.00];)",
    ),
    "moves": (
        b'[Event "x"]\n[White "Ana"]\n[Variant "nine_mens_morris"]\n[Rules "men=9 flying=false"]\n[First "light"]\n'
        b'[TimeControl "600+2"]\n\n1. d6 {[%clk 0:09:58] [%emt 0:00:03.5]} f4 2. d5 f2 3. d7xf4 *',
        b'[Variant "co_ganh"]\n[Result "1-0"]\n[Termination "time"]\n\n1. b5-b4 1-0',
    ),
    "transcript": (b"f5d6c3d3c4", b"c5"),
}


def _seeds() -> dict[str, tuple[bytes, ...]]:
    documents = (to_json(read_text(text_of(one), "it", name)) for name in ("ggf", "moves") for one in SEEDS[name])
    return SEEDS | {"json": tuple(json.dumps(json.loads(one)).encode() for one in documents)}


def import_entries() -> list[Entry]:
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
    """Imports a game; an accepted one can be replayed, and survives writing and reading."""
    try:
        stored = read_text(text_of(data), "it", name)
    except ImportFault:
        return False
    game = games.load(stored.game, stored.rules)
    positions = play_again(stored).positions
    if len(stored.plies) > MAX_PLIES or len(positions) != len(stored.plies) + 1:
        raise IllegalState(f"{len(stored.plies)} plies, {len(positions)} positions")
    shown = game.outcome(positions[-1])
    if shown is not None and stored.outcome is not None and shown.winner != stored.outcome.winner:
        raise IllegalState(f"{stored.outcome} where the rules say {shown}")
    if name in suiting(stored.game) and not (name == "transcript" and stored.start):
        again = read_text(_written(stored, name), "it", name, rules=_rules(stored, name))
        if again.moves != stored.moves:
            raise IllegalState(f"{again.moves} read again, {stored.moves} before")
    return True


def _rules(stored: StoredGame, name: str) -> dict[str, object]:
    return dict(stored.rules) if name == "transcript" else {}


def _written(stored: StoredGame, name: str) -> str:
    writer = FORMATS[name].write
    return to_json(stored) if writer is None else writer(play_again(stored))
