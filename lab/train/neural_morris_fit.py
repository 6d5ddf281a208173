"""Trains the networks that play morris on good moves; a stopped run continues where it was, step for step."""

from __future__ import annotations

import copy
import dataclasses
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.morris_networks import NONE
from agents.morris_networks.board import SYMMETRIES
from agents.morris_networks.good_moves import GoodMoves, States
from agents.morris_networks.legality import legal_from, legal_remove, legal_to
from agents.morris_networks.measure import measure
from lab.simulated.arrays import BoolArray, Rng
from lab.train.neural_morris_answers import Taught
from lab.train.neural_morris_designs import OurDesign, PaperDesign, make_design

SAVE_S = 120.0
"""Seconds between two saves of a run."""
AVERAGE = 0.999
"""Share of the averaged weights that is kept at each step."""
WATCHED = 4000
"""Held-out states measured for the learning curve; the final figures use all of them."""
CLIP = 1.0


@dataclasses.dataclass(frozen=True)
class Recipe:
    design: str
    """One of `agents.morris_networks.DESIGNS`."""
    epochs: int
    """Times that each state is seen; each time under another symmetry if the design does not know the symmetries."""
    batch: int = 512
    rate: float = 2e-3
    """The highest."""
    decay: float = 0.05
    dropout: float = 0.1
    """Share of the features that each step leaves out."""
    lawful: float = 0.5
    """Weight in the loss of choices that the rules forbid."""
    own: int = 0
    """Positions labelled by our own search, which are learnt before the good moves."""
    own_nodes: int = 20_000
    """Positions searched for each of those."""
    own_epochs: int = 2
    own_share: float = 0.0
    """Share of such positions in each later batch, so that they are not forgotten for the few good moves."""
    taught: int = 0
    """Positions answered by the shipped networks of `ours`, learnt in place of the good moves."""
    seed: int = 1
    threads: int = 1


Progress = Callable[[int, int, str], None]
"""Called with the steps done, the steps in all, and a text about the state."""


