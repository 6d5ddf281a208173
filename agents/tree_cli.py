"""`kibitzer tree`: draws the tree of a search, and what alpha-beta cuts off."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer

import games
from agents import heuristics
from agents.arena import plot
from agents.command_line import GameOption, JsonOption, RuleOption, new_app, position_of, refusing
from agents.search import MAX_DEPTH
from agents.search_tree import Node, Shape, lines_of, places, tree_of
from rules import HiddenHands
from rules.options import rules_from_words

MAX_POSITIONS = 100_000
"""Positions of the largest tree: what plain Python grows in about a second or, in gomoku, a minute."""
MAX_LEAVES = 400
"""Leaves of the largest drawing: twelve times what a page across holds at `LEAF_IN`."""
LEAF_IN, PLY_IN = 0.34, 1.5
"""Inches between leaves and between plies: the height of a line of text, and the length of a move written upright."""
CUT, SEEN = "0.7", "0.1"
"""Greys of what is cut off and of what is searched."""

app = new_app()


@app.command("tree")
def tree(
    game: GameOption,
    moves: Annotated[str | None, typer.Option(help='Moves so far, such as "d2 f4 d6xf4".')] = None,
    position: Annotated[str | None, typer.Option(help="Position as text, instead of --moves.")] = None,
    depth: Annotated[int, typer.Option(min=1, max=MAX_DEPTH, help="Plies to search.")] = 3,
    width: Annotated[int, typer.Option(min=1, max=1000, help="Most moves to look at in a position.")] = 3,
    best_first: Annotated[
        bool, typer.Option("--best-first", help="Try the best moves by the heuristic first: more is cut.")
    ] = False,
    heuristic: Annotated[str, typer.Option(help="Heuristic that judges the leaves. Default: the usual one.")] = "",
    rule: RuleOption = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(help="Draw it here: a .png, .svg or .pdf.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Shows minimax and alpha-beta at work: the tree from a position, its values, and the positions that are cut off.

    Values are for the side to move at the root, which looks for the highest; the other side looks for the lowest. In a
    drawing, triangles that point up look for the highest; what alpha-beta never visits is grey and dashed. The fewer
    the moves of --width, the more legible; those left out are counted.

    Example: kibitzer tree --game morris --moves "d2 f4 d6" --out tree.svg

    Example: kibitzer tree --game gomoku --moves "h8 h9" --depth 2 --width 5 --best-first
    """
    with refusing("tree"):
        if out is not None:
            plot.check(out, "--out")
        the_game = games.load(game, rules_from_words(rule))
        if isinstance(the_game, HiddenHands):
            raise ValueError(f"{the_game.title} has hidden tiles, and no tree that minimax could search")
        if width**depth > MAX_POSITIONS:
            raise ValueError(f"--width {width} --depth {depth}: {width}^{depth} positions are too many")
        root = tree_of(
            the_game,
            position_of(the_game, moves, position),
            heuristics.named(the_game, heuristic),
            Shape(depth, width, best_first),
        )
        if out is not None:
            if root.leaves > MAX_LEAVES:
                raise ValueError(f"--out: {root.leaves} leaves are more than the {MAX_LEAVES} that can be drawn")
            _draw(root, out)
    counted = {"positions": sum(1 for _ in root.all()), "visited": sum(not node.is_cut for node in root.all())}
    left_out = sum(node.left_out for node in root.all())
    if as_json:
        typer.echo(json.dumps({**counted, "left_out": left_out, "tree": dataclasses.asdict(root)}))
        return
    if out is None:
        typer.echo("\n".join(lines_of(root)))
    typer.echo(
        f"minimax visits {counted['positions']} positions, alpha-beta {counted['visited']}; both find {root.found}; "
        f"{left_out} moves left out by --width {width}"
    )


def _draw(root: Node, out: Path) -> None:
    at = places(root)
    plies = max(ply for _, ply in at.values())
    figure, axes = plot.axes((LEAF_IN * (root.leaves + 1), PLY_IN * (plies + 1)))
    _draw_below(axes, root, at)
    axes.set(xlim=(-1, root.leaves), ylim=(plies + 0.4, -0.4))
    axes.axis("off")
    figure.savefig(out)


def _draw_below(axes: Any, node: Node, at: dict[int, tuple[float, int]]) -> None:
    x, y = at[id(node)]
    for child in node.children:
        grey, style = (CUT, "dashed") if child.is_cut else (SEEN, "solid")
        low, ply = at[id(child)]
        axes.plot((x, low), (y, ply), color=grey, linestyle=style, linewidth=0.8, zorder=1)
        axes.text((x + 2 * low) / 3, (y + 2 * ply) / 3, child.move, color=grey, fontsize=7, rotation=90, **_MIDDLE)
        _draw_below(axes, child, at)
    marker = ("^" if node.maximises else "v") if node.children else "s"
    grey = CUT if node.is_cut else SEEN
    axes.plot([x], [y], marker=marker, color=grey, markersize=5, zorder=2)
    if node.found is not None:
        below = y + (-0.16 if node.children else 0.16)
        axes.text(x, below, str(node.found), fontsize=7, rotation=0 if node.children else 90, **_MIDDLE)


_MIDDLE: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.4},
}
