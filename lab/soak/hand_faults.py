"""Faults of hands on the pieces, careless players, agents that fail, and the computer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from lab.simulated.player import steps_between
from lab.simulated.tiles import has_tiles
from lab.soak.fault import COMPLAINTS, FAULTS, SIGHT, Fault, fault
from lab.soak.fault_steps import changed, hands_off, put_back, reported, seconds, wait, wait_while
from lab.soak.legal_boards import TAKEBACKS, is_beyond_doubt, one_move_on
from lab.soak.mistakes import Mistake, Situation, mistakes_of
from lab.soak.sight_faults import FARTHEST_MM
from lab.soak.subject import Instant
from lab.soak.trial import Trial
from rules import EMPTY, Step
from rules.turns import boards_of_turn, carry_out

ASKEW = 0.22
"""Piece diameters that a nudged piece may stand from its place: any viewer still sees it on its cell."""
KNOWN_S = 20.0
"""Seconds that players wait for the daemon to know the board."""


def kinds_of(names: Iterable[str]) -> list[Fault]:
    """The faults of these names, in the table's order. Raises ValueError for an unknown name."""
    wanted = list(names)
    for name in wanted:
        if name not in FAULTS:
            raise ValueError(f"--faults: there is no fault {name!r}; the faults are {', '.join(FAULTS)}")
    return [kind for name, kind in FAULTS.items() if name in wanted]


def occupied(board: str) -> list[int]:
    return [cell for cell, letter in enumerate(board) if letter != EMPTY]


def _known(at: Trial) -> Iterator[None]:
    """Waits until the daemon knows the board."""
    return wait_while(at, lambda: not at.judge.knows, KNOWN_S)


@fault("nudge", hands=True)
def nudge(at: Trial) -> Iterator[None]:
    """A sleeve brushes over some pieces: they stand askew on their cells."""
    yield from hands_off(at)
    at.table.hover(0.5, at.chance.randrange(2))
    yield from wait(at, 0.8)
    taken = [] if has_tiles(at.template) else occupied(at.table.board)
    far_mm = ASKEW * at.template.man_diameter_mm
    for cell in at.chance.sample(taken, min(len(taken), at.chance.randrange(1, 4))):
        turn, away_mm = at.chance.uniform(0, 2 * np.pi), far_mm * at.chance.random()
        to = at.template.cells_mm[cell] + away_mm * np.array([np.cos(turn), np.sin(turn)])
        here = at.table.standing.place_mm((cell,))
        at.table.nudge(cell, *(to - here))
    yield from wait_while(at, lambda: at.table.busy)
    yield from wait(at, 2)


@fault("fast", hands=True)
def fast_plies(at: Trial) -> Iterator[None]:
    """Two plies follow so fast that the board is not free between them."""
    yield from hands_off(at)
    made = len(at.player.seen)
    at.player.hurried = 2
    at.hands_free = True
    try:
        yield from wait_while(at, lambda: len(at.player.seen) < made + 2 and not at.player.finished, 20)
    finally:
        at.hands_free = False
        at.player.hurried = 0
    yield from hands_off(at)


@fault("takeback", {"takeback", "put_back"}, hands=True, suits=lambda at: bool(at.player.seen))
def take_back(at: Trial) -> Iterator[None]:
    """The players take back one to four plies."""
    yield from hands_off(at)
    yield from _known(at)
    count = min(len(at.player.seen), at.chance.choice([1, 1, 2, 3, 4]))
    seen = [number for number, ply in enumerate(at.player.record) if ply.seen]
    while count and at.game.board(at.player.positions[seen[-count]]) == at.table.board:
        count -= 1  # nobody could see a takeback that leaves the board as it is
    if at.player.finished or count == 0:
        return
    at.take_back(count)
    yield from hands_off(at)
    yield from _known(at)


@fault("dropped", COMPLAINTS | {"resumed"}, hands=True)
def dropped(at: Trial) -> Iterator[None]:
    """A piece falls on another cell, lies there for a while, and is put back."""
    yield from hands_off(at)
    yield from _known(at)
    if not at.judge.knows:
        return  # the board before it has not been seen: from that one the dropped piece may be a legal move
    steps = _fallen(at)
    if not steps or at.player.finished:
        return
    at.table.perform(steps, at.chance.randrange(2))
    yield from hands_off(at)
    yield from reported(at, "dropped", frozenset())
    yield from wait(at, seconds(at.chance, 0.5, 5))
    yield from put_back(at)


