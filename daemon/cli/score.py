"""`kibitzer score-dominoes` and `kibitzer evaluate-dominoes`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from calibration.arrays import FloatArray
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli.options import ProfileOption
from daemon.cli.wrong_call import refusals
from daemon.scoring.annotation_folder import AnnotationFolder
from daemon.scoring.evaluation import WORTH, Evaluation, Tally, evaluate
from daemon.scoring.photo_series import Series, find_series
from daemon.scoring.report import Scored, pages_of
from daemon.scoring.scorer import Look, ScoredMove, Scorer, line_of, object_of, summary_of
from games.double_double_dominoes import DoubleDoubleDominoes
from games.double_double_dominoes.position import SIDES
from vision.cli import MEGAPIXELS, load_photo
from vision.frame import Image
from vision.reading.locate import PhotoReader, ReadPhoto
from vision.sheet.files import CREATOR, pdf_of
from vision.sheet.ink import Page
from vision.sources.encoded import MAX_MEGAPIXELS

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

PAWN_SURE = 0.9
INCOMPLETE = 1


@app.command("score-dominoes")
def score_dominoes(
    photos: Annotated[Path, typer.Argument(help="Folder with the photos 1_01.jpg, 1_02.jpg, ... and 1_mutari.txt.")],
    out: Annotated[Path, typer.Option(help="Folder for the annotation files 1_01.txt, ...; created if absent.")],
    profile: ProfileOption = None,
    only: Annotated[str, typer.Option(help="Numbers of the games to score, such as 1,3. Default: all.")] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Also overwrite files that another program or a person wrote.")
    ] = False,
    pdf: Annotated[
        Path | None, typer.Option(help="Report to write: for each game a page with the board and one with the scores.")
    ] = None,
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per move, after each game.")] = False,
) -> None:
    """Scores games of Double Double Dominoes from photos, one photo per tile.

    Prints one line per move: photo, player, tile and squares, points with the bonus, what the other player gets, and
    both totals. Writes `<game>_<number>.txt`: one line per end of the new tile, then the points of the player who laid
    it.

    If a tile's photo is missing or shows no board, the tile is looked for in the next photo and, if only one answer is
    likely, written too ("inferred"). Each photo with a new tile gets the best guess, marked if it is unsure or against
    the rules. A later photo may correct an earlier line; its file then changes too.

    Without `<game>_mutari.txt` (lines such as `1_01.jpg player1`) the players are assumed to lay tiles in turn, unless
    pawns in the photos show otherwise. Pawns, if any, also show in which order tiles without photos were laid.

    --pdf writes a report to print: the board at the end with the number of each tile's photo, then a table of what
    every tile brought and each player's way along the track.

    Files that this command did not write are never overwritten without --force. Exit status 1: a photo got no file.

    Example: kibitzer score-dominoes photos --out scores --profile table.npz
    """
    with refusals("score-dominoes"):
        chosen = find_series(photos, _numbers(only))
        template = load_template(DoubleDoubleDominoes.name)
        table = None if profile is None else TableProfile.load(profile)
        names = [shot.name for series in chosen for shot in series.shots]
        folder = AnnotationFolder(out, names, force)
        if pdf is not None:
            _check_pdf(pdf, force)
        eyes = PhotoSeriesReader(PhotoReader(template, table))
        complete, pages = True, list[Page]()
        # Lines for another program must not pass through the progress bar, which would print them to standard error.
        bar = Progress(
            console=(console := Console(stderr=True)),
            transient=True,
            disable=not console.is_terminal,
            redirect_stdout=sys.stdout.isatty(),
        )
        with bar as progress:
            task = progress.add_task("reading", total=len(names))
            for series in chosen:
                teller = Teller(series, folder, as_json)
                for shot in series.shots:
                    photo = None if shot.photo is None else load_photo(shot.photo, max_megapixels)
                    teller.look(eyes.looks(photo))
                    progress.advance(task)
                complete = teller.finish() and complete
                pages += pages_of(teller.scored, template)
        if pdf is not None:
            pdf.write_bytes(pdf_of(*pages))
    if not complete:
        raise typer.Exit(INCOMPLETE)


def _check_pdf(path: Path, force: bool) -> None:
    """Raises ValueError where the report cannot be written, or would be written over another program's file."""
    if path.suffix.lower() != ".pdf":
        raise ValueError(f"--pdf ends in .pdf, not {path.name!r}")
    if not path.parent.is_dir():
        raise ValueError(f"--pdf: there is no folder {path.parent}")
    if path.exists() and not force and CREATOR not in path.read_bytes():
        raise ValueError(f"--pdf: {path} was not written by this command; --force writes over it")


