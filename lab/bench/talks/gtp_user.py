"""Whole games of go between Kibitzer as a GTP engine and GNU Go, with the commands that boards of others send.

Both are told every move, and are asked for their boards in the middle and at the end, for the score, and for the dead.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from agents.engines.engine_protocols import Gtp, GtpRefused, deadline_in
from agents.engines.process import EngineError, EngineProcess
from lab.bench.talks.tally import OPINION, Tally, our_engine, spent_s
from rules.stones import COLOURS, PIECES

WAIT_S = 60.0
MAX_PLIES = 400
SIZES = (9, 9, 13)
KOMI = ("6.5", "7.5", "0")
OFTEN = ("fixed_handicap 2", "set_free_handicap C3 G7", "place_free_handicap 2", "", "", "")
"""How games begin, in turn."""
SENT = (
    *("name", "version", "protocol_version", "list_commands", "showboard", "known_command genmove"),
    *("time_settings 0 1 1", "time_left b 1 1", "time_left w 1 1"),
)
"""Commands of GTP that every engine should understand."""
OWN = (
    *("lz-analyze b 10", "kata-analyze b 10", "lz-genmove_analyze b 10", "kata-genmove_analyze b 10"),
    *("gogui-analyze_commands", "gogui-rules_game_id", "rectangular_boardsize 9 9", "kata-set-rules chinese"),
    *("set_position b A1", "loadsgf /nowhere.sgf", "reg_genmove b", "cputime", "stop", "kgs-genmove_cleanup b"),
)
"""Commands that only some engines have: whoever lacks one must say so, and go on."""


class Player:
    def __init__(self, command: Sequence[str]) -> None:
        self.process = EngineProcess(command)
        self._gtp = Gtp(self.process, deadline_in(WAIT_S))
        self.commands = self._gtp.commands

    def tell(self, command: str) -> str:
        return self._gtp.ask(command, deadline_in(WAIT_S))


def play(tally: Tally, count: int, theirs_command: Sequence[str], player: str = "mcts:simulations=10") -> None:
    commands = our_engine("go", "gtp", player), theirs_command
    ours, theirs = map(Player, commands)
    try:
        for number in range(count):
            try:
                _questions(ours, tally)
                _game(ours, theirs, tally, number)
            except GtpRefused as error:
                tally.fault(str(error))
            tally.games += 1
        tally.ours_s, tally.theirs_s = map(spent_s, commands)
    except EngineError as error:
        tally.fault(str(error))
    finally:
        for one in (ours, theirs):
            one.process.close()


def _questions(ours: Player, tally: Tally) -> None:
    for command in SENT:
        ours.tell(command)
    for command in OWN:
        word = command.split()[0]
        if (ours.tell(f"known_command {word}") == "true") != (word in ours.commands):
            tally.fault(f"known_command {word} differs from list_commands", OPINION)
        if word in ours.commands:
            continue
        try:
            answer = ours.tell(command)
            tally.fault(f"answered {command!r}, which it does not know, with {answer!r}", "unknown")
        except GtpRefused as error:
            if not str(error).endswith("'unknown command'"):
                tally.fault(str(error))


def _game(ours: Player, theirs: Player, tally: Tally, number: int) -> None:
    draw = random.Random(number)
    size, black = SIZES[number % len(SIZES)], number % 2
    players = (ours, theirs)[::-1] if black else (ours, theirs)
    for command in (f"boardsize {size}", "clear_board", f"komi {KOMI[number % len(KOMI)]}"):
        _both(players, command)
    side = _handicap(players, OFTEN[number % len(OFTEN)])
    undo_at, passes = draw.randrange(10, 40), 0
    for ply in range(MAX_PLIES):
        mover, other = players[side], players[1 - side]
        vertex = mover.tell(f"genmove {COLOURS[side]}").upper()
        tally.plies += 1
        if vertex == "RESIGN":
            return
        other.tell(f"play {COLOURS[side]} {vertex}")
        passes = passes + 1 if vertex == "PASS" else 0
        if ply == undo_at:
            _both(players, "undo")
            _compare(ours, theirs, tally, f"after undo of {vertex}")
            _both(players, f"play {COLOURS[side]} {vertex}")
        side = 1 - side
        if passes == 2:
            break
    _compare(ours, theirs, tally, "at the end")
    _count(ours, theirs, tally)


def _both(players: Sequence[Player], command: str) -> None:
    for player in players:
        player.tell(command)


def _handicap(players: Sequence[Player], command: str) -> int:
    """Lays black's stones on both boards, if any; returns the side that begins."""
    word = command.split()[0] if command else ""
    if not word or word not in players[0].commands & players[1].commands:
        return 0
    if word == "place_free_handicap":
        stones = players[0].tell(command)
        players[1].tell(f"set_free_handicap {stones}")
    else:
        _both(players, command)
    return 1


def _stones(player: Player) -> list[set[str]]:
    """Black's stones and white's, as a board of letters shows them, or as a command lists them."""
    if "list_stones" in player.commands:
        return [set(player.tell(f"list_stones {colour}").upper().split()) for colour in COLOURS]
    columns, *lines, _ = player.tell("showboard").splitlines()
    found: list[set[str]] = [set(), set()]
    for line in lines:
        row, *letters, _ = line.split()
        for column, letter in zip(columns.split(), letters, strict=True):
            if letter in PIECES:
                found[PIECES.index(letter)].add(f"{column}{row}")
    return found


def _compare(ours: Player, theirs: Player, tally: Tally, when: str) -> None:
    if (mine := _stones(ours)) != (other := _stones(theirs)):
        tally.fault(f"boards differ {when}: {mine} {other}", OPINION)


def _count(ours: Player, theirs: Player, tally: Tally) -> None:
    scores = [player.tell("final_score").split()[0] for player in (ours, theirs)]
    values = [float(re.sub(r"[BW]\+", lambda found: "-" if "W" in found[0] else "", score)) for score in scores]
    if values[0] != values[1]:
        dead = [set(player.tell("final_status_list dead").split()) for player in (ours, theirs)]
        by_one = " ".join(sorted(dead[0] ^ dead[1])) or "none"
        tally.fault(f"counted {scores[0]}, by GNU Go {scores[1]}; dead by one only: {by_one}", OPINION)
