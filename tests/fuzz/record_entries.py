"""Import of recorded games, by the way of `kibitzer games import`: every format, generated games and given files."""

from __future__ import annotations

import functools
import json
import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import games
from daemon.record.formats.formats import content_of, suiting
from daemon.record.formats.imported import MAX_PLIES, Imported, ImportedPly, ImportFault, judged
from daemon.record.formats.played import play_again
from daemon.record.formats.reading import read_games, read_several, text_of
from daemon.record.stored_game import StoredGame
from rules import GameError
from tests.fuzz.bus_entries import scratch_file
from tests.fuzz.entry import ROOT, Entry, IllegalState

GIVEN = ROOT.parent / "shared" / "data" / "records"
"""Records of other programs, beside the checkout where there are any."""
FIRST, LONG = 7, 24
"""Plies of generated games: few, so that most of a mutated one stays legal, and enough for captures."""
SAMPLE = 8
"""One in so many accepted games is written and read again, which takes longer than to read it."""
LONGEST = 1 << 13

WORDS = {
    "sgf": (
        *b"AB[aa] PL[W] RE[B+R] BL[1] TM[60] V[-1] KC[two] ;W[bb] RU[renju] KM[6,5] KM[375] HA[2] B[tt] AB[]".split(),
        *(b"OT[2 fischer]", b"(;" * 2000, b")" * 2000, b"AB[aa:ss]", b"C[\\", b"TB[aa:ss]", b"SZ[19]", b"GM[1]"),
        *(b"GaMe[1]", b"KM[1e9]", b"KM[1/0]", b"CA[utf-7]", b"CA[UTF-16]", b"DT[1858]", b"HA[99999999999999999999]"),
    ),
    "ggf": (
        *(b"BO[8 ", b"B[F5//1]", b"W[PA]", b"RE[+1:r]", b"TI[1:00/00:02/00:00]", b"DT[2026.01.01_00:00:00.UTC]"),
        *(b"(;" * 2000, b";)", b"2 "),
    ),
    "moves": (
        *(b"[%clk 0:00:01]", b"{", b"}", b"1-0", b"*", b'[FEN "', b'[Rules "men=6"]\n', b"d6-d7xa1", b"(" * 3000, b")"),
        *(b"; ", b"%", b"$1", b"--", b"1/2", b"\xe2\x80\x93", b"\xc2\xbd", b"\x1a", b"\xe2\x80\x8b", b'[Variant "'),
    ),
    "pgn": (
        *(b"O-O", b"0-0", b"e8=Q", b"Qh5ch", b"dbl ch", b"e.p.", b"Z0", b"--", b"+/-", b"[%eval #-3]", b"1...."),
        *(b'[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]\n', b'[SetUp "1"]\n', b'[Variant "Chess960"]\n', b"(" * 3000, b"{"),
        *(b'[Date "1858.??.??"]\n', b'[TimeControl "40/7200:3600"]\n', b'[Result "1/2"]\n', b"; ", b"\n%", b"\x1a"),
    ),
    "pdn": (
        *(b"11-15*", b"1115", b"22x31", b":", b"c3-d4", b'[GameType "25"]\n', b'[GameType "20,W,10,10,N2,0"]\n'),
        *(b'[FEN "W:Wc3,Ka1:Bh6"]\n', b"2-0", b"1-1", b"0-0", b'[Variant "Standard"]\n', b"(" * 3000, b"{", b"*"),
    ),
    "psq": (b"8,8,0", b"9,9,-1", b"Piskvorky 15x15, 0:0, 0\n", b"-1\n", b"99,99,9", b".exe", b"20x20"),
    "json": (b'"side": 1', b'"ply": 2', b"null", b'"data": {}', b'"rewritten"', b"1e999", b'"known": "said"', b"[]"),
    "transcript": (b"f5", b"pass", b"--"),
}  # fmt: skip
SUFFIXES = {"moves": "txt", "transcript": "txt"}
GENERATED: tuple[tuple[str, dict[str, object]], ...] = (
    ("chess", {}),
    ("chess", {"start": "17"}),
    ("go", {"size": "9", "komi": "6.5"}),
    ("go", {"size": "9", "handicap": "2", "scoring": "area"}),
    ("gomoku", {}),
    ("gomoku", {"swap2": "true", "size": "19"}),
    ("draughts", {"set": "english"}),
    ("draughts", {"set": "international"}),
    ("draughts", {"set": "russian"}),
    ("reversi", {}),
    ("nine_mens_morris", {}),
    ("co_ganh", {}),
)
PSQ = b"Piskvorky 15x15, 0:0, 0\n8,8,0\n9,9,-1\n8,9,1500\nA.exe\nB.zip\n"
ENDED = (b"(;GM[4]SZ[15]RU[free]PB[Ana]PW[level-5]DT[2026-07-28]TM[600]OT[2 fischer]RE[B+R];B[hh]BL[595.5]V[-0.4])",)