def _fallen(at: Trial) -> tuple[Step, ...]:
    board = at.table.board
    taken, free = occupied(board), [cell for cell, letter in enumerate(board) if letter == EMPTY]
    for _ in range(8):
        if not taken or not free or has_tiles(at.template):
            return ()
        origin, cell = at.chance.choice(taken), at.chance.choice(free)
        steps = (Step("move", cell, origin, board[origin]),)
        if is_beyond_doubt(at.game, at.watched, carry_out(board, steps), at.undone):
            return steps
    return ()


QUICK_S = 0.8
"""Seconds that quick players leave the board free."""
UNSEEN_S = 0.5
"""Seconds of QUICK_S needed to draw one hand back and reach out with the next, outside the picture; measured with hands
that follow each other without a pause."""
SLIP, SLIP_DEG = (0.001, 0.006), 0.3
"""Sides of the board that a hand shifts it with each move, and degrees that it may turn it. Between straightened photos
of a real paper board, one after each move, 0.1 % remains (median of 37; 0.2 % at most); the range reaches up to three
times that."""


@fault("quick", hands=True)
def quick(at: Trial) -> Iterator[None]:
    """The players play quickly: the board is free for less than a second between two hands."""
    yield from hands_off(at)
    until = len(at.player.record) + at.chance.randrange(4, 11)
    at.player.pause_s, at.hands_free = QUICK_S - UNSEEN_S, True
    try:
        yield from wait_while(at, lambda: len(at.player.record) < until and not at.player.finished)
    finally:
        at.player.pause_s, at.hands_free = None, False
    yield from hands_off(at)


@fault("linger", SIGHT | {"trouble"}, hands=True)
def linger(at: Trial) -> Iterator[None]:
    """After a move a player's hand returns over the board at once, and stays there."""
    yield from hands_off(at)
    at.hands_free = True
    try:
        yield from wait_while(at, lambda: not at.player.moving and not at.player.finished, 20)
    finally:
        at.hands_free = False
    if at.player.moving:
        at.table.hover(seconds(at.chance, 2, 10), at.game.to_move(at.player.positions[-1]))
    yield from hands_off(at)


@fault("cloth", SIGHT)
def cloth(at: Trial) -> Iterator[None]:
    """The board lies on a cloth: every moving hand makes it slip a little, and the pieces with it."""
    until_s, slipped = at.time_s + seconds(at.chance, 15, 120), None
    while at.time_s < until_s:
        ply = at.player, len(at.player.record)
        if at.player.moving and at.table.hand_in_view and ply != slipped:
            slipped = ply
            yield from wait(at, at.chance.uniform(0.1, 0.6))
            _slip(at)
        yield


def _slip(at: Trial) -> None:
    x, y, turn = at.table.lie
    far = float(np.hypot(x, y)) > FARTHEST_MM
    direction = np.arctan2(-y, -x) if far else at.chance.uniform(0, 2 * np.pi)
    length_mm = at.chance.uniform(*SLIP) * max(at.template.size_mm)
    to_deg = at.chance.uniform(-SLIP_DEG, SLIP_DEG)
    shift_mm = float(length_mm * np.cos(direction)), float(length_mm * np.sin(direction))
    at.table.bump(shift_mm, to_deg - np.clip(turn, -SLIP_DEG, SLIP_DEG), at.chance.uniform(0.1, 0.3))


TRIES = 12


@fault("illegal", COMPLAINTS | {"resumed"}, hands=True)
def illegal(at: Trial) -> Iterator[None]:
    """A player makes an illegal move."""
    yield from hands_off(at)
    yield from _known(at)
    if at.player.finished or (len(at.game.starts) > 1 and not at.player.record):
        return
    if not at.judge.knows:
        return  # the board before it has not been seen: an illegal move after it may be legal without it
    chosen = _mistake(at)
    if chosen is None:
        return
    mistake, board = chosen
    at.table.perform(steps_between(at.table.board, board), at.chance.randrange(2), palmed=True)
    yield from hands_off(at)
    if at.table.board == board:
        yield from reported(at, f"illegal: {mistake.name}", mistake.rules)
    yield from put_back(at)


def _mistake(at: Trial) -> tuple[Mistake, str] | None:
    """A mistake whose board is illegal beyond doubt."""
    kinds = mistakes_of(at.game)
    positions = at.watched
    situation = Situation(at.game, positions[-1], at.table.board, at.chance)
    for _ in range(TRIES):
        mistake = at.chance.choice(kinds)
        board = mistake.make(situation)
        if board in (None, at.table.board):
            continue
        if is_beyond_doubt(at.game, positions, board, at.undone):
            return mistake, board
    return None