class Run:
    def __init__(
        self, recipe: Recipe, good: GoodMoves, own: GoodMoves | None = None, taught: Taught | None = None
    ) -> None:
        """Learns from `own` positions first, if there are any, and then from the good moves, mixed with some of `own`.

        If there are `taught` positions, it learns from these alone.
        """
        torch.manual_seed(recipe.seed)
        torch.set_num_threads(recipe.threads)
        self.recipe = recipe
        self._stages: list[tuple[GoodMoves | Taught, int]] = []
        if own is not None and len(own):
            self._stages.append((own, recipe.own_epochs))
        self._stages.append((taught or good, recipe.epochs))
        self._own = own
        self._order: tuple[int, NDArray[np.intp]] = (-1, np.empty(0, dtype=np.intp))
        self.network = make_design(recipe.design, recipe.dropout)
        self.average = copy.deepcopy(self.network).requires_grad_(False)
        self.steps = max(2, sum(epochs * self._epoch_steps(data) for data, epochs in self._stages))
        self.optimiser = torch.optim.AdamW(self._groups(), lr=recipe.rate, betas=(0.9, 0.98))
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, recipe.rate, total_steps=self.steps, pct_start=0.1, final_div_factor=1000
        )
        self.step = 0
        self.seconds = 0.0

    def _epoch_steps(self, data: GoodMoves | Taught) -> int:
        """Steps in which each state is seen once; an incomplete batch waits for the next order."""
        return max(1, len(data) // self.recipe.batch)

    def now(self) -> tuple[GoodMoves | Taught, int, int]:
        """The data of the next step, its epoch (over all stages), and the batch's number in that epoch."""
        left, before = self.step, 0
        for data, epochs in self._stages:
            epoch, number = divmod(left, self._epoch_steps(data))
            if epoch < epochs or data is self._stages[-1][0]:
                break
            left, before = left - epochs * self._epoch_steps(data), before + epochs
        return data, before + epoch, number

    def _groups(self) -> list[dict[str, Any]]:
        """Parameter groups: matrices decay, biases and norms do not."""
        matrices = [p for p in self.network.parameters() if p.ndim > 1]
        others = [p for p in self.network.parameters() if p.ndim <= 1]
        return [{"params": matrices, "weight_decay": self.recipe.decay}, {"params": others, "weight_decay": 0.0}]

    def advance(self) -> float:
        """Runs one step and returns its loss. All randomness comes from the seed and the step's number."""
        torch.manual_seed(self.recipe.seed * 1_000_003 + self.step)
        self.network.train()
        batch = self._batch()
        chance = np.random.default_rng((self.recipe.seed, self.step, 1))
        loss = self._taught_loss(batch, chance) if isinstance(batch, Taught) else self._loss(batch, chance)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        self.optimiser.step()
        self.schedule.step()
        self.step += 1
        self._add_to_average()
        return float(loss.detach())

    def _batch(self) -> GoodMoves | Taught:
        data, epoch, number = self.now()
        if self._order[0] != epoch:
            self._order = epoch, np.random.default_rng((self.recipe.seed, epoch)).permutation(len(data))
        rows = data.rows(self._order[1][number * self.recipe.batch : (number + 1) * self.recipe.batch])
        if isinstance(rows, Taught):
            return rows
        if self._own is not None and data is not self._own:
            chance = np.random.default_rng((self.recipe.seed, self.step, 2))
            count = round(self.recipe.batch * self.recipe.own_share / (1 - self.recipe.own_share))
            rows = rows.and_those_of(self._own.rows(chance.integers(0, len(self._own), count)))
        if self.recipe.design == "ours":
            return rows
        chance = np.random.default_rng((self.recipe.seed, self.step))
        return rows.turned(chance.integers(0, len(SYMMETRIES), len(rows)))

    def _loss(self, good: GoodMoves, chance: Rng) -> Tensor:
        """Loss from how unlikely the good moves are, and how likely choices are that the rules forbid.

        Forbidden choices are asked for after the good choices and after other, random legal ones: a network that has
        chosen differently from the data must continue legally too.
        """
        states, others = good.states, _other_journeys(good.states, chance)
        first, second = self._choices(states, good.moves, others)
        loss = sum((_unlikely(values, good.moves[:, column]) for column, values in enumerate(first)), torch.zeros(()))
        lawful = [_illegal_loss(first[0], legal_to(states))]
        for moves, choices in ((good.moves, first), (others, second)):
            to, origin = moves[:, 0].astype(np.intp), moves[:, 1].astype(np.intp)
            lawful += [
                _illegal_loss(choices[1], legal_from(states, to)),
                _illegal_loss(choices[2], legal_remove(states, to, origin)),
            ]
        return loss + self.recipe.lawful * torch.stack(lawful).sum()

    def _taught_loss(self, taught: Taught, chance: Rng) -> Tensor:
        """Cross entropy between the choices and the teacher's shares, which reflect all that the rules forbid.

        REMOVE, more than half of the paper's work, learns from a third of the states: those where a man is taken, and
        some others.
        """
        network = self.network
        cells, counts, moves = (
            torch.from_numpy(part) for part in (taught.states.cells, taught.states.counts, taught.moves)
        )
        with torch.autocast("cpu", dtype=torch.bfloat16):
            if isinstance(network, OurDesign):
                choices, rows = network(cells, counts, moves), np.arange(len(taught))
            else:
                rows = _balanced(taught.removed[:, NONE] < 0.5, chance)
                to, origin = moves[:, 0], moves[:, 1]
                removals = network.removed(cells[rows], counts[rows], to[rows], origin[rows])
                choices = network.arrival(cells, counts), network.origin(cells, counts, to), removals
        wanted = (torch.from_numpy(shares).float() for shares in (taught.to, taught.origin, taught.removed[rows]))
        losses = [-(shares * values).sum(dim=1).mean() for shares, values in zip(wanted, choices, strict=True)]
        return torch.stack(losses).sum()

    def _choices(
        self, states: States, moves: NDArray[np.int8], others: NDArray[np.int8]
    ) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """All choices after the given moves and after the other moves."""
        cells, counts = torch.from_numpy(states.cells), torch.from_numpy(states.counts)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            if isinstance(self.network, OurDesign):
                known = self.network.trunk(cells, counts)
                first = self.network.choices(known, counts, torch.from_numpy(moves))
                return first, self.network.choices(known, counts, torch.from_numpy(others))
            both = torch.from_numpy(np.concatenate([moves, others]))
            network = self.network
            arrivals = network.arrival(cells, counts)
            cells, counts = cells.repeat(2, 1), counts.repeat(2, 1)
            origins = network.origin(cells, counts, both[:, 0]).chunk(2)
            removals = network.removed(cells, counts, both[:, 0], both[:, 1]).chunk(2)
        return (arrivals, origins[0], removals[0]), (arrivals, origins[1], removals[1])

    def _add_to_average(self) -> None:
        kept = min(AVERAGE, (self.step + 1) / (self.step + 10))
        with torch.no_grad():
            for mine, theirs in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mine.lerp_(theirs, 1 - kept)
            for kept_buffer, buffer in zip(self.average.buffers(), self.network.buffers(), strict=True):
                kept_buffer.copy_(buffer)

    def state(self) -> dict[str, Any]:
        """The state that `restore` takes."""
        parts = {name: getattr(self, name).state_dict() for name in ("network", "average", "optimiser", "schedule")}
        return parts | {"recipe": dataclasses.asdict(self.recipe), "step": self.step, "seconds": self.seconds}

    def restore(self, state: dict[str, Any]) -> None:
        """Continues from that state. Raises ValueError if it is of another recipe."""
        ours = {name: value for name, value in dataclasses.asdict(self.recipe).items() if name != "threads"}
        differing = [name for name, value in ours.items() if state["recipe"].get(name) != value]
        if differing:
            name = differing[0]
            raise ValueError(
                f"the run that was stopped had {name} {state['recipe'].get(name)}, not {ours[name]}: "
                "repeat its options, choose another --work, or say --afresh"
            )
        for part in ("network", "average", "optimiser", "schedule"):
            getattr(self, part).load_state_dict(state[part])
        self.step, self.seconds = state["step"], state["seconds"]


def fit(
    learnt: GoodMoves,
    held: GoodMoves,
    recipe: Recipe,
    work: Path,
    progress: Progress,
    *,
    own: GoodMoves | None = None,
    taught: Taught | None = None,
    afresh: bool = False,
) -> PaperDesign | OurDesign:
    """The averaged network after all steps; `work` keeps the run and its learning curve.

    `own` are positions labelled by our own search, `taught` are learnt from instead. Ctrl-C saves the run first. Raises
    ValueError if the folder holds a run of another recipe.
    """
    run = Run(recipe, learnt, own, taught)
    saved, curve = work / f"{recipe.design}.pt", work / f"{recipe.design}.jsonl"
    if afresh:
        saved.unlink(missing_ok=True)
        curve.unlink(missing_ok=True)
    if saved.is_file():
        run.restore(torch.load(saved, weights_only=True))
    watched = held.rows(slice(0, WATCHED))
    began_s = saved_s = time.monotonic()
    mean, done = 0.0, 0
    try:
        while run.step < run.steps:
            loss = run.advance()
            done += 1
            mean += (loss - mean) / done
            now_s = time.monotonic()
            run.seconds, began_s = run.seconds + now_s - began_s, now_s
            progress(run.step, run.steps, f"loss {mean:.3f}")
            whole = run.now()[2] == 0 or run.step == run.steps
            if whole:
                _note(curve, run, mean, watched)
                done = 0
            if whole or now_s - saved_s >= SAVE_S:
                save(run, saved)
                saved_s = now_s
    except KeyboardInterrupt:
        save(run, saved)
        raise
    return run.average.eval()


def save(run: Run, path: Path) -> None:
    """Writes the run atomically, so that a kill leaves either the old or the new file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    torch.save(run.state(), beside)
    beside.replace(path)


def _note(path: Path, run: Run, loss: float, watched: GoodMoves) -> None:
    figures = measure(watched, raw_answers(run.average.eval(), watched.states))["all"]
    line = {"design": run.recipe.design, "epoch": run.now()[1], "step": run.step, "seconds": round(run.seconds, 1)}
    line |= {"loss": round(loss, 4), "held_out": figures}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def raw_answers(network: PaperDesign | OurDesign, states: States, batch: int = 256) -> NDArray[np.intp]:
    """(n, 3): the network's answers before it is exported, in bfloat16 as it is trained."""
    parts = [states.rows(slice(start, start + batch)) for start in range(0, len(states), batch)]
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        found = [_answers(network, torch.from_numpy(part.cells), torch.from_numpy(part.counts)) for part in parts]
    return np.asarray(torch.cat(found).numpy().astype(np.intp))


def _answers(network: PaperDesign | OurDesign, cells: Tensor, counts: Tensor) -> Tensor:
    if isinstance(network, OurDesign):
        all_moves = network.all_moves(cells, counts)
        flat = all_moves.flatten(1).argmax(dim=1)
        sizes = all_moves.shape[2] * all_moves.shape[3], all_moves.shape[3]
        return torch.stack([flat // sizes[0], flat % sizes[0] // sizes[1], flat % sizes[1]], dim=1)
    to = network.arrival(cells, counts).argmax(dim=1)
    origin = network.origin(cells, counts, to).argmax(dim=1)
    return torch.stack([to, origin, network.removed(cells, counts, to, origin).argmax(dim=1)], dim=1)


def _unlikely(values: Tensor, wanted: NDArray[np.int8]) -> Tensor:
    return torch.nn.functional.nll_loss(values, torch.from_numpy(wanted).long())


def _illegal_loss(values: Tensor, allowed: BoolArray) -> Tensor:
    """Mean negative logarithm of the probability that lies on legal choices."""
    return -values.masked_fill(~torch.from_numpy(allowed), -torch.inf).logsumexp(dim=1).mean()


def _other_journeys(states: States, chance: Rng) -> NDArray[np.int8]:
    """(n, 3): a random legal TO, a random legal FROM to it; REMOVE is not chosen and NONE."""
    to = _any_of(legal_to(states), chance)
    origin = _any_of(legal_from(states, to), chance)
    return np.stack([to, origin, np.full(len(to), NONE)], axis=1).astype(np.int8)


def _balanced(rare: BoolArray, chance: Rng) -> NDArray[np.intp]:
    """A third of all rows, always the same number: the rare ones as far as there is room, and random others."""
    last = chance.random(len(rare)) + ~rare
    return np.sort(last.argsort()[: max(2, len(rare) // 3)])


def _any_of(allowed: BoolArray, chance: Rng) -> NDArray[np.intp]:
    return np.asarray((chance.random(allowed.shape) * allowed).argmax(axis=1))