def generated(name: str, rules: dict[str, object], plies: int) -> StoredGame:
    """A game played at random, with times and comments."""
    game, chance = games.load(name, rules), random.Random(f"{name} {plies}")
    position, made = game.initial(), list[ImportedPly]()
    for ply in range(plies):
        if game.outcome(position) is not None:
            break
        move = chance.choice(list(game.legal_moves(position)))
        said = "" if ply % 5 else f"a word {ply}"
        made.append(ImportedPly(game.format_move(position, move), spent_s=1.5, left_s=600.0 - ply, comment=said))
        position = game.apply(position, move)
    clock = {"kind": "game", "time_s": 600.0, "increment_s": 2.0, "lose": False}
    event = {"name": "Club", "round": "3"}
    return judged(Imported(name, rules, tuple(made), ("Ana", "Ben"), "2026-07-28T12:00:00.000+00:00", clock=clock,
                           event=event, comment="begun"), "it")  # fmt: skip


def _seeds() -> Iterator[tuple[str, bytes]]:
    yield "psq", PSQ
    yield from (("sgf", one) for one in ENDED)
    for name, rules in GENERATED:
        for plies in (FIRST, LONG):
            stored = generated(name, rules, plies)
            for chosen in suiting(name):
                if chosen in WORDS:
                    content = content_of(stored, chosen)
                    yield chosen, json.dumps(json.loads(content)).encode() if chosen == "json" else content
    for path in sorted(GIVEN.glob("*.*")):
        if path.suffix[1:] in WORDS:
            yield path.suffix[1:], path.read_bytes()


def entries() -> list[Entry]:
    seeds: dict[str, list[bytes]] = {}
    for name, content in _seeds():
        seeds.setdefault(name, []).append(content)
    tiles = content_of(generated("double_double_dominoes", {}, FIRST), "annotations")
    return [
        Entry(
            f"record_{name}",
            "records",
            functools.partial(imported, SUFFIXES.get(name, name)),
            tuple(found),
            WORDS[name],
            longest=1 << 14 if name == "json" else LONGEST,
            weight=0.4 if name in ("json", "transcript", "psq") else 1.0,
        )
        for name, found in sorted(seeds.items())
    ] + [Entry("record_annotations", "records", zipped, (tiles,), (b"PK\x03\x04",), weight=0.1, guided=False)]


def imported(suffix: str, data: bytes) -> bool:
    """Imports a file's games; an accepted one can be replayed, and survives writing and reading."""
    found = list[StoredGame]()
    try:
        found += [one for one in read_several(text_of(data), f"it.{suffix}") if isinstance(one, StoredGame)]
    except ImportFault:
        return False
    for one in found:
        check(one)
    if found and zlib.crc32(data) % SAMPLE == 0:
        comes_back(found[0])
    return bool(found)


def zipped(data: bytes) -> bool:
    """Imports dominoes from a zip of annotations."""
    try:
        found = list(read_games(Path(scratch_file(data, "tiles.zip"))))
    except ImportFault:
        return False
    for one in found:
        assert isinstance(one, StoredGame)
        check(one)
    return True


def check(stored: StoredGame) -> None:
    game = games.load(stored.game, stored.rules)
    positions = play_again(stored).positions
    if len(stored.plies) > MAX_PLIES or len(positions) != len(stored.plies) + 1:
        raise IllegalState(f"{len(stored.plies)} plies, {len(positions)} positions")
    shown = game.outcome(positions[-1])
    # Where people count, somebody may also have resigned then.
    counted = stored.outcome is not None and stored.outcome.reason in ("as_recorded", "resigned", "time")
    counted &= shown is not None and (shown.reason == "counted" or stored.outcome.reason == "as_recorded")
    if shown is not None and stored.outcome is not None and shown.winner != stored.outcome.winner and not counted:
        raise IllegalState(f"{stored.outcome} where the rules say {shown}")


def comes_back(stored: StoredGame) -> None:
    """Raises IllegalState where the game is another one after it was written and read again."""
    for chosen in suiting(stored.game):
        if chosen not in WORDS or (chosen == "transcript" and (stored.start or not stored.plies)):
            continue
        text = content_of(stored, chosen).decode()
        bare: dict[str, object] = dict(stored.rules) if chosen == "transcript" else {}
        try:
            (again,) = read_several(text, f"it.{SUFFIXES.get(chosen, chosen)}", game=stored.game, rules=bare)
        except (ImportFault, GameError, ValueError) as error:
            raise IllegalState(f"{chosen}: the export is refused: {error}: {text[:200]!r}") from None
        assert isinstance(again, StoredGame)
        before, after = parts(stored, chosen), parts(again, chosen)
        for part, value in before.items():
            if after[part] != value:
                raise IllegalState(f"{chosen}: {part} {after[part]!r:.90} read again, {value!r:.90} before")


def parts(stored: StoredGame, chosen: str) -> dict[str, object]:
    """What comes back in a format: GGF counts discs and knows no comments, brackets in names or draws by agreement.

    Moves are compared by the positions after them: a pass may name the dead stones or leave them to our count.
    """
    found: dict[str, object] = {"plies": [one.position for one in stored.plies]}
    if chosen != "transcript":
        found["start"] = stored.start
    if chosen not in ("transcript", "ggf"):
        found |= {name: getattr(stored, name) for name in ("rules", "players", "outcome", "comments", "event")}
    return found
