"""What pages show of a match besides its state: drawn board, clocks, piece counts, available commands.

The data has the same form for every game, so that pages need no code specific to a game.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from calibration.template import BoardTemplate, load_template
from daemon.bus.best_moves import steps_and_labels
from daemon.commands.command import DECLARED, mark_of
from daemon.commands.declaration import Moment
from daemon.drawing.board_svg import Marks, board_svg
from daemon.game.effects import Thought
from daemon.game.line_of_play import LineOfPlay, shares_pieces, unseen_moves
from daemon.judging import counting, phrases
from daemon.judging.play import Play
from daemon.match.puzzle_play import question
from daemon.page.instruction import instruction
from daemon.record.formats.formats import suiting
from daemon.words.translation import alone, as_words, in_words, language, worded, worded_n
from rules import EMPTY, AnyGame, Counts, DeadPieces, HiddenHands, MarkedCells, Words, figures_of, options
from rules.options import rule_set_of, switched_on
from rules.turns import alike

if TYPE_CHECKING:
    from daemon.match.clock_service import ClockService
    from daemon.match.match import Match

Drawing = Callable[[], str]
_template = functools.lru_cache(maxsize=8)(load_template)
MAX_CHOICES = 12
"""Most ways to pass that a page offers as buttons."""


class View:
    """The view of one session; caches what has not changed. Used by one thread."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._play_view: dict[str, object] = {}
        self._drawn: tuple[object, ...] = ()
        self._thought: tuple[str, dict[str, object] | None] = "", None

    def of(
        self,
        match: Match,
        timer: ClockService | None,
        *,
        watched: bool,
        thought: Thought | None,
        names: Sequence[str] = ("", ""),
    ) -> dict[str, object]:
        """The view of a match; `watched` is whether a camera sees the board, `thought` an agent's last report.

        `names` are the people's own, empty where none is known.
        """
        play = match.referee
        said = (
            play.verdict,
            play.awaiting,
            play.outcome,
            play.paused,
            play.asked,
            match.advice,
            play.agreed,
            play.offered,
        )
        hands = tuple(HiddenHands.of(play.game).hand(play.position, side) for side in (0, 1))
        key = (match.game_id, tuple(play.moves), *said, watched, play.agents, hands, *names, language())
        if key != self._key:
            mark = mark_of(match.game_id, play.moves)
            told = "" if match.advice is None else in_words(*match.advice.said)
            now = {"mark": mark, "instruction": instruction(play, names), "hint": told}
            self._key, self._play_view = key, play_view(play, watched=watched) | now
            if match.has_puzzles and (match.puzzle is not None or not play.ply or play.outcome is not None):
                self._play_view["offers"] = [*offers_of(play, watched=watched), "puzzle"]
        if thought is not None or self._thought[0] != match.game_id:
            told_of = None if thought is None else dataclasses.asdict(thought) | {"seconds": round(thought.seconds, 2)}
            self._thought = match.game_id, told_of
        more = {"best": best_of(match), "puzzle": puzzle_of(match)} | {
            "clock": clock_of(timer, play.game),
            "thought": self._thought[1],
            "pace": match.pace_s,
        }
        return self._play_view | more

    def board(self, match: Match, unknown: tuple[int, ...] = ()) -> Drawing | None:
        """A function, callable in any thread, that draws the believed board; None if unchanged since the last call."""
        play = match.referee
        game, position = play.game, play.position
        wanted = () if play.agent_move is None else game.steps(position, play.agent_move)
        hint = () if match.advice is None else game.steps(position, match.advice.move)
        won = () if game.outcome(position) is None else MarkedCells.of(game).won_by(position)
        best = steps_and_labels(match.best_moves)
        forbidden, dead = MarkedCells.of(game).forbidden(position), DeadPieces.of(game).dead(position)
        marks = Marks(play.last_steps, wanted, play.fault_cells, unknown, hint, won, best, forbidden, dead)
        template, tiles = template_of(game), HiddenHands.of(game).tiles(position)
        scores = Counts.of(game).scores(position) or ()
        pawns = tuple(zip(game.sides, scores, strict=False)) if len(template.track_mm) else ()
        drawn = game.name, template.options, figures_of(game, position), marks, tiles, pawns, language()
        if drawn == self._drawn:
            return None
        self._drawn = drawn
        return functools.partial(drawn_board, game, position, marks, alone("game", game.title))


