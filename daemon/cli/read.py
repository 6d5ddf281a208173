"""`kibitzer read`: reads boards in photos, identifies their game on request, and explains why no board is seen."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.profile import TableProfile
from calibration.sheet import other_sizes
from calibration.template import BoardTemplate
from daemon.cli.options import ProfileOption
from daemon.cli.wrong_call import BLOCKED, refusals, stop
from daemon.drawing.photo_marks import captioned, draw_read
from daemon.drawing.text_board import FOREIGN, TextBoard
from rules import EMPTY
from vision.cli import JSON, MEGAPIXELS, RULE, parse_corners, progress_bar, template_of
from vision.finding.why_unseen import Unseen
from vision.frame import Image
from vision.reading.board_reading import UNKNOWN
from vision.reading.locate import PhotoReader, ReadPhoto
from vision.reading.photo_report import (
    NO_PICTURE,
    Report,
    SeenPhoto,
    names_of,
    read_named,
    read_unnamed,
    too_large,
)
from vision.sources.encoded import MAX_MEGAPIXELS, TooLargeError
from vision.sources.files import PICTURES, read_cut_photo, write_picture

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

AUTO = "auto"
GAME = typer.Option(
    help="Game, by any usual name: morris, reversi, ...; or auto: the board in each photo tells it, and whether it has "
    "15 or 19 lines, diagonals or none."
)
LIKELY = 0.05
"""Probability from which another content of a doubtful cell is mentioned."""


@app.command("read")
def read(
    photos: Annotated[list[Path], typer.Argument(help="Photos of one board or of several.")],
    game: Annotated[str, GAME] = AUTO,
    profile: ProfileOption = None,
    rule: Annotated[list[str], RULE] = [],  # noqa: B006
    corners: Annotated[
        str, typer.Option(help='Where the board is: "x,y x,y x,y x,y", top left, top right, bottom right, bottom left.')
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help=f"Picture ({', '.join(PICTURES)}) with what is seen drawn on the photo; for several photos a folder, "
            "in which each picture has its photo's name."
        ),
    ] = None,
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Reads the board in photos, with or without a table profile, and draws it here, in the terminal.

    **--out** also draws on the photo itself: the board's outline, a dot in its colour on every man, a cross on every
    cell on which something else lies, and a dotted ring around every cell that cannot be told for sure. A photo is
    never overwritten.

    **With --json** one object a photo: photo, found, corners_px (TL TR BR BL), cells (a class letter per cell, row by
    row from the picture's top), probabilities (one object of class letters per cell), unknown (per cell, 0 to 1,
    how likely it shows nothing learnt, such as a hand), foreign (the cells on which something lies that is
    probably no man, or a lamp is mirrored: what they hold is not told), quality (how much of the board's lines or
    lattice is seen, 0 to 1), sure (how likely the board is there and in this place, 0 to 1), game, rules, milliseconds;
    for dominoes also tiles (cell, cell, pips, pips) and pawns (the space of each colour, 0 the start, null if not
    seen); for chess also figures (a FEN letter per cell), position (the FEN, White to move), first_side (where White
    sits: bottom or top; or left or right, if the board lies turned by a quarter or the picture is mirrored) and
    doubtful_figures.

    For a file that is not a picture or shows no board, found is false, and reason (no_board, wrong_corners, ...) and
    advice (what is wrong and what to do, in words) are given; note is said of a board of another size than was asked
    for, which is read all the same, of a second board in the picture, of a board that lies turned under the men or in a
    mirror, and of a file that ends too early. The exit status is still 0; 1 means that a file is not there, 2 a wrong
    command, 75 that a picture cannot be written.

    With --game auto, game and rules name the board in each photo, and others lists what else it may be, each with its
    own sure; game is null if that is not clear. It takes some seconds a photo.

    Example: kibitzer read table.jpg --game morris --out seen.png

    Example: kibitzer read attic/*.jpg --game auto --out seen/

    Example: kibitzer read table.jpg --game morris --json
    """
    with refusals("read"):
        place = parse_corners(corners) if corners else None
        if game == AUTO:
            for option, given in (("--profile", profile), ("--rule", rule), ("--corners", corners)):
                if given:
                    raise ValueError(f"{option} needs a game: --game auto finds out by the picture alone")
        targets = [None] * len(photos) if out is None else targets_of(photos, out)
        table = None if profile is None else TableProfile.load(profile)
        reader = None if game == AUTO else _reader_of(template_of(game, rule), table)
    for number, (photo, target) in enumerate(zip(photos, targets, strict=True)):
        image, cut, fault = _opened(photo, max_megapixels)
        seen = _unnamed(image, fault, cut) if reader is None else read_named(image, reader, place, fault, cut=cut)
        if as_json:
            told = json.dumps({"photo": photo.name} | seen.report, ensure_ascii=False)
        elif image is None and not photo.is_file():
            continue  # which was told
        else:
            told = ("\n" if number else "") + f"{photo.name}: {in_words(seen, colour=sys.stdout.isatty())}"
            if seen.read is None and image is not None and reader is not None:
                other = game_seen(image, fault, cut=cut)
                told += f" It looks like {games.find(other).title}: try --game auto." if other else ""
        show(told)
        if target is not None and image is not None:
            write_drawn("read", target, _drawn(image, seen))
    if not all(photo.is_file() for photo in photos):
        raise typer.Exit(1)


