"""Draws the learning curves of the networks that play morris."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PUBLISHED = {"accuracy": 37.6, "legality": 99.53}
"""Percent reached by the paper's networks over all states, including those they learnt from."""


def read_curve(path: Path) -> list[dict[str, Any]]:
    """The lines that training wrote. Raises ValueError if the file is no learning curve, OSError."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        return [{"design": one["design"], "epoch": one["epoch"], **one["held_out"]} for one in lines]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no learning curve of neural-morris: {error}") from None


def draw_curves(curves: list[list[dict[str, Any]]], path: Path) -> None:
    """Plots whole moves as in the data, and legal moves, over the times that each state was seen. Raises OSError."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, what, limits in zip(axes, PUBLISHED, ((0, 50), (97, 100.1)), strict=True):
        for curve in curves:
            axis.plot([one["epoch"] for one in curve], [one[what] for one in curve], label=curve[0]["design"])
        axis.axhline(PUBLISHED[what], color="grey", linestyle=":", label="published")
        axis.set(xlabel="epochs", ylabel=f"{what} of held-out states, %", ylim=limits)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.legend()
    figure.savefig(path, dpi=100)