def best_of(match: Match) -> dict[str, object]:
    """Whether the best moves are `shown`, and were `looked` for; the `moves`, and the `ways` to show or hide them.

    Each way has the fields of the command `best`, a `name`, and what to `ask` before it; each move its `label` on the
    board, the `move` and its `value` in words, and `why`.
    """
    play, best = match.referee, match.best
    moves = [
        {
            "label": one.label,
            "move": as_words(one.spoken),
            "value": in_words(one.value),
            "why": ", ".join(in_words(reason) for reason in one.why),
        }
        for one in match.best_moves
    ]
    stands = {"shown": best.are_shown(play), "looked": best.has_looked(match.mark), "practice": best.practice}
    return stands | {"moves": moves, "ways": _best_ways(match)}


def puzzle_of(match: Match) -> dict[str, object] | None:
    """The puzzle that is played: `id`, `text`, `source`, `verdict` and `why`, how often it was `tried` and `solved`."""
    play = match.puzzle
    if play is None:
        return None
    game, start = match.referee.game, match.referee.history[0]
    return {
        "id": play.puzzle.puzzle_id,
        "text": in_words(question(play.puzzle, game, game.to_move(start))),
        "source": play.puzzle.source,
        "verdict": play.verdict,
        "why": in_words(*play.why),
        "tried": play.standing.tried,
        "solved": play.standing.solved,
    }


def _best_ways(match: Match) -> list[dict[str, object]]:
    play, best = match.referee, match.best
    if play.outcome is not None or best.forbidden:
        return []
    if best.are_shown(play):
        return [{"shown": False, "name": worded("Hide them"), "ask": ""}]
    if play.agents == (None, None):
        ways: list[dict[str, object]] = []
        for side in sorted({0, 1} - best.wishes):
            name = worded("{side:Nom} wants to see them", side=phrases.named(play.game, side))
            ways.append({"shown": True, "side": play.game.sides[side], "name": name, "ask": ""})
        return ways + ([{"shown": False, "name": worded("Hide them"), "ask": ""}] if best.wishes else [])
    ask = worded("Really? It becomes practice.") if play.agents.count(None) == 1 and not best.practice else ""
    return [{"shown": True, "name": worded("Show them"), "ask": ask}]


def play_view(play: Play, *, watched: bool) -> dict[str, object]:
    """The part of the view that depends on the line of play alone."""
    game = play.game
    by = rule_set_of(game)
    said = [*([by.said] if by is not None else []), *game.about.in_short]
    called = options.named(game)
    title = alone(called.kind, called.name)
    return {
        "title": title[:1].upper() + title[1:],
        "sides": list(sides_of(game).values()),
        "top": top_of(game),
        "watched": watched,
        "paused": play.paused,
        "faults": [game.cells[cell] for cell in play.fault_cells],
        "pieces": [{"piece": letter, "name": what} for letter, what in class_names(template_of(game)).items()],
        "men": men_of(play.line),
        "offers": offers_of(play, watched=watched),
        "passes": [_pass_view(play, one) for one in _passes(play)],
        "choices": _choices(play),
        "limit": game.about.limit,
        "begins": game.to_move(game.initial()),
        "opening": opening_of(play),
        "in_short": [in_words(one) for one in said],
        "examples": {
            str(len(said) - len(game.about.in_short) + rule): f"picture/{game.name}/{rule}.svg"
            for rule in game.about.examples
        },
        "export": suiting(game.name)[0],
        "hand": unseen_hand(play, watched=watched),
        "counting": counting_of(play),
        "seen": seen_of(play),
        "result": "" if play.outcome is None else in_words(*phrases.result(game, play.outcome)),
    }