def game_seen(image: Image, fault: Unseen = NO_PICTURE, *, cut: bool = False) -> str:
    """The game whose board is seen where the one that was named is not; empty if none is."""
    seen = _unnamed(image, fault, cut)
    return str(seen.report["game"]) if seen.read else ""


def targets_of(photos: Sequence[Path], out: Path) -> list[Path]:
    """The picture to write for each photo. Raises ValueError where one could not be written, or would replace another.

    A folder is one that exists, or any name without a suffix; it is made.
    """
    single = len(photos) == 1 and out.suffix and not out.is_dir()
    if not single and out.suffix and not out.is_dir():
        raise ValueError(f"--out {out}: for {len(photos)} photos it is a folder, such as seen/")
    targets = [out] if single else [out / photo.name for photo in photos]
    for photo, target in zip(photos, targets, strict=True):
        if target.suffix.lower() not in PICTURES:
            raise ValueError(f"--out: a picture's name ends in {', '.join(PICTURES)}, not {target.name!r}")
        if targets.count(target) > 1:
            raise ValueError(f"--out {out}: two of the photos are called {photo.name}; read them one after the other")
        if any(target.exists() and one.exists() and target.samefile(one) for one in photos):
            raise ValueError(f"--out {target}: that is a photo itself, which is never overwritten")
    return targets


def show(told: str) -> None:
    sys.stdout.write(told + "\n")
    sys.stdout.flush()


def _drawn(image: Image, seen: SeenPhoto) -> Image:
    drawn = image if seen.read is None else draw_read(image, seen.read)
    doubts = [] if seen.read is None else [lies_on(seen.read), doubts_of(seen.read)]
    said = [headline(seen.report, seen.read), *position_in(seen.report).splitlines(), *doubts]
    return captioned(drawn, "".join(f"{one.rstrip('.')}. " for one in said if one))


def write_drawn(command: str, target: Path, picture: Image) -> None:
    """Writes a picture, and says where. Raises typer.Exit where it cannot be written."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_picture(target, picture)
    except OSError as error:
        raise stop(command, f"--out {target}: {error.strerror or error}", BLOCKED) from None
    sys.stderr.write(f"drawn: {target}\n")


def in_words(seen: SeenPhoto, *, colour: bool = False) -> str:
    """What was seen, for people: a line about the board, the board drawn, and what is in doubt.

    With `colour` the doubtful cells are shown reversed.
    """
    read = seen.read
    if read is None:
        return " ".join(filter(None, [str(seen.report["note"] or ""), str(seen.report["advice"])]))
    shown = figures_in(seen.report, read.template) or read.reading.board
    pairs = zip(read.reading.foreign, shown, strict=True)
    shown = "".join(FOREIGN if foreign else letter for foreign, letter in pairs)
    drawn = TextBoard(read.template).draw(shown, read.reading.doubtful, colour=colour)
    note = str(seen.report["note"] or "")
    said = [note, headline(seen.report, read), drawn, position_in(seen.report), lies_on(read), doubts_of(read)]
    return "\n".join(filter(None, said))


def figures_in(report: Report, template: BoardTemplate) -> str:
    """The report's figures by the letters of the template; empty where it has none."""
    letters = {figure.letter: letter for letter, figure in template.figures.items()}
    return "".join(letters.get(letter, letter) for letter in str(report.get("figures") or ""))


