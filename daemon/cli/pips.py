"""`kibitzer pips`: counts the pips of domino tiles that lie anywhere in a photo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.read import counted, show, targets_of, write_drawn
from daemon.cli.wrong_call import refusals
from daemon.drawing.photo_marks import captioned, draw_tiles
from vision.cli import JSON, MEGAPIXELS, load_photo
from vision.reading.loose_tiles import LooseTileReader, LooseTiles
from vision.sources.encoded import MAX_MEGAPIXELS
from vision.sources.files import PICTURES

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("pips")
def pips(
    photos: Annotated[list[Path], typer.Argument(help="Photos of tiles.")],
    out: Annotated[
        Path | None,
        typer.Option(help=f"Picture ({', '.join(PICTURES)}) with what is read drawn on it; a folder for several."),
    ] = None,
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Counts the pips of domino tiles in photos, such as the hands that are left at the end of a round.

    Lay the tiles face up on a table that is darker than they are, a little apart or in straight rows, and take the
    photo from above. It names the tiles that it is not sure of, and says if something that may be a tile could not be
    read. No board is needed; printed tiles, as around the board of Double Double Dominoes, count as well.

    With --json one object a photo: photo, tiles (pips, corners_px, sure from 0 to 1), pips (all together), unread (x, y
    of places that may be tiles).

    Example: kibitzer pips hand.jpg --out counted.png
    """
    with refusals("pips"):
        targets = [None] * len(photos) if out is None else targets_of(photos, out)
        reader = LooseTileReader()
    for photo, target in zip(photos, targets, strict=True):
        image = load_photo(photo, max_megapixels)
        found = LooseTiles((), ()) if image is None else reader.read(image)
        told = as_object(photo.name, found) if as_json else None
        show(f"{photo.name}: {in_words(found)}" if told is None else json.dumps(told, ensure_ascii=False))
        if target is not None and image is not None:
            write_drawn("pips", target, captioned(draw_tiles(image, found), in_words(found)))


def in_words(found: LooseTiles) -> str:
    if not found.tiles:
        return "no tiles are seen: they lie face up, on a darker ground, and each is at least 30 pixels long"
    names = " ".join("-".join(map(str, pips)) for pips in sorted(sorted(one.pips) for one in found.tiles))
    said = [f"{counted(len(found.tiles), 'tile')}, {counted(found.pips, 'pip')}: {names}."]
    if doubts := [f"{one.pips[0]}-{one.pips[1]} ({one.sure:.0%})" for one in found.tiles if not one.is_sure]:
        said.append(f"Not sure: {', '.join(doubts)}.")
    if found.unread_px:
        places = ", ".join(f"{x:.0f},{y:.0f}" for x, y in found.unread_px[:5])
        said.append(f"Not read, but perhaps tiles: at {places}. Lay tiles apart, each whole in the picture.")
    return " ".join(said)


def as_object(photo: str, found: LooseTiles) -> dict[str, object]:
    tiles = [
        {
            "pips": list(one.pips),
            "corners_px": [[round(x, 1), round(y, 1)] for x, y in one.corners_px],
            "sure": round(one.sure, 3),
        }
        for one in found.tiles
    ]
    unread = [[round(x, 1), round(y, 1)] for x, y in found.unread_px]
    return {"photo": photo, "tiles": tiles, "pips": found.pips, "unread": unread}