def opening_of(play: Play) -> str:
    """The name of the opening that the game's line of play belongs to, or left; empty without one."""
    return next(filter(None, map(Words.of(play.game).opening, reversed(play.line.positions))), "")


def offers_of(play: Play, *, watched: bool) -> list[str]:
    """The commands available now by their names, and `choose` if the last move left something to choose."""
    now = Moment(
        over=play.outcome is not None,
        paused=play.paused,
        watched=watched,
        has_person=None in play.agents,
        awaits_person=play.awaiting == "move",
        has_past=play.ply > 0 or play.declared is not None,
        has_passes=bool(_passes(play)),
        has_doubtful_movers=shares_pieces(play.game) and bool(play.line.seen),
        has_unseen_hand=unseen_hand(play, watched=watched) is not None,
        is_counted=counting.is_open(play),
    )
    return [name for name, known in DECLARED.items() if known.offered(now)] + ["choose"] * bool(_choices(play))


def counting_of(play: Play) -> list[dict[str, str]] | None:
    """While a finished game is counted: the `side`s still to agree, each with a `name` for the button; else None."""
    if not counting.is_open(play):
        return None
    sides = [(play.game.sides[side], phrases.named(play.game, side)) for side in counting.still_to_agree(play)]
    if len(sides) == 1:
        return [{"side": sides[0][0], "name": worded("Agree")}]
    return [{"side": side, "name": worded("{side:Nom} agrees", side=named)} for side, named in sides]


def seen_of(play: Play) -> dict[str, object] | None:
    """A position to play on from: its drawing, and the `side`s that may be to move, each with a `name`; else None."""
    if not play.offered:
        return None
    game = play.game
    sides = [game.to_move(one) for one in play.offered]
    names = [worded("{side:Nom} to move", side=phrases.named(game, side)) for side in sides]
    drawn = drawn_board(game, play.offered[0], Marks(), worded("The position seen"))
    ways = [{"side": game.sides[side], "name": name} for side, name in zip(sides, names, strict=True)]
    return {"board": drawn, "sides": ways}


def unseen_hand(play: Play, *, watched: bool) -> dict[str, object] | None:
    """The agent's hand that somebody has to enter because no camera sees it; None if there is none.

    `side` is the agent's side, `holds` its number of tiles, `ends` the values half a tile can have, and `asked` whether
    the agent is to move and its hand is unknown. The tiles themselves are left out: others see the page, too.
    """
    game, position = play.game, play.position
    if not watched or play.paused or play.outcome is not None or not isinstance(game, HiddenHands):
        return None
    agents = [side for side, agent in enumerate(play.agents) if agent is not None]
    if not agents:
        return None
    side = game.to_move(position) if game.to_move(position) in agents else agents[0]
    asked = side == game.to_move(position) and game.hand(position, side) is None
    ends = game.classes.replace(EMPTY, "")
    return {"side": game.sides[side], "holds": game.holds(position, side), "ends": ends, "asked": asked}


def _passes(play: Play) -> list[Any]:
    """The passes open to the person to move, which leave the board as it is; none if there are too many to offer."""
    if play.awaiting != "move" or play.outcome is not None:
        return []
    passes = unseen_moves(play.game, play.position)
    return passes if len(passes) <= MAX_CHOICES else []


def _choices(play: Play) -> list[dict[str, str]]:
    """What the last move may have chosen instead, where the board does not show it: each as its `move` and a `name`."""
    line = play.line
    if not line.plies or play.paused or line.plies[-1].known == "agent" or line.plies[-1].move is None:
        return []
    before = line.positions[len(line.plies) - 1]
    others = alike(play.game, before, line.plies[-1].move)
    return [
        {"move": play.game.format_move(before, one), "name": alone(term.kind, term.name)}
        for one in others
        if (term := Words.of(play.game).choice(before, one)) is not None
    ]