def position_in(report: Report) -> str:
    """The position as text, and which pieces are in doubt; empty where pieces of a side look alike."""
    if "position" not in report:
        return ""
    if report["position"] is None:
        return f"This is no position: {report['fault']}"
    where = " (the board is upside down in the picture)" if report["first_side"] == "top" else ""
    where = ", if the picture is not mirrored" if report["first_side"] in ("left", "right") else where
    doubtful = report["doubtful_figures"]
    doubts = f"\nNot sure which pieces: {', '.join(doubtful)}" if isinstance(doubtful, list) and doubtful else ""
    return f"{'Likeliest position' if doubts else 'Position'}{where}: {report['position']}{doubts}"


def headline(report: Report, read: ReadPhoto | None) -> str:
    if read is None:
        return str(report["advice"])
    rules, board = report["rules"], read.reading.board
    options = " ".join(f"{name}={value}" for name, value in rules.items()) if isinstance(rules, dict) else ""
    title = str(games.find(read.template.game).title) + (f" ({options})" if options else "")
    if read.reading.tiles is None:
        kinds = read.template.classes.items()
        parts = [counted(board.count(letter), name) for letter, name in kinds if letter != EMPTY]
    else:
        pips = sum(int(half) for tile in read.reading.tiles for half in tile.pips)
        parts = [counted(len(read.reading.tiles), "tile"), counted(pips, "pip")]
    for side, pawn in read.pawns.items():
        where = {None: "not seen", 0: "at the start"}.get(pawn.space, f"on {pawn.space}")
        parts.append(f"{side} pawn {where}")
    return f"{title}: {', '.join(parts)} (sure of the place: {report['sure']:.0%})"


def counted(number: int, what: str) -> str:
    many = what.removesuffix("man") + "men" if what.endswith("man") else f"{what}s"
    return f"{number} {what if number == 1 else many}"


def lies_on(read: ReadPhoto) -> str:
    """Which cells hold something that is probably no man, or light that looks like one."""
    where = ", ".join(names_of(read.template, read.reading.foreign))
    return f"Something lies on {where} that is no man, or a lamp is mirrored there" if where else ""


def doubts_of(read: ReadPhoto) -> str:
    reading, names = read.reading, read.template.cell_names
    doubts = []
    for cell in reading.doubtful:
        if reading.foreign[cell]:
            continue
        shares = sorted(zip(reading.probabilities[cell], reading.letters, strict=True), reverse=True)
        may_be = [f"{read.template.classes[letter]} {share:.0%}" for share, letter in shares if share >= LIKELY]
        if reading.unknown is not None and reading.unknown[cell] > UNKNOWN:
            may_be.append("but it looks like nothing I know")
        doubts.append(f"{names[cell]} ({', '.join(may_be)})")
    return f"Not sure: {'; '.join(doubts)}" if doubts else ""


def _reader_of(template: BoardTemplate, table: TableProfile | None) -> PhotoReader:
    return PhotoReader(template, table, other_sizes(template))


def _opened(photo: Path, max_megapixels: float) -> tuple[Image | None, bool, Unseen]:
    """The picture in a file, whether it ends too early, and why there is none, which standard error tells, too."""
    try:
        return *read_cut_photo(photo, max_megapixels), NO_PICTURE
    except OSError as error:
        sys.stderr.write(f"{photo}: {error.strerror or error}\n")
        return None, False, too_large(error) if isinstance(error, TooLargeError) else NO_PICTURE


def _unnamed(image: Image | None, fault: Unseen, cut: bool) -> SeenPhoto:
    with progress_bar() as progress:
        task = progress.add_task("looking for a board", total=None)

        def looked(done: int, total: int, what: str) -> None:
            progress.update(task, completed=done, total=total, description=f"looking for {what}")

        return read_unnamed(image, looked, fault, cut=cut)
