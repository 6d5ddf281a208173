"""`kibitzer games analyse`."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import games
from daemon.bus.analysing import AnalysisError, analysis
from daemon.cli.game_arguments import GAME_HELP, LAST, RECORD, chosen, one_line_errors, opened, print_json
from daemon.cli.wrong_call import stop
from daemon.config.settings import DEFAULT
from daemon.record.formats.played import ExportError
from daemon.record.reviews import JudgedPly, Review, Reviews, comment, curve, fingerprint, question
from daemon.record.stored_game import StoredGame
from rules import GameError

TIME_S = 0.8
"""Seconds to think about a position: at most twice that for a move, so that 60 moves take less than two minutes."""
STOPPED = 130
WIDTH, HEIGHT = 72, 6
"""Columns and lines of the curve at most."""
BLOCKS = " ▁▂▃▄▅▆▇█"
PLAIN = " ...:::##"
"""The same for terminals that cannot show blocks."""


def analyse(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help=GAME_HELP)] = LAST,
    time_s: Annotated[float, typer.Option("--time-s", help="Seconds to think about a position.")] = TIME_S,
    engine: Annotated[
        str,
        typer.Option(
            help="Agent, or engine of the settings' \\[engines.NAME], whose opinion is asked as well. "
            "Default: Stockfish in chess, GNU-Go in go, where installed."
        ),
    ] = "",
    config: Annotated[Path, typer.Option(help="Settings of the daemon, for their engines.")] = DEFAULT,
    anew: Annotated[bool, typer.Option("--anew", help="Analyse again, even if it has been done.")] = False,
    journal: Annotated[Path, typer.Option(help="File of the record.")] = RECORD,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Analyses a recorded game: what each move was worth, what it gave away, and what was better.

    Values come from the search of the strongest level. They are proven where an endgame table of morris, the solver of
    reversi or the prover of gomoku reaches; in go they are means of playouts. A percentage is the share of the point
    that a side can expect. A move that gives away 5 % is a slip, 10 % a mistake, 15 % a blunder. Accuracy is 100 for a
    side that gave nothing away.

    In dominoes a move is judged by the points it could expect as its player knew the game. From a hand that nobody saw,
    a tile is only compared with itself in other places.

    A game that can no longer be read is analysed up to there. The analysis is kept beside the record; the page
    shows it, too. After Ctrl-C what is done is kept.

    Example: kibitzer games analyse last --time-s 2
    """
    with one_line_errors("analyse"), opened(journal, read_only=True) as record:
        stored = chosen(record, game)
    if not (math.isfinite(time_s) and 0 < time_s <= 3600):
        raise stop("games analyse", f"--time-s is between 0 and 3600 seconds, not {time_s:g}")
    kept = Reviews(journal)
    review = None if anew else kept.read(stored)
    stopped = False
    if review is None or not review.is_whole or review.time_s < time_s or (engine and review.engine != engine):
        review = Review(stored.game_id, fingerprint(stored), time_s, engine)
        try:
            stopped = not _analysed(stored, review, config if engine and config.is_file() else None)
            _keep(kept, stored, review)
        except (AnalysisError, GameError, ExportError) as error:
            raise stop("games analyse", f"{stored.game_id}: {error}") from None
    if as_json:
        print_json(as_object(stored, review))
    else:
        sys.stdout.write("\n".join(as_text(stored, review, _blocks())) + "\n")
    if stopped:
        done = len(review.moves())
        sys.stderr.write(
            f"kibitzer games analyse: stopped; the last {done} of {review.plies} moves are judged and kept\n"
        )
        raise typer.Exit(STOPPED)


def _analysed(stored: StoredGame, review: Review, engines: Path | None) -> bool:
    """Fills the review; False if Ctrl-C came first. Raises AnalysisError, GameError."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    asked = analysis(stored.game, stored.rules, question(stored), review.time_s, engine=review.engine, engines=engines)
    with asked as told, Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("preparing the player", total=len(stored.plies) + 1)
        try:
            for one in told:
                review.add(one)
                what = "judging from the last move on" if review.judged else "preparing the player"
                progress.update(bar, completed=len(review.judged), total=review.plies + 1, description=what)
        except KeyboardInterrupt:
            return False
    return True


def _keep(kept: Reviews, stored: StoredGame, review: Review) -> None:
    """Keeps a review, unless it is only a part of one that is kept already."""
    before = kept.read(stored)
    if review.judged and (review.is_whole or before is None or not before.is_whole):
        try:
            kept.keep(review)
        except OSError as error:
            sys.stderr.write(f"kibitzer games analyse: the analysis is not kept: {error}\n")


def as_object(stored: StoredGame, review: Review) -> dict[str, Any]:
    return {
        "id": stored.game_id,
        "game": stored.game,
        "players": list(stored.players),
        "whole": review.is_whole,
        "accuracy": [review.accuracy(side) for side in (0, 1)],
        "curve": [list(point) for point in curve(stored, review)],
        **review.as_object(),
    }


def as_text(stored: StoredGame, review: Review, blocks: str = BLOCKS) -> Iterator[str]:
    sides = games.load(stored.game, stored.rules).sides
    yield f"{stored.game_id}  {stored.game}, {' against '.join(stored.players)}, {len(stored.plies)} plies"
    yield ""
    stands = "leads in points" if review.unit == "point" else "is better"
    yield from _drawn([height for _, height in curve(stored, review)], f"{sides[0]} {stands}", blocks)
    width = max(map(len, sides))
    for one in review.moves():
        yield f"{one.ply:>4}  {sides[one.side]:<{width}}  {told(one, review.unit)}"
    yield ""
    for side, name in enumerate(sides):
        yield f"{name:<{width}}  {_summary(review, side)}"
    if review.fault:
        yield f"analysed as far as the game can be read: {review.fault}"
    if review.engine_fault:
        heard = [one.ply for one in review.moves() if one.engine is not None]
        since = f" before move {min(heard)}" if heard else ""
        yield f"no engine's opinion{since}: {review.engine_fault}"


def told(one: JudgedPly, unit: str) -> str:
    text = f"{one.move:<10} {comment(one, unit)}"
    if one.engine is not None and one.engine.move != one.move:
        said = "" if one.engine.score is None else f" ({one.engine.score:g})"
        text = f"{text}  [the engine plays {one.engine.move}{said}]"
    return text


def _summary(review: Review, side: int) -> str:
    accuracy = review.accuracy(side)
    marks = [one.mark for one in review.moves() if one.side == side and one.fair]
    if accuracy is None:
        return "no move to judge"
    counts = ", ".join(f"{marks.count(mark)} {mark}{'s' * (marks.count(mark) != 1)}" for mark in ("slip", "mistake"))
    blunders = marks.count("blunder")
    return f"accuracy {accuracy:.0f}, {counts}, {blunders} blunder{'s' * (blunders != 1)}"


def _drawn(heights: Sequence[float | None], stands: str, blocks: str) -> Iterator[str]:
    """The curve as columns of blocks: the fuller, the better for the first side."""
    known = [0.5 if height is None else height for height in heights]
    if len(known) > WIDTH:
        known = [known[round(place * (len(known) - 1) / (WIDTH - 1))] for place in range(WIDTH)]
    steps = len(blocks) - 1
    levels = [round(height * HEIGHT * steps) for height in known]
    for line in reversed(range(HEIGHT)):
        yield "  |" + "".join(blocks[max(0, min(steps, level - line * steps))] for level in levels) + "|"
    yield f"   {stands} where it is full, the other side where it is empty"
    yield ""


def _blocks() -> str:
    try:
        BLOCKS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS
