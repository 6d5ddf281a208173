"""Names the boards in photographs by the picture alone, and counts how often the right one is named.

    kibitzer bench read-auto chess=PHOTOS draughts=PHOTOS go=PHOTOS --most 10 --seed 1
    kibitzer bench read-auto go=PHOTOS draughts=PHOTOS --asked

Every folder is named after its game; labels.json there also tells the size of each board by its number of cells, and a
folder without it has boards of the game's usual size. With --asked the game is told, but never its size. Prints one
JSON object a photo, and one for all: right, right among the two likeliest, wrong, not seen, and seconds of processor.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import games
from calibration.sheet import other_sizes
from calibration.template import BoardTemplate, load_template
from vision.reading.locate import PhotoReader
from vision.reading.photo_report import Report, read_named, read_unnamed
from vision.reading.which_board import drawings, have_same_cells
from vision.sources.files import PICTURES, read_photo


def main(
    folders: Annotated[list[str], typer.Argument(metavar="GAME=DIR", help="Photographs of a game's boards.")],
    most: Annotated[int, typer.Option(min=1, help="Photographs of a folder at most, drawn by the seed.")] = 1000,
    seed: int = 1,
    asked: Annotated[bool, typer.Option("--asked", help="Tell the game, and see whether its size is found.")] = False,
) -> None:
    read_unnamed(np.full((240, 320, 3), 90, np.uint8))  # loads what every reading needs
    count = dict.fromkeys(("right", "among_two", "wrong", "unseen"), 0)
    longest_s = total_s = 0.0
    for folder in folders:
        game, _, place = folder.partition("=")
        usual = load_template(games.find(game).name)
        reader = PhotoReader(usual, sizes=other_sizes(usual)) if asked else None
        for photo, cells in photos_of(Path(place), most, seed):
            image, started_s = read_photo(photo), time.process_time()
            seen = read_unnamed(image) if reader is None else read_named(image, reader, None)
            took_s = time.process_time() - started_s
            outcome = judged(seen.report, usual.game, cells or len(usual.cell_names))
            count[outcome] += 1
            total_s, longest_s = total_s + took_s, max(longest_s, took_s)
            told = [told_board(one) for one in (seen.report, *others_of(seen.report))]
            print(json.dumps({"photo": str(photo), "told": told, "is": outcome, "s": round(took_s, 2)}), flush=True)
    number = max(sum(count.values()), 1)
    print(json.dumps(count | {"mean_s": round(total_s / number, 2), "longest_s": round(longest_s, 2)}))


def photos_of(folder: Path, most: int, seed: int) -> list[tuple[Path, int]]:
    """Photographs, and the number of cells of the board on each; 0 where no label tells it."""
    labels = folder / "labels.json"
    if labels.is_file():
        images: dict[str, Any] = json.loads(labels.read_text(encoding="utf-8"))["images"]
        found = [(folder / name, len(entry["cells"])) for name, entry in sorted(images.items())]
    else:
        found = [(path, 0) for path in sorted(folder.iterdir()) if path.suffix.lower() in PICTURES]
    chosen = np.random.default_rng(seed).permutation(len(found))[:most]
    return [found[number] for number in sorted(chosen)]


def others_of(report: Report) -> list[Report]:
    others = report.get("others")
    return list(others) if isinstance(others, list) else []


def judged(report: Report, game: str, cells: int) -> str:
    """Whether a board of that game and number of cells is named, or is one of two that are."""
    first = [report] if report["game"] is not None and report["found"] else []
    ranked = [*first, *others_of(report)]
    if not ranked:
        return "unseen"
    right = [_is_board(one, game, cells) for one in ranked]
    if first and right[0]:
        return "right"
    return "among_two" if any(right[:2]) else "wrong"


def _is_board(report: Report, game: str, cells: int) -> bool:
    rules = report["rules"]
    assert isinstance(rules, dict)
    options = frozenset(name if value == "true" else f"{name}={value}" for name, value in rules.items())
    seen = load_template(str(report["game"]), options)
    return len(seen.cell_names) == cells and (seen.game == game or _looks_like(seen, game))


def _looks_like(seen: BoardTemplate, game: str) -> bool:
    """Whether a game's boards differ in nothing that is seen, as those of go and gomoku with 19 lines."""
    return any(one.game == game and have_same_cells(one, seen) for family in drawings() for one in family)


def told_board(report: Report) -> str:
    rules = report["rules"]
    words = [f"{name}={value}" for name, value in rules.items()] if isinstance(rules, dict) else []
    return " ".join([str(report["game"]), *words, str(report["sure"])])