class PhotoSeriesReader:
    def __init__(self, reader: PhotoReader) -> None:
        self._reader = reader
        self._corners_px: FloatArray | None = None
        self._shape: tuple[int, ...] = ()

    def looks(self, image: Image | None) -> Iterator[Look]:
        """Yields possible readings of a photo, likeliest first: the board where found, then at its last place."""
        if image is None:
            return
        corners_px, shape = self._corners_px, self._shape
        found = self._reader.read(image)
        if found is not None:
            self._corners_px, self._shape = found.pose.corners_px(found.template), image.shape
            yield _look(found)
        if corners_px is not None and shape == image.shape:
            self._corners_px, self._shape = corners_px, shape
            again = self._reader.read(image, corners_px)
            if again is not None:
                yield _look(again)


def _look(found: ReadPhoto) -> Look:
    sure = {side: pawn.space for side, pawn in found.pawns.items() if pawn.probability >= PAWN_SURE}
    return Look(found.reading, (sure.get(SIDES[0]), sure.get(SIDES[1])))


class Teller:
    def __init__(self, series: Series, folder: AnnotationFolder, as_json: bool) -> None:
        self._series = series
        self._folder = folder
        self._as_json = as_json
        self._scorer = Scorer(series)
        self._said: dict[int, object] = {}
        for note in series.notes:
            sys.stderr.write(f"{note}\n")

    @property
    def scored(self) -> Scored:
        return Scored(self._series.game, self._scorer.moves(), self._scorer.uncounted(), self._scorer.pawns)

    def look(self, looks: Iterator[Look]) -> None:
        self._scorer.look(looks)
        moves = self._scorer.moves()
        for shot, move in enumerate(moves):
            self._folder.put(move.name, move.annotation)
            if move.status != "no_photo":
                self._say(shot, move)

    def finish(self) -> bool:
        moves = self._scorer.moves()
        for shot, move in enumerate(moves):
            self._say(shot, move)
            if self._as_json:
                sys.stdout.write(json.dumps(object_of(move), ensure_ascii=False) + "\n")
        for placed in self._scorer.uncounted():
            sys.stderr.write(f"{placed.lay.text} lies on the board, but no photo's number is left for it\n")
        self._tell(summary_of(self._series, self._scorer, moves))
        shots = zip(self._series.shots, moves, strict=True)
        return all(move.annotation is not None for shot, move in shots if shot.photo is not None)

    def _say(self, shot: int, move: ScoredMove) -> None:
        told = (move.annotation, move.placed and (move.placed.side, move.placed.gains, move.placed.lay))
        if shot not in self._said or self._said[shot] != told:
            self._tell(line_of(move) + ("  (corrected)" if shot in self._said else ""))
            self._said[shot] = told

    def _tell(self, line: str) -> None:
        if not self._as_json:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


@app.command("evaluate-dominoes")
def evaluate_dominoes(
    out: Annotated[Path, typer.Argument(help="Folder of annotation files written by `score-dominoes`.")],
    truth: Annotated[Path, typer.Argument(help="Folder of the true annotation files.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compares annotation files with the true ones, graded in the points of the original assignment (docs/results.md).

    Each move earns 0.05 for its position (both squares), 0.02 for its pips (both numbers) and 0.02 for its points,
    each judged separately. Every error is listed; a missing or damaged file is wrong in all three.

    Example: kibitzer evaluate-dominoes scores photos
    """
    with refusals("evaluate-dominoes"):
        found = evaluate(out, truth)
    if as_json:
        sys.stdout.write(json.dumps(_evaluation_object(found), ensure_ascii=False) + "\n")
        return
    for miss in found.misses:
        sys.stdout.write(f"{miss.name}  {miss.what}: expected {miss.expected}, found {miss.found}\n")
    for name in found.extra:
        sys.stdout.write(f"{name}  has no true annotation and counts nothing\n")
    for game, tally in found.games.items():
        sys.stdout.write(f"game {game}: {_tally_line(tally)}\n")
    sys.stdout.write(f"in all: {_tally_line(found.total)}\n")


def _tally_line(tally: Tally) -> str:
    counts = ", ".join(f"{what} {tally.right[what]}/{tally.moves}" for what in WORTH)
    return f"{counts}; {tally.worth:.2f} of {tally.most:.2f}"


def _evaluation_object(found: Evaluation) -> dict[str, object]:
    return {
        "total": _tally_object(found.total),
        "games": {str(game): _tally_object(tally) for game, tally in found.games.items()},
        "misses": [
            {"move": str(miss.name), "what": miss.what, "expected": miss.expected, "found": miss.found}
            for miss in found.misses
        ],
        "extra": [str(name) for name in found.extra],
    }


def _tally_object(tally: Tally) -> dict[str, object]:
    return {"moves": tally.moves, **tally.right, "worth": round(tally.worth, 2), "most": round(tally.most, 2)}


def _numbers(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if not word.isascii() or not word.isdecimal():
            raise ValueError(f"--only takes numbers of games, such as 1,3, not {word!r}")
    return [int(word) for word in words]
