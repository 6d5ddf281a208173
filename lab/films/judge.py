"""Compares what a program that watched a film has understood with what the film shows."""

from __future__ import annotations

import dataclasses
import itertools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from daemon.perception.occlusion_notices import HIDE
from lab.films.films import Showing
from rules import AnyGame
from wording import plain

BELIEVED = frozenset({"start", "move", "takeback", "reopened", "corrected", "restored", "adopted", "undo"})
"""Events that name a board which the program then believes."""
TOLD = frozenset({"illegal", "desync", "unfinished"})
"""Events that report a wrong board."""
ADMITTED = frozenset({"unclear", "ambiguous", "board_lost"})
"""Events that say truly why nothing is read: the program cannot see, or cannot decide."""
LOW = plain((HIDE,))
"""What the warning says of a camera that stands too low: that men may be read wrong, which is true of it, too."""
MAX_PLIES = 2
"""Plies that may lie between two photos."""
ROUNDING_S = 0.0015
"""Seconds of tolerance: event times and those of the film's file are rounded to the millisecond."""


@dataclasses.dataclass(frozen=True)
class Due:
    showing: Showing
    plies: int
    """Plies since the last legal board; 0 for the first one, and if no legal play leads here."""
    legal: bool


@dataclasses.dataclass(frozen=True)
class Judged:
    boards: int
    """Legal boards after the first."""
    followed: int
    """Legal boards announced in their order, each once it was on the table."""
    wrong: tuple[str, ...]
    """Boards believed although no photo showed them then, nor any earlier photo not yet announced."""
    illegal: int
    """Boards that no legal play leads to."""
    told: int
    """Illegal boards that were complained of while they were on the table."""
    complaints: int
    """Complaints of any other board."""
    delays_s: tuple[float, ...]
    """Seconds from the first picture without the hand to the verdict, for each followed board; below 0 if the hand was
    still leaving."""
    lost: tuple[str, ...]
    """Photos of legal boards that were not followed."""
    silence_s: float = 0.0
    """The longest time in which a board is missed, and nothing or an untrue reason is said."""