def _pass_view(play: Play, move: Any) -> dict[str, str]:
    """The `move` of a pass, and what it does as its `name`: ends a turn, puts pieces away, makes a decision."""
    game, position, plies = play.game, play.position, play.line.plies
    own = Words.of(game).told(position, move)
    if own is not None:
        name = in_words(own)
    else:
        goes_on = bool(plies) and plies[-1].side == game.to_move(position)
        name = worded("End the turn") if goes_on else worded("Pass")
    return {"move": game.format_move(position, move), "name": name}


def men_of(line: LineOfPlay) -> list[dict[str, int]] | None:
    """Each side's pieces on the `board`, `taken` or its `prisoners`, and `to_lay`; None if pieces are nobody's."""
    game, position = line.game, line.position
    if shares_pieces(game):
        return None
    taken: Counter[str] = Counter()
    for index, before in enumerate(itertools.islice(line.positions, len(line.plies))):
        board = game.board(before)
        taken.update(board[step.cell] for step in line.steps(index) if step.kind == "remove")
    standing, to_lay = Counter(game.board(position)), Counts.of(game).to_lay(position)
    counts = [{"board": standing[piece], "taken": taken[piece]} for piece in game.pieces]
    if (kept := Counts.of(game).prisoners(position)) is not None:
        counts = [{"board": count["board"], "prisoners": held} for count, held in zip(counts, kept, strict=True)]
    if to_lay is not None:
        for count, left in zip(counts, to_lay, strict=True):
            count["to_lay"] = left
    return counts


def clock_of(timer: ClockService | None, game: AnyGame) -> dict[str, object] | None:
    """The clocks' times and whose is running, for a page that runs them itself; None without a time limit."""
    if timer is None or timer.clock.control.kind == "none":
        return None
    status = timer.status(game.sides)
    running = timer.clock.running
    return {name: status[name] for name in ("control", "left_s")} | {
        "running": running,
        "stopped": in_words(*timer.stopped),
    }


def drawn_board(game: AnyGame, position: Any, marks: Marks, title: str) -> str:
    """The SVG of a position. Raises ValueError if the template has other cells."""
    template = template_of(game)
    return board_svg(
        template,
        figures_of(game, position),
        marks=marks,
        tiles=HiddenHands.of(game).tiles(position),
        pawns=list(zip(game.sides, Counts.of(game).scores(position) or (), strict=False)),
        title=title,
        names=names_of(game, template),
        sides=sides_of(game),
        worth=worth_of(game),
    )


def names_of(game: AnyGame, template: BoardTemplate) -> dict[str, str]:
    """The display name of each class of a board and of each figure, by its letter, in the players' language."""
    nouns = {letter: what for letter, what in game.about.nouns.items() if letter not in game.classes}
    return class_names(template) | {
        letter: alone("piece", what) for letter, what in nouns.items() if isinstance(what, str)
    }


def class_names(template: BoardTemplate) -> dict[str, str]:
    """The display name of each class of a board, by its letter, in the players' language."""
    return {letter: alone("piece" if letter == EMPTY else "kind", what) for letter, what in template.classes.items()}


def worth_of(game: AnyGame) -> dict[int, tuple[int, str]]:
    """The points of each cell that has some, as a number and in words."""
    told = {points: worded_n("{count} point", "{count} points", points) for points in set(game.about.cell_points)}
    return {cell: (points, told[points]) for cell, points in enumerate(game.about.cell_points) if points}


def top_of(game: AnyGame) -> int:
    """The side whose men begin at the top of the board; side 1 where neither's do."""
    board = game.board(game.starts[0])
    rows = [[cell for cell, letter in enumerate(board) if letter == piece != EMPTY] for piece in game.pieces]
    if not all(rows):
        return 1
    first, second = (template_of(game).cells_mm[cells, 1].mean() for cells in rows)
    return 0 if first < second else 1


def sides_of(game: AnyGame) -> dict[str, str]:
    return {side: alone("side", side) for side in game.sides}


def template_of(game: AnyGame) -> BoardTemplate:
    """The board template for drawing a game, in its usual shape."""
    return _template(game.name, switched_on(game))
