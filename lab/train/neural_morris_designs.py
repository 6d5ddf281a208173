"""The networks that learn to play morris, in torch: the paper's three, and a design of our own.

A state is given as integer `cells` (n, 24) and `counts` (n, 4), as in `agents.morris_networks.good_moves.States`. Every
design gives the logarithm of a probability for each choice TO, for FROM after TO, for REMOVE after both.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.morris_networks import CHOICES, NONE, POINTS
from agents.morris_networks.board import PAIR_KINDS, POINT_KINDS, THIRD
from agents.morris_networks.good_moves import MAX_MEN

KINDS = 3
COUNTS = 4
MEN = MAX_MEN + 1
"""Values of a count, which is 0 to nine men."""
UNITS = 200
BLOCKS = (10, 10, 30)
"""Residual units of the paper's networks TO, FROM and REMOVE."""


def one_hot(cells: Tensor, counts: Tensor) -> Tensor:
    """(n, 112): three numbers a point and ten a count."""
    what = nn.functional.one_hot(cells.long(), KINDS).flatten(1)
    many = nn.functional.one_hot(counts.long(), MEN).flatten(1)
    return torch.cat([what, many], dim=1).float()


class ResidualUnit(nn.Module):
    """Two layers whose output is added to their input; batch normalisation and ReLU before each, as He et al. 2016."""

    def __init__(self, units: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.BatchNorm1d(units),
            nn.ReLU(),
            nn.Linear(units, units, bias=False),
            nn.BatchNorm1d(units),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(units, units, bias=False),
        )

    def forward(self, x: Tensor) -> Tensor:
        """(n, units)."""
        out: Tensor = x + self.layers(x)
        return out


class ResidualNetwork(nn.Module):
    """Maps the state and one-hot earlier choices to a choice, through residual units."""

    def __init__(self, blocks: int, earlier: int, choices: int, dropout: float) -> None:
        super().__init__()
        self.earlier = earlier
        inputs = KINDS * POINTS + COUNTS * MEN + earlier * CHOICES
        self.first = nn.Linear(inputs, UNITS)
        self.units = nn.Sequential(*[ResidualUnit(UNITS, dropout) for _ in range(blocks)])
        self.last = nn.Sequential(nn.BatchNorm1d(UNITS), nn.ReLU(), nn.Linear(UNITS, choices))

    def forward(self, cells: Tensor, counts: Tensor, *earlier: Tensor) -> Tensor:
        """(n, choices) logarithms of probabilities; each earlier choice is (n,)."""
        seen = [nn.functional.one_hot(choice.long(), CHOICES).float() for choice in earlier]
        x = self.units(self.first(torch.cat([one_hot(cells, counts), *seen], dim=1)))
        return nn.functional.log_softmax(self.last(x).float(), dim=1)


