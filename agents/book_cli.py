"""The commands of opening books: `kibitzer book build`, `check` and `show`."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import TextColumn

import games
from agents.books import BookError, book, opening
from agents.command_line import (
    COUNTS,
    STOPPED,
    GameOption,
    JsonOption,
    RuleOption,
    moves_of,
    new_app,
    progress,
    refusing,
)
from rules import AnyGame, Words
from rules.options import rules_from_words
from rules.turns import line_of_play
from system.weights import write_entry

SAVE_S = 30.0
"""Seconds of building after which what was found is saved."""

app = new_app(
    no_args_is_help=True,
    help="Build and show opening books: good first moves, known from long searches. Strong players answer from them.",
)


@app.command("build")
def build(
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    positions: Annotated[
        int, typer.Option(min=1, max=100_000, help="Positions of the book; one takes about five searches.")
    ] = 1000,
    line: Annotated[
        list[str],
        typer.Option(help='Moves that people begin with, such as "h8", whatever the searches think. Repeatable.'),
    ] = [],  # noqa: B006
    begin: Annotated[
        str,
        typer.Option(help='Moves that the book begins with, such as "h8"; it knows no others beside them.'),
    ] = "",
    nodes: Annotated[
        int | None,
        typer.Option(
            min=100, max=10**12, help="Positions that a search visits. Default: 30 times those of the strongest level."
        ),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=1, max=10_000, help="Positions of the book that searches four times as long check.")
    ] = 20,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the book and its manifest. Default: where players look for own books."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Builds the opening book of a game under its rules, or goes on with the one there is; Ctrl-C keeps what was found.

    The position that good play most likely reaches comes next, so a book can be stopped at any time and go on later.
    Positions that symmetry makes the same are one. A book holds for the rules that it was made with, and no others.
    Fields: path, positions, nodes, deeper_search_accuracy (share of checked_positions in which a search four times as
    long prefers a move that the book holds for one of the best).

    Example, a good book in a night: kibitzer book build --game reversi --positions 10000 --nodes 20000000
    """
    from agents.books.building import Builder, usual_nodes

    with refusing("book build", OSError):
        the_game = games.load(game, rules_from_words(rule))
        folder = opening.own_folder() if out is None else out
        folder.mkdir(parents=True, exist_ok=True)
        name = opening.name_of(the_game)
        path = folder / f"{name}.jsonl"
        earlier = book.read(path) if path.exists() else _shipped(the_game, nodes) if out is None else None
        nodes = nodes or (usual_nodes(the_game) if earlier is None else earlier.nodes)
        builder = Builder(the_game, nodes, earlier, [moves_of(one) for one in line], moves_of(begin))
    given = {"--rule": rule, "--line": line, "--begin": [begin] if begin else []}
    chosen = [(option, one) for option, texts in given.items() for one in texts]
    words = [game, *(word for pair in chosen for word in pair), "--positions", str(positions)]
    command = f"kibitzer book build --game {shlex.join(words)} --nodes {nodes}"
    facts: dict[str, str | float] = {"data": "searches of the program itself", "licence": "MIT", "command": command}

    def keep() -> None:
        book.write(path, builder.book())
        write_entry(folder, name, path.name, {**facts, "positions": len(builder)})

    bar = progress(*COUNTS, TextColumn("{task.description}"))
    try:
        with bar, refusing("book build", OSError):
            task = bar.add_task("", total=positions, completed=len(builder))
            saved_s = time.monotonic()
            growth = builder.grow()
            while len(builder) < positions and (latest := next(growth, None)) is not None:
                bar.update(task, description=" ".join(latest[-6:]), completed=len(builder))
                if time.monotonic() - saved_s > SAVE_S:
                    keep()
                    saved_s = time.monotonic()
            bar.update(task, description="checking")
            facts["deeper_search_accuracy"] = round(builder.agreement(sample), 3)
            facts["checked_positions"] = min(sample, len(builder))
    except KeyboardInterrupt:
        typer.echo(f"stopped; {len(builder)} positions are kept, and the same command goes on", err=True)
        raise typer.Exit(STOPPED) from None
    finally:
        if len(builder):
            keep()
    told = {"path": str(path), "positions": len(builder), "nodes": nodes, **facts}
    agreed = f"searches four times as long agree with {100 * float(facts['deeper_search_accuracy']):.0f} % of its moves"
    typer.echo(json.dumps(told) if as_json else f"{path}: {len(builder)} positions; {agreed}")


@app.command("check")
def check(game: GameOption, rule: RuleOption = [], as_json: JsonOption = False) -> None:  # noqa: B006
    """Checks the book that players of a game use: checksum, every line, and that every move is legal.

    Exit status 2 where anything is wrong, with the position. Fields: positions, moves, nodes, longest (plies).

    Example: kibitzer book check --game reversi
    """
    with refusing("book check", OSError):
        the_game = games.load(game, rules_from_words(rule))
        found = _of(the_game)
        entries = found.book.entries
        with progress(*COUNTS, TextColumn("{task.description}")) as bar:
            for key, entry in bar.track(entries.items(), description="checking"):
                if not found.known(found.position(key, entry)):
                    raise BookError(f"after {' '.join(entry.line)} the book does not know its own position")
    moves, longest = sum(len(one.moves) for one in entries.values()), max(len(one.line) for one in entries.values())
    told = {"positions": len(entries), "moves": moves, "nodes": found.book.nodes, "longest": longest}
    text = f"{len(entries)} positions, {moves} moves by searches of {found.book.nodes}, up to {longest} plies deep"
    typer.echo(json.dumps(told) if as_json else text)


@app.command("show")
def show(
    game: GameOption,
    moves: Annotated[str, typer.Option(help='Moves so far, such as "f5 d6 c3".')] = "",
    rule: RuleOption = [],  # noqa: B006
    as_json: JsonOption = False,
) -> None:
    """Shows the moves that the book knows in a position, best first, and the opening's name where it has one.

    Fields: opening, moves: each with move, score (the mover's, in the unit of the game's search), chance (share of the
    point that it promises), depth (plies of its own search), opening (the name that it leads to).

    Example: kibitzer book show --game reversi --moves "f5 d6"
    """
    with refusing("book show", OSError):
        the_game = games.load(game, rules_from_words(rule))
        found = _of(the_game)
        position = line_of_play(the_game, moves_of(moves), the_game.starts[0])[-1]
        known = found.known(position)
    listed = [
        {
            "move": the_game.format_move(position, one.move),
            "score": one.score,
            "chance": round(found.chance(one.score), 3),
            "depth": one.depth,
            "opening": Words.of(the_game).opening(the_game.apply(position, one.move)),
        }
        for one in known
    ]
    name = Words.of(the_game).opening(position)
    if as_json:
        typer.echo(json.dumps({"opening": name, "moves": listed}, ensure_ascii=False))
        return
    if name:
        typer.echo(name)
    for one in listed:
        typer.echo(
            f"{one['move']:<8} {one['score']:>7}  {one['chance']:.1%}  depth {one['depth']}  {one['opening']}".rstrip()
        )
    if not listed:
        typer.echo("the book does not know this position", err=True)


def _shipped(game: AnyGame, nodes: int | None) -> book.Book | None:
    found = opening.find(game)
    return found.book if found is not None and nodes in (None, found.book.nodes) else None


def _of(game: AnyGame) -> opening.OpeningBook:
    found = opening.find(game)
    if found is None:
        raise BookError(f"there is no book of {game.title} under these rules; `kibitzer book build` makes one")
    return found
