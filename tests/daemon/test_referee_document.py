"""docs/referee.md is right: every row of its tables is played, and every code of the program is in it."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import games
from daemon.commands import command
from daemon.commands.command import (
    DECLARED,
    Adopt,
    Agree,
    Best,
    Clocks,
    Command,
    Correct,
    Count,
    Hand,
    Move,
    Mover,
    MovesFrom,
    Pace,
    Pass,
    Pause,
    Position,
    Puzzle,
    Resign,
    Resume,
    Undo,
    WhatIsOn,
    WhereAre,
)
from daemon.game import effects
from daemon.game.clocks import GameClock, TimeControl
from daemon.game.effects import Announcement, Effect
from daemon.judging.referee import Referee
from daemon.match.clock_service import ClockService
from daemon.match.command_handlers import obey
from daemon.record import puzzles as stored
from daemon.record.puzzles import PuzzleStore
from daemon.run import session_runner, ui_publisher
from rules import AnyGame, Outcome
from rules.turns import boards_of_turn, line_of_play
from tests.daemon.readings import board_with, judged, reading_of, see
from tests.daemon.test_coach import answering
from tests.daemon.test_command_handlers import at, show_at_once

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "referee.md"
MORRIS = games.load("morris")
MILL = ["a7", "b6", "d7", "b4"]
GAP = board_with(MORRIS, W="d2 a1 a4", B="f4 b4 f2")
"""Five plies after d2."""


def table(heading: str) -> list[list[str]]:
    """The rows of the table under a heading, without its header."""
    section = DOCUMENT.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def after(texts: list[str], agents: tuple[str | None, str | None] = (None, None), game: AnyGame = MORRIS) -> Referee:
    return Referee(game, agents, line_of_play(game, texts), texts)


def men(**cells: str) -> str:
    return board_with(MORRIS, **cells)


Played = tuple[Referee, list[Effect]]


def seen(referee: Referee, board: str, **doubts: tuple[str, float]) -> Played:
    return referee, see(referee, board, **doubts)


def paused() -> Played:
    referee = after(["d2"])
    referee.pause()
    return seen(referee, men(W="a1"))


def resigned() -> Played:
    referee = after(["d2"])
    referee.declare(Outcome(0, "resigned"))
    return seen(referee, men(W="a1"))


def cleared() -> Played:
    game = games.load("morris", {"men": 3})
    referee = after([*MILL, "g7xb6", "f4"], game=game)
    see(referee, men(W="a7 d7 g7", B="b4"))
    return seen(referee, men(W="a7 g7", B="b4"))


def ko_retaken() -> Played:
    game = games.load("go")
    rows = [*3 * ["........."], "...XO....", "..X.XO...", "...XO....", *3 * ["........."]]
    referee = Referee(game, (None, None), [start := game.parse_position(f"{'/'.join(rows)} w - 0,0 0")])
    see(referee, game.board(start))
    see(referee, game.board(game.apply(start, game.parse_move(start, "D5"))))
    return seen(referee, game.board(start))


def exchanged() -> Played:
    game = games.load("draughts")
    referee = Referee(game, (None, None), [game.parse_position("W:W22,K30:B1,2")])
    see(referee, game.board(referee.position))
    return seen(referee, game.board(game.parse_position("B:W26,30:B1,2")))


def undone(*boards: str) -> Played:
    referee = after([*MILL, "g7xb6"])
    referee.withdraw(4)
    for board in boards[:-1]:
        see(referee, board)
    return seen(referee, boards[-1])


def begun(texts: list[str], *boards: str) -> Played:
    """Shows boards in order; returns the effects of the last."""
    referee = after(texts)
    for board in boards[:-1]:
        see(referee, board)
    return seen(referee, boards[-1])


def with_answer(board: str) -> Played:
    referee = after(["d2"], (None, "alphabeta"))
    referee.reply("alphabeta", 1, "f4")
    return seen(referee, board)


def begun_turn(name: str, *, steps: int, texts: str = "") -> Played:
    """Shows a move of which a hand has done only the first `steps` steps."""
    game = games.load(name)
    referee = after(texts.split(), game=game)
    move = max(game.legal_moves(referee.position), key=lambda one: len(game.steps(referee.position, one)))
    return seen(referee, boards_of_turn(game, referee.position, move)[steps - 1])


def position(name: str, text: str, board: str) -> Played:
    """Shows a board in a position given by its text."""
    game = games.load(name)
    referee = Referee(game, (None, None), [game.parse_position(text)])
    return seen(referee, board)


def ambiguous() -> Played:
    referee = after(["d2", "f4"])
    return seen(referee, men(W="d2", B="f4"), d6=("W", 0.5))


def laid_on(*tiles: str, movers: tuple[int, ...] = (), lifted: bool = False) -> Played:
    """Lays dominoes until red reaches the last space, and beyond; `movers` laid the tile that ends the game."""
    game = games.load("dominoes")
    referee = Referee(game, (None, None), [game.parse_position("green;pawns=99,0;tiles=8H6-8I1,8J1-8K4")])
    boards, out = [game.board(referee.position)], list[Effect]()
    for tile in tiles:
        ends = {game.cells.index(end[:-1]): end[-1] for end in tile.split("-")}
        boards.append("".join(ends.get(cell, pips) for cell, pips in enumerate(boards[-1])))
    for board in [*boards[1:], *boards[-2:-1]] if lifted else boards[1:]:
        out = judged(referee, reading_of(game, board), movers)
        movers = tuple(1 - side for side in movers) if referee.outcome is None else ()
    return referee, out


SEEN: dict[str, Callable[[], Played]] = {
    "anything in a pause": paused,
    "anything after the end but its board or its last moves undone": resigned,
    "a legal tile laid after an end that follows from movers only assumed": lambda: laid_on(
        "8F2-8G6", "6K2-7K4", "8D5-8E2"
    ),
    "that tile taken away again": lambda: laid_on("8F2-8G6", "6K2-7K4", "8D5-8E2", lifted=True),
    "a legal tile laid after an end, where every mover is known": lambda: laid_on(
        "8F2-8G6", "6K2-7K4", "8D5-8E2", movers=(1,)
    ),
    "more men of a finished game gone, after a takeback from its end": cleared,
    "a move taken back by `undo`, still standing": lambda: undone(men(W="a7 d7 g7", B="b6 b4")),
    "the men put back after `undo`": lambda: undone(men(W="a7 d7", B="b6 b4")),
    "the board believed, for the first time": lambda: begun(["d2"], men(W="d2")),
    "the board believed": lambda: begun(["d2"], men(W="d2"), men(W="d2")),
    "the board believed, after `illegal`, `desync` or `put_back`": lambda: begun(["d2"], men(W="d2 a1"), men(W="d2")),
    "a legal move": lambda: begun(["d2"], men(W="d2", B="f4")),
    "up to three legal plies at once": lambda: begun(["d2"], men(W="d2 a1", B="f4")),
    "a legal move after which a side can only pass": lambda: position(
        "reversi", f"{'-' * 16}XO-OX---{'-' * 32}XO------ X", f"{'.' * 16}BBBBB...{'.' * 32}BW......"
    ),
    "the move that ends the game": lambda: seen(
        after([*MILL, "g7xb6"], game=games.load("morris", {"men": 3})), men(W="a7 d7 g7", B="b4 f4")
    ),
    "the move that the agent asked for": lambda: with_answer(men(W="d2", B="f4")),
    "another legal move than the agent asked for": lambda: with_answer(men(W="d2", B="g4")),
    "a move of an agent that has not answered": lambda: seen(after(["d2"], (None, "alphabeta")), men(W="d2", B="f4")),
    "a mill whose removal is owed": lambda: begun(MILL, men(W="a7 d7 g7", B="b6 b4")),
    "a reversi disc whose discs are not turned": lambda: begun_turn("reversi", steps=1),
    "a gánh whose men are not taken": lambda: position(
        "ganh", f"up:..W...B.B.{'.' * 14}B", f".....{'.'}BWB.{'.' * 14}B"
    ),
    "half of a move that no agent has asked for": lambda: seen(
        after(MILL, ("alphabeta", None)), men(W="a7 d7 g7", B="b6 b4")
    ),
    "half a tile": lambda: begun_turn("dominoes", steps=1),
    "one of the last eight boards": lambda: begun(["d2", "f4"], men(W="d2")),
    "the same, where a rule forbids that as a move": ko_retaken,
    "men that were lifted, back where they stood": lambda: begun(
        ["d2", "f4", "a1", "a4", "a7"], men(W="d2"), men(W="d2 a1 a7", B="f4 a4")
    ),
    "two explanations that lead elsewhere, as likely": ambiguous,
    "nothing legal, and a cell that differs is in doubt": lambda: seen(
        after(["d2"]), men(W="d2 a1 g7 a4"), g7=("B", 0.3)
    ),
    "nothing legal, few men came or went": lambda: begun(["d2"], men(W="d2 a1")),
    "the same, but legal if two pieces stood exchanged at the start": exchanged,
    "nothing legal, five pieces or more came or went": lambda: begun(["d2"], men(W="a7 a4 a1", B="b4 c4")),
    "the same, where more plies than three lead to it": lambda: begun(["d2"], GAP),
    "a move made from there": lambda: begun(["d2"], GAP, men(W="d2 a1 a4 g4", B="f4 b4 f2")),
    "another board than the start, before the first move": lambda: begun([], men(W="a7 a4 a1", B="b4 c4")),
}


@pytest.mark.parametrize("row", table("What is seen"), ids=lambda row: row[0])
def test_each_row_of_what_is_seen_is_what_happens(row: list[str]) -> None:
    name, verdict, codes, said = row
    referee, out = SEEN[name]()
    told = [one for one in out if isinstance(one, Announcement)]
    assert verdict.split(" to ")[-1] == f"`{referee.verdict}`"
    assert codes == ", ".join(f"`{one.code}`" for one in told)
    assert said == " / ".join(one.text for one in told if one.text)


def test_every_row_is_played_and_every_verdict_is_in_one() -> None:
    rows = table("What is seen")
    assert [row[0] for row in rows] == list(SEEN)
    verdicts = {word.strip("` ") for row in rows for word in row[1].split(" to ")}
    assert verdicts == set(typing.get_args(effects.Verdict))
    assert set(ui_publisher.VERDICTS) == verdicts


class ScriptedPuzzles(PuzzleStore):
    """Has one puzzle of morris, without a file."""

    def __init__(self) -> None:
        super().__init__(Path("nowhere"))

    def next(self, game: str, rules: Mapping[str, str], but: str = "") -> stored.Puzzle | None:
        position = "light:MMOOOOOOOEOOOEOOOOOOOOOO7722"
        return stored.Puzzle(game, rules, position, "g7xf4", 3, 0, "full_search", ("g7xf4",), {})


def told(command: Command) -> list[Announcement]:
    """What a command announces in a match that suits it."""
    dominoes = ["8H6-8I1", "8J1-8K4"]
    match command:
        case Pass() | Mover():
            bench = at("dominoes", dominoes)
        case Hand():
            bench = at("dominoes", dominoes, agents=("greedy", None))
        case Move():
            bench = at(moves=["d2", "f4"])
            bench.match.watched = False
        case Pace():
            bench = at(agents=("level-1", "level-2"))
            bench.match.pace_s = 0.0
        case Undo():
            bench = at(moves=["d2", "f4"])
        case Correct():
            bench = at(moves=["d2"])
            bench.show(men(W="d2 g7 g4"))
        case Puzzle():
            bench = at()
            bench.match.puzzles = ScriptedPuzzles()
        case Best():
            bench = at(moves=["d2"], agents=(None, "level-1"))
        case Count() | Agree():
            bench = at("go", ["A8", "B8", "A9", "B9", "pass", "pass:-"])
        case Adopt():
            bench = at(moves=["d2", "f4"])
            bench.show(men(W="d2", B="f6"))
        case Clocks():
            bench = at(moves=["d2", "f4"])
            bench.match._timer = ClockService(GameClock(TimeControl("game", 600.0)))
        case _:
            bench = at(coach=answering("{}"), moves=["d2", "f4"])
    if isinstance(command, Resume):
        obey(bench.match, Pause(), bench.eyes)
    show_at_once(bench, men(W="d2", B="f4"))
    before = len(bench.heard)
    assert obey(bench.match, command, bench.eyes).accepted
    if bench.match._coach is not None:
        bench.match._coach.close()
    return bench.heard[before:]


COMMANDS: dict[str, Command] = {
    "mover": Mover("green", 1),
    "correct": Correct("g7", "empty"),
    "pace": Pace(2.0),
    "resign": Resign("light"),
    "position": Position("dark:OOOOOOOOOOOEOOOOOOOOOOOO9801"),
    "best": Best(True),
    "count": Count("A9"),
    "agree": Agree("black"),
    "move": Move("a1"),
    "hand": Hand(("0-0", "1-2", "3-4", "5-6")),
    "what_is_on": WhatIsOn("d2"),
    "where_are": WhereAre("dark men"),
    "moves_from": MovesFrom("a1"),
}
"""Those that are given with arguments."""


@pytest.mark.parametrize("row", table("What people say"), ids=lambda row: row[0])
def test_each_command_brings_what_the_table_says(row: list[str]) -> None:
    name, presses, _, codes, said = row
    command = COMMANDS.get(name.strip("`")) or DECLARED[name.strip("`")].at("")
    announced = told(command)[: len(codes.split(","))]
    assert codes == ", ".join(f"`{one.code}`" for one in announced)
    assert said == " / ".join(one.text for one in announced)
    pressed = [key.replace(" ", "space") for key, kind in session_runner.KEYS.items() if type(kind) is type(command)]
    assert presses == " ".join(pressed * (2 if pressed and pressed[0] in session_runner.TWICE else 1))


def test_every_command_and_every_code_is_in_the_document() -> None:
    assert [row[0].strip("`") for row in table("What people say")] == list(command.NAMES)
    found = {row[0].strip("`") for row in table("What is said besides")}
    for heading, column in (("What is seen", 2), ("What people say", 3)):
        found |= {code.strip("` ") for row in table(heading) for code in row[column].split(",") if code}
    assert found == set(typing.get_args(effects.Code))


def test_every_way_of_waiting_is_in_the_document() -> None:
    waits = typing.get_args(typing.get_type_hints(Referee.awaiting.fget)["return"])  # type: ignore[attr-defined]
    assert {row[0].strip("`") for row in table("What is awaited")} == set(waits)
