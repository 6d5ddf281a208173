"""The command `kibitzer print-board`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.sheet import SheetError, layout_of
from calibration.template import TemplateError
from rules import GameError
from rules.options import rules_from_words
from vision.cli import GAME, JSON, RULE, stop, template_of
from vision.sheet.drawing import Sheet, draw_sheet
from vision.sheet.files import pdf_of, svg_of
from vision.sheet.ink import PAPERS_MM, Page
from vision.sheet.men import draw_men

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

DIRECTIONS = ("auto", "yes", "no")


@app.command("print-board")
def print_board(
    game: Annotated[str, typer.Argument(help=GAME.help)],
    out: Annotated[Path, typer.Option(help="File to write: board.pdf or board.svg.")],
    rule: Annotated[list[str], RULE] = [],  # noqa: B006
    paper: Annotated[str, typer.Option(help=f"Size of the paper: {', '.join(PAPERS_MM)}.")] = "a4",
    landscape: Annotated[
        str,
        typer.Option(
            help="Page across: yes, no, or auto: across unless the board is higher than wide, because a camera's "
            "picture lies across too."
        ),
    ] = "auto",
    plain: Annotated[bool, typer.Option("--plain", help="Leave the board white, to save ink.")] = False,
    men: Annotated[bool, typer.Option("--men", help="Draw men to cut out for that board, instead of it.")] = False,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Draws a game's board for printing, with four markers that show where it is and which game it is for.

    Print it at its own size ("100 %", not "fit to page") and measure the scale bar. Coins or buttons of two kinds that
    differ in brightness can serve as pieces. The board is found and read without calibration, even if a hand or a
    piece covers one of its markers. The file contains only outlines and needs no fonts.

    Example: kibitzer print-board reversi --out reversi.pdf

    --men draws men of the board's size in two shades: those of the start and kings, or half a page of either where men
    are laid in turn. In reversi, glue a light one to the back of each dark one.

    Example: kibitzer print-board gomoku --rule size=19 --paper a3 --out go.pdf

    Example: kibitzer print-board draughts --men --out men.pdf
    """
    try:
        sheet = make_sheet(game, rule, paper, landscape, plain)
        page = draw_men(sheet, games.load(game, rules_from_words(rule))) if men else sheet.page
        data = _encoded(page, out)
        out.write_bytes(data)
    except (GameError, SheetError, TemplateError, ValueError) as error:
        raise stop("print-board", error) from None
    except OSError as error:
        raise stop("print-board", f"--out {out}: {error.strerror}") from None
    layout = sheet.layout
    if as_json:
        report = {
            "out": str(out),
            "game": layout.template.game,
            "paper": paper,
            "landscape": layout.landscape,
            "cell_mm": round(sheet.cell_mm, 2),
            "man_mm": round(sheet.man_mm, 2),
            "markers": list(layout.marker_ids),
        }
        sys.stdout.write(json.dumps(report) + "\n")
    lying = "landscape" if layout.landscape else "portrait"
    sys.stderr.write(
        f"{out}: {page.title} on {paper}, {lying}; cells {sheet.cell_mm:.1f} mm apart, "
        f"for men of about {sheet.man_mm:.0f} mm\nPrint it at 100 %{'' if men else ', and measure the scale bar'}.\n"
    )


def make_sheet(game: str, rule: list[str], paper: str, landscape: str, plain: bool) -> Sheet:
    """The sheet that the options ask for. Raises GameError, SheetError, TemplateError, ValueError."""
    if paper.lower() not in PAPERS_MM:
        raise ValueError(f"--paper is one of {', '.join(PAPERS_MM)}, not {paper!r}")
    if landscape not in DIRECTIONS:
        raise ValueError(f"--landscape is one of {', '.join(DIRECTIONS)}, not {landscape!r}")
    template = template_of(game, rule)
    lying = template.size_mm[0] >= template.size_mm[1] if landscape == "auto" else landscape == "yes"
    return draw_sheet(layout_of(template, lying), paper.lower(), tinted=not plain)


def _encoded(page: Page, out: Path) -> bytes:
    if out.suffix.lower() == ".pdf":
        return pdf_of(page)
    if out.suffix.lower() == ".svg":
        return svg_of(page).encode()
    raise ValueError(f"--out ends in .pdf or .svg, not {out.name!r}")
