"""Plots of results, as PNG, SVG or PDF by the file's extension; matplotlib is imported on the first call."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.arena.elo import Z95
from agents.arena.standings import Step, Table
from system import paths

ENDINGS = (".png", ".svg", ".pdf")
SIZE_IN = (8.0, 4.5)


class PlotError(ValueError):
    pass


def check(path: Path, option: str = "--plot") -> None:
    """Raises PlotError if a plot could not be written; called before the games rather than after."""
    if path.suffix.lower() not in ENDINGS:
        raise PlotError(f"{option} is a file that ends in {', '.join(ENDINGS)}, not {path.name!r}")
    if not path.parent.is_dir():
        raise PlotError(f"{option}: there is no folder {path.parent}")
    if importlib.util.find_spec("matplotlib") is None:
        raise PlotError(f"{option} needs matplotlib, which is not installed; {paths.installs('plot', 'arena')}")


def axes(size_in: tuple[float, float] = SIZE_IN) -> tuple[Any, Any]:
    """A figure of that width and height, and its axes."""
    import matplotlib

    matplotlib.use("Agg")  # no window, no display
    from matplotlib.figure import Figure

    figure = Figure(figsize=size_in, layout="constrained")
    return figure, figure.subplots()


def match(path: Path, title: str, pairs: Sequence[int]) -> None:
    figure, drawn = axes()
    games, scores, errors, total, squares = [], [], [], 0.0, 0.0
    for number, half in enumerate(pairs, 1):
        total, squares = total + half / 4, squares + (half / 4) ** 2
        score = total / number
        games.append(2 * number)
        scores.append(100 * score)
        errors.append(100 * Z95 * math.sqrt(max(0.0, squares / number - score * score) / number))
    drawn.axhline(50, color="grey", linewidth=0.8)
    drawn.plot(games, scores, color="C0")
    low = [max(0.0, score - error) for score, error in zip(scores, errors, strict=True)]
    high = [min(100.0, score + error) for score, error in zip(scores, errors, strict=True)]
    drawn.fill_between(games, low, high, color="C0", alpha=0.2, label="95 %")
    drawn.set(xlabel="games", ylabel="score of the first, %", ylim=(0, 100), title=title)
    drawn.legend(loc="best")
    figure.savefig(path)


def ratings(path: Path, title: str, found: Table) -> None:
    figure, drawn = axes()
    places = [found.places[number] for number in reversed(found.ranking)]
    drawn.axvline(0, color="grey", linewidth=0.8)
    drawn.errorbar(
        [place.rating.elo for place in places],
        range(len(places)),
        xerr=[place.rating.error for place in places],
        fmt="o",
        capsize=4,
    )
    drawn.set_yticks(range(len(places)), [place.player for place in places])
    drawn.set(xlabel="Elo against the average, with the 95 % interval", title=title)
    figure.savefig(path)


def levels(path: Path, title: str, steps: Sequence[Step], wanted: float) -> None:
    figure, drawn = axes()
    drawn.axhline(100 * wanted, color="grey", linewidth=0.8, label=f"{100 * wanted:g} %")
    names = [f"{step.level} : {step.level - 1}" for step in steps]
    scores = [100 * (step.summary.estimate.score if step.summary.estimate else 0.0) for step in steps]
    errors = [100 * Z95 * (step.summary.estimate.error if step.summary.estimate else 0.0) for step in steps]
    drawn.bar(names, scores, yerr=errors, capsize=4)
    drawn.set(xlabel="levels", ylabel="score, %", ylim=(0, 105), title=title)
    drawn.legend(loc="lower right")
    figure.savefig(path)