FIND_S = 20.0
"""Seconds a restarted daemon may take to find the board."""
INSTANTS: tuple[Instant, ...] = ("before_writing", "after_writing", "after_telling")


@fault("kill", SIGHT)
def kill(at: Trial) -> Iterator[None]:
    """The daemon is killed between two pictures, stays away for a while, and is started again.

    It then has to find the board, which no hand may cover and no glare may hide; until it has, it rightly says that it
    sees none.
    """
    yield from changed(at, at.camera, (0.5, 10), unplugged=at.chance.random() < 0.5)
    at.kill()
    yield from _found_again(at)


@fault("kill-writing", SIGHT)
def kill_in_writing(at: Trial) -> Iterator[None]:
    """The daemon is killed while it records or announces its next ply."""
    kills, until_s = at.subject.kills, at.time_s + 30
    at.subject.kill_plan.instant = at.chance.choice(INSTANTS)
    try:
        while at.subject.kills == kills and at.time_s < until_s:
            yield
    finally:
        at.subject.kill_plan.instant = None
    if at.subject.kills != kills:
        yield from _found_again(at)


def _found_again(at: Trial) -> Iterator[None]:
    """Waits until a restarted daemon sees the board."""
    yield
    yield from wait_while(at, lambda: at.subject.seen is None or at.subject.seen.alignment.pose is None, FIND_S)


@fault("disk", {"trouble"})
def disk_full(at: Trial) -> Iterator[None]:
    """The record cannot be written for a while; the plies made meanwhile must be in it afterwards."""
    yield from changed(at, at.subject.kill_plan, (3, 60), disk_full=True)
    yield from wait(at, 1)


@fault("agent-stalls", {"trouble"}, agent=True)
def stalls(at: Trial) -> Iterator[None]:
    """The agent does not answer."""
    yield from changed(at, at.agent, (2, 60), stalls=True)


@fault("agent-floods", {"trouble"}, agent=True)
def floods(at: Trial) -> Iterator[None]:
    """The agent sends hundreds of late, false and repeated answers along with its own."""
    yield from changed(at, at.agent, (2, 20), floods=True)


@fault("agent-lies", {"trouble"}, agent=True)
def lies(at: Trial) -> Iterator[None]:
    """The agent answers with texts that are no legal moves."""
    yield from changed(at, at.agent, (2, 30), lies=True)


def _is_agents_turn(at: Trial) -> bool:
    return at.subject.referee.awaiting in ("agent", "carry_out") and at.judge.knows


@fault("misplayed", COMPLAINTS | {"resumed"}, hands=True, agent=True, suits=_is_agents_turn)
def misplayed(at: Trial) -> Iterator[None]:
    """The player makes a legal move other than the agent's, or moves before the agent has answered."""
    yield from hands_off(at)
    if not _is_agents_turn(at):
        return
    position = at.player.position
    asked = at.subject.referee.agent_move
    due = set(boards_of_turn(at.game, position, asked)) if asked is not None else set()
    others = [
        move
        for move in at.game.legal_moves(position)
        if at.game.steps(position, move) and not due & set(boards_of_turn(at.game, position, move))
    ]
    # A board that stood there lately looks like a takeback, or like the undoing of one.
    lately = {at.game.board(one) for one in (*at.watched[-TAKEBACKS:], *at.undone)}
    others = [move for move in others if _after(at, position, move) not in lately]
    if asked is not None:
        # A board to which the agent's move and the one after it also lead is no visible mistake.
        after = at.game.apply(position, asked)
        others = [move for move in others if one_move_on(at.game, after, _after(at, position, move)) is None]
    if not others:
        return
    rule = "not_the_agents_move" if asked is not None else "not_your_turn"
    at.agent.silent = True
    try:
        move = at.chance.choice(others)
        at.table.perform(at.game.steps(position, move), at.game.to_move(position))
        yield from hands_off(at)
        yield from reported(at, f"misplayed: {at.game.format_move(position, move)}", frozenset({rule}))
        yield from put_back(at)
    finally:
        at.agent.silent = False


def _after(at: Trial, position: Any, move: Any) -> str:
    return carry_out(at.game.board(position), at.game.steps(position, move))
