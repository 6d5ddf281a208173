"""Summaries of repeated measurements: the median and the 95th percentile."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from pydantic import BaseModel


class Figure(BaseModel):
    median: float
    p95: float
    """95 % of the measurements are no greater."""
    count: int


def figure(values: Sequence[float]) -> Figure:
    ordered = sorted(values)
    return Figure(
        median=round(statistics.median(ordered), 3),
        p95=round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 3),
        count=len(ordered),
    )