def sums_of(judged: Sequence[Judged]) -> dict[str, Any]:
    """The sums over some films, and the usual and the slow verdict; None without any."""
    delays_s = sorted(delay for one in judged for delay in one.delays_s)
    names = ("boards", "followed", "illegal", "told", "complaints")
    return {
        **{name: sum(getattr(one, name) for one in judged) for name in names},
        "wrong": sum(len(one.wrong) for one in judged),
        "verdict_median_s": round(statistics.median(delays_s), 3) if delays_s else None,
        "verdict_95_s": delays_s[-1 - len(delays_s) // 20] if delays_s else None,
    }


def row_of(sums: Mapping[str, Any], last: str) -> list[str]:
    """The cells of a table's row for `sums_of` some films."""
    delays = ["-" if sums[name] is None else f"{sums[name]:.2f} s" for name in ("verdict_median_s", "verdict_95_s")]
    boards, told = f"{sums['followed']}/{sums['boards']}", f"{sums['told']}/{sums['illegal']}"
    return [boards, str(sums["wrong"]), told, str(sums["complaints"]), *delays, last]


def by_the_rules(game: AnyGame, shown: Sequence[Showing]) -> list[Due]:
    """The status of each photo, if all legal boards before it were played."""
    positions = set(game.starts)
    dues = [Due(shown[0], 0, legal=game.board(game.initial()) == shown[0].cells)]
    for one in shown[1:]:
        now = positions
        for plies in range(1, MAX_PLIES + 1):
            now = {after for position in now for move in game.legal_moves(position)
                   if _may_lead(game, after := game.apply(position, move), one.cells, MAX_PLIES - plies)}  # fmt: skip
            if reached := {position for position in now if game.board(position) == one.cells}:
                positions = reached
                dues.append(Due(one, plies, legal=True))
                break
        else:
            dues.append(Due(one, 0, legal=False))
    return dues


def _may_lead(game: AnyGame, position: Any, board: str, plies: int) -> bool:
    """Whether no more cells differ than that many plies can change: three each, as a man moves and one is taken."""
    there: str = game.board(position)
    differ = sum(one != other for one, other in zip(there, board, strict=True))
    return differ <= 3 * plies


def judge(dues: Sequence[Due], events: Sequence[Mapping[str, Any]]) -> Judged:
    """Compares the events of `kibitzer watch` with the photos."""
    legal = [due.showing for due in dues[1:] if due.legal]
    followed: dict[Showing, float] = {}
    wrong, delays_s, at = [], [], 0
    timed = [event for event in events if isinstance(event["frame"], (int, float))]
    for time_s, together in itertools.groupby(timed, key=lambda event: float(event["frame"])):
        right = True
        for event in together:
            if event["event"] not in BELIEVED:
                continue
            laid = [index for index in range(at, len(legal)) if legal[index].laid_s <= time_s + ROUNDING_S]
            index = next((index for index in laid if legal[index].cells == event["cells"]), None)
            if index is not None:
                followed[legal[index]] = time_s
                delays_s.append(round(time_s - legal[index].free_s, 3))
                at = index + 1
            now = shown_at(dues, time_s)
            # Of several plies announced at once only the last board must be on the table.
            right = index is not None or (now.legal and now.showing.cells == event["cells"])
            last = event["cells"]
        if not right:
            wrong.append(f"{time_s:.2f} s: {last}")
    bad = [due for due in dues if not due.legal]
    complaints = [(shown_at(dues, float(event["frame"])), event) for event in timed if event["event"] in TOLD]
    told = {due.showing for due, event in complaints if due in bad and event["cells"] == due.showing.cells}
    others = [event for _, event in complaints if not _is_right(event, bad)]
    return Judged(
        boards=len(legal),
        followed=len(followed),
        wrong=tuple(wrong),
        illegal=len(bad),
        told=len(told),
        complaints=len(others),
        delays_s=tuple(delays_s),
        lost=tuple(one.photo for one in legal if one not in followed),
        silence_s=round(longest_silence(dues, followed, timed), 3),
    )


def _is_right(event: Mapping[str, Any], bad: Sequence[Due]) -> bool:
    """Whether a complaint is of a board that was shown and is none of the game; half a turn is only unfinished."""
    same = [due.showing for due in bad if due.showing.cells == event["cells"]]
    return any(not one.is_half or event["event"] == "unfinished" for one in same)


def longest_silence(
    dues: Sequence[Due], followed_s: Mapping[Showing, float], events: Sequence[Mapping[str, Any]]
) -> float:
    """Seconds of the longest time in which a board is missed, and nothing or an untrue reason is said.

    A board is missed from the first picture without the hand to its verdict, or a later board's, if that comes after
    its free time. A reason is true if the program admits not to see, or names the board that lies there; it holds until
    something untrue is said.
    """
    end_s = dues[-1].showing.ends_s
    missed = [(one.free_s, until) for one, until in _verdicts(dues, followed_s, end_s) if until > one.ends_s]
    longest = 0.0
    for begun_s, until_s in _united(missed):
        silent_s: float | None = begun_s
        for event in events:
            admitted = event["event"] in ADMITTED or LOW in event.get("text", "")
            if not begun_s < float(event["frame"]) <= until_s or not (admitted or event["event"] in TOLD):
                continue
            is_true = admitted or _names_what_lies_there(event, dues)
            if is_true and silent_s is not None:
                longest, silent_s = max(longest, float(event["frame"]) - silent_s), None
            elif not is_true and silent_s is None:
                silent_s = float(event["frame"])
        if silent_s is not None:
            longest = max(longest, until_s - silent_s)
    return longest


def _verdicts(dues: Sequence[Due], followed_s: Mapping[Showing, float], end_s: float) -> list[tuple[Showing, float]]:
    """The legal boards, each with the time at which it or a later one was followed."""
    found: list[tuple[Showing, float]] = []
    until_s = end_s
    for due in reversed(dues[1:]):
        if due.legal:
            until_s = followed_s.get(due.showing, until_s)
            found.append((due.showing, until_s))
    return found[::-1]


def _united(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for begun_s, until_s in sorted(spans):
        if found and begun_s <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], until_s)
        else:
            found.append((begun_s, until_s))
    return found


def _names_what_lies_there(event: Mapping[str, Any], dues: Sequence[Due]) -> bool:
    return bool(shown_at(dues, float(event["frame"])).showing.cells == event["cells"])


def shown_at(dues: Sequence[Due], time_s: float) -> Due:
    """The photo on show at that time, under the hand or free."""
    return [due for due in dues if due.showing.laid_s <= time_s + ROUNDING_S][-1]
