"""The paper's networks with batch normalisation folded in: the same answers from fewer numbers."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from lab.train.neural_morris_designs import ResidualNetwork, ResidualUnit


class Scaling(nn.Module):
    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        factor, shift = factor_and_shift(norm)
        self.factor, self.shift = nn.Parameter(factor), nn.Parameter(shift)

    def forward(self, x: Tensor) -> Tensor:
        """(n, units)."""
        out: Tensor = x * self.factor + self.shift
        return out


class FoldedUnit(nn.Module):
    """A residual unit whose second normalisation is folded into its first layer."""

    def __init__(self, unit: ResidualUnit) -> None:
        super().__init__()
        norm, _, first, inner, _, _, second = unit.layers
        assert isinstance(first, nn.Linear)
        factor, shift = factor_and_shift(inner)
        widened = nn.Linear(first.in_features, first.out_features)
        widened.weight = nn.Parameter(first.weight * factor[:, None])
        widened.bias = nn.Parameter(shift)
        self.layers = nn.Sequential(Scaling(norm), nn.ReLU(), widened, nn.ReLU(), second)

    def forward(self, x: Tensor) -> Tensor:
        """(n, units)."""
        out: Tensor = x + self.layers(x)
        return out


def factor_and_shift(norm: nn.Module) -> tuple[Tensor, Tensor]:
    """Factor and shift of a trained batch normalisation, computed in double precision."""
    assert isinstance(norm, nn.BatchNorm1d)
    assert norm.running_var is not None
    assert norm.running_mean is not None
    factor = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
    shift = norm.bias.double() - factor * norm.running_mean.double()
    return factor.float().detach(), shift.float().detach()


def folded(network: ResidualNetwork) -> ResidualNetwork:
    """A copy that gives the same answers but can no longer be trained."""
    made = copy.deepcopy(network).eval()
    made.units = nn.Sequential(*[FoldedUnit(unit) for unit in made.units if isinstance(unit, ResidualUnit)])
    norm, relu, last = made.last
    made.last = nn.Sequential(Scaling(norm), relu, last)
    return made.eval()