class PaperDesign(nn.Module):
    def __init__(self, blocks: tuple[int, int, int] = BLOCKS, dropout: float = 0.1) -> None:
        super().__init__()
        self.arrival = ResidualNetwork(blocks[0], 0, POINTS, dropout)
        self.origin = ResidualNetwork(blocks[1], 1, CHOICES, dropout)
        self.removed = ResidualNetwork(blocks[2], 2, CHOICES, dropout)

    def forward(self, cells: Tensor, counts: Tensor, moves: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The logarithms of each choice given the choices of `moves`, (n, 3), that come before it."""
        to, origin = moves[:, 0], moves[:, 1]
        return (self.arrival(cells, counts), self.origin(cells, counts, to), self.removed(cells, counts, to, origin))


class PointMixing(nn.Module):
    """A gated layer: half of the features are mixed between points, in groups with a mixture of their own each.

    A group's mixture weights depend only on how two points lie to each other, so that all sixteen symmetries of the
    board hold exactly. The gating is that of Liu et al., "Pay attention to MLPs", 2021.
    """

    def __init__(self, width: int, groups: int, dropout: float) -> None:
        super().__init__()
        self.groups, self.inner = groups, 2 * width
        self.norm = nn.LayerNorm(width)
        self.spread = nn.Linear(width, 2 * self.inner)
        self.dropout = nn.Dropout(dropout)
        self.gather = nn.Linear(self.inner, width)
        self.mixture = nn.Parameter(0.1 * torch.randn(groups, int(PAIR_KINDS.max()) + 1))
        self.kinds: Tensor
        self.register_buffer("kinds", torch.from_numpy(PAIR_KINDS).long(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, 24, width)."""
        kept, mixed = self.spread(self.norm(x)).chunk(2, dim=-1)
        weights = self.mixture[:, self.kinds].to(mixed.dtype)
        mixed = mixed.reshape(-1, POINTS, self.groups, self.inner // self.groups)
        mixed = torch.einsum("gij,njgc->nigc", weights, mixed).reshape(-1, POINTS, self.inner)
        gathered: Tensor = self.gather(self.dropout(nn.functional.gelu(kept) * mixed))
        return x + gathered


class OurDesign(nn.Module):
    """One trunk over the points, and three heads that score all pairs and triples of points at once."""

    def __init__(self, width: int = 128, layers: int = 6, groups: int = 16, keys: int = 64, dropout: float = 0.1):
        super().__init__()
        pairs = int(PAIR_KINDS.max()) + 1
        self.what = nn.Embedding(KINDS * (int(POINT_KINDS.max()) + 1), width)
        self.many = nn.Embedding(COUNTS * MEN, width)
        self.where = nn.Parameter(torch.zeros(POINTS, width))
        """Embedding of each point: breaks the symmetry, to match choices in the data that depend on the order of
        points."""
        self.layers = nn.Sequential(*[PointMixing(width, groups, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.hand = nn.Linear(width, width)
        self.arrival = nn.Linear(width, 1)
        self.origin_asks, self.origin_answers = nn.Linear(width, keys), nn.Linear(width, keys)
        self.origin_pairs = nn.Embedding(3 * (pairs + 1), 1)
        self.takes = nn.ModuleList([nn.Linear(width, 2 * keys) for _ in range(5)])
        self.takes_pairs = nn.Embedding(pairs + 1, 2 * keys)
        self.take_answers = nn.Linear(width, 2 * keys)
        self.take_mix = nn.Linear(2 * keys, 2 * keys)
        pad = nn.functional.pad
        self.point_kinds: Tensor
        self.pair_kinds: Tensor
        self.third: Tensor
        self.register_buffer("point_kinds", torch.from_numpy(POINT_KINDS).long(), persistent=False)
        kinds = pad(torch.from_numpy(PAIR_KINDS).long(), (0, 1), value=pairs)
        self.register_buffer("pair_kinds", kinds, persistent=False)
        third = pad(torch.from_numpy(THIRD).long(), (0, 1), value=NONE)
        self.register_buffer("third", third, persistent=False)

    def trunk(self, cells: Tensor, counts: Tensor) -> Tensor:
        """(n, 25, width): features of each point, and of the hand."""
        cells, counts = cells.long(), counts.long()
        x = self.what(cells + KINDS * self.point_kinds) + self.where
        x = x + self.many(counts + MEN * torch.arange(COUNTS, device=counts.device)).sum(dim=1, keepdim=True)
        x = self.norm(self.layers(x))
        return torch.cat([x, self.hand(x.mean(dim=1, keepdim=True))], dim=1)

    def forward(self, cells: Tensor, counts: Tensor, moves: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The logarithms of each choice given the choices of `moves`, (n, 3), that come before it."""
        return self.choices(self.trunk(cells, counts), counts, moves)

    def choices(self, x: Tensor, counts: Tensor, moves: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `forward`, from the trunk's features."""
        rows = torch.arange(len(x), device=x.device)
        to, origin = moves[:, 0].long(), moves[:, 1].long()
        asked = self.origin_asks(x[rows, to])
        pairs = self.origin_pairs(self._phase(counts)[:, None] + self.pair_kinds[to])[..., 0]
        origins = torch.einsum("nk,nik->ni", asked, self.origin_answers(x)) + pairs
        arrived, left, third = x[rows, to], x[rows, origin], x[rows, self.third[to, origin]]
        asked = self._take(arrived, left, third, self.takes_pairs(self.pair_kinds[to, origin]))
        removals = torch.einsum("nk,njk->nj", asked, self.take_answers(x))
        return self._to(x), log_softmax(origins), log_softmax(removals)

    def all_moves(self, cells: Tensor, counts: Tensor) -> Tensor:
        """(n, 24, 25, 25): the logarithm of every move's probability, by TO, FROM and REMOVE."""
        x = self.trunk(cells, counts)
        asked = self.origin_asks(x[:, :POINTS])
        pairs = self.origin_pairs(self._phase(counts)[:, None, None] + self.pair_kinds[None])[..., 0]
        origins = asked @ self.origin_answers(x).transpose(1, 2) + pairs
        third = torch.index_select(x, 1, self.third.reshape(-1)).reshape(-1, POINTS, CHOICES, x.shape[-1])
        kinds = self.takes_pairs(self.pair_kinds)
        asked = self._take(x[:, :POINTS, None], x[:, None], third, kinds)
        removals = asked.flatten(1, 2) @ self.take_answers(x).transpose(1, 2)
        removals = removals.reshape(-1, POINTS, CHOICES, CHOICES)
        return self._to(x)[:, :, None, None] + log_softmax(origins)[..., None] + log_softmax(removals)

    def _to(self, x: Tensor) -> Tensor:
        return log_softmax(self.arrival(x[:, :POINTS])[..., 0])

    def _phase(self, counts: Tensor) -> Tensor:
        """(n,): offset of the phase's pairs: laying, moving, flying."""
        flying = (counts[:, 2] == 3).long()
        phase = torch.where(counts[:, 0] > 0, torch.zeros_like(flying), 1 + flying)
        return phase * (self.origin_pairs.num_embeddings // 3)

    def _take(self, arrived: Tensor, left: Tensor, third: Tensor, pairs: Tensor) -> Tensor:
        """Features of a move (TO and FROM) and of each point that may lose a man."""
        arrives, leaves, beside, first, second = self.takes
        asked = arrives(arrived) + leaves(left) + beside(third) + first(arrived) * second(left) + pairs
        out: Tensor = self.take_mix(nn.functional.gelu(asked))
        return out


class AllMoves(nn.Module):
    """Our design in its exported form: from a state to all moves at once."""

    def __init__(self, design: OurDesign) -> None:
        super().__init__()
        self.design = design

    def forward(self, cells: Tensor, counts: Tensor) -> Tensor:
        """(n, 24, 25, 25) logarithms of probabilities."""
        return self.design.all_moves(cells, counts)


def log_softmax(values: Tensor) -> Tensor:
    return nn.functional.log_softmax(values.float(), dim=-1)


def make_design(name: str, dropout: float) -> PaperDesign | OurDesign:
    """A new design with random weights: one network, or the paper's three."""
    return OurDesign(dropout=dropout) if name == "ours" else PaperDesign(dropout=dropout)
