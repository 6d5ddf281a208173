"""The agent neural with fake networks: which answers it masks, how it searches, and its service on a socket.

The networks in the repository are as good as the manifest says, small, and able to play under all rules.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import threading
import tomllib
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from agents import neural, neural_cli
from agents.agent import AgentError, Limits
from agents.morris_networks import DESIGNS, NONE, service
from agents.morris_networks.good_moves import GoodMoves, States, as_rows, held_out, read_good_moves
from agents.morris_networks.measure import measure
from agents.morris_networks.networks import FILES, Choice, Floats, Moves, Networks, load_networks
from agents.neural import Neural, NeuralOptions, Node, Puct
from games.nine_mens_morris import CELLS, MorrisRules, NineMensMorris
from system.weights import MODELS
from tests.agents.random_games import positions
from tests.conftest import DATA

START = "O" * 24 + "9900"
GOOD_MOVES = DATA / "morris" / "good-moves.train.txt"
MANIFEST = tomllib.loads((MODELS / "manifest.toml").read_text(encoding="utf-8"))
SPLIT_SEED, SAMPLED = 1, 8
"""One in so many held-out positions is asked; `kibitzer eval-neural` measures the figures on all of them."""


class FarthestPoint(Networks):
    """Fake networks that prefer moves to points with higher numbers; every answer counts two masked illegal choices."""

    def _best(self, states: States) -> Moves:
        return np.tile(np.array([[23, NONE, NONE]]), (len(states), 1))

    def choose(self, state: States, legal: Moves) -> Choice:
        return Choice(int(self.probabilities(state, legal).argmax()), 0.5, 2)

    def probabilities(self, state: States, legal: Moves) -> Floats:
        weights = legal @ np.array([10_000, 100, 1]) + 1.0
        return np.asarray(weights / weights.sum(), dtype=np.float32)


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Neural]:
    monkeypatch.setattr(neural, "load_networks", lambda design: FarthestPoint())
    return lambda **options: Neural(NineMensMorris(), NeuralOptions(**options))


def test_the_likeliest_legal_move_is_played_and_what_was_masked_is_told(agent: Callable[..., Neural]) -> None:
    game = NineMensMorris()
    for position in positions(game, 9, 30):
        answer = agent().choose(position, Limits(), threading.Event())
        assert answer.move == max(game.legal_moves(position), key=lambda move: tuple(as_rows([move])[0]))
        assert (answer.masked, answer.score, answer.depth) == (2, 0.5, 0)


def test_the_search_takes_a_win_that_the_networks_would_miss(agent: Callable[..., Neural]) -> None:
    game = NineMensMorris()
    position = game.parse_position("MMOOOOOOOOOOOOMOOOOOEEOE" + "0033")
    assert agent().choose(position, Limits(), threading.Event()).move.removed is None
    answer = agent(search=True).choose(position, Limits(nodes=20), threading.Event())
    assert game.format_move(position, answer.move).startswith("g4-g7x")
    assert answer.score == 1.0


def test_the_search_answers_at_once_when_it_is_stopped(agent: Callable[..., Neural]) -> None:
    stop = threading.Event()
    stop.set()
    game = NineMensMorris()
    answer = agent(search=True).choose(game.initial(), Limits(time_s=3600.0), stop)
    assert answer.move in game.legal_moves(game.initial())


def test_networks_that_are_absent_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="kibitzer train"):
        load_networks("ours", tmp_path)
    (tmp_path / "manifest.toml").write_text('[neural_morris]\nfile = "n.onnx"\nsha256 = "00"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"n\.onnx: No such file"):
        load_networks("ours", tmp_path)
    with pytest.raises(ValueError, match="the designs are"):
        load_networks("deep", tmp_path)


def test_a_missing_network_refuses_the_agent_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(design: str) -> None:
        raise ValueError(f"there is no network {design}")

    monkeypatch.setattr(neural, "load_networks", absent)
    with pytest.raises(AgentError, match="neural: there is no network paper"):
        Neural(NineMensMorris(), NeuralOptions(design="paper"))


def test_boards_that_the_networks_do_not_know_are_not_played() -> None:
    assert not Neural.plays(NineMensMorris(MorrisRules(men=12)))
    assert not Neural.plays(NineMensMorris(MorrisRules(diagonals=True)))


def test_the_tree_finds_a_move_that_wins_at_once() -> None:
    game = NineMensMorris(MorrisRules(flying=True))
    position = game.parse_position("MMOOOOOOOOOOOOMOOOOOEEOE" + "0033")
    moves = game.legal_moves(position)

    def even(_: Any, legal: Any) -> Any:
        return np.full(len(legal), 1 / len(legal))

    tree = Puct(game, Node(position, moves, even(position, moves)), even, lambda _: 0.0, 1.5)
    for _ in range(400):
        tree.visit()
    best = moves[tree.root.best()]
    assert (best.to, best.removed is not None) == (2, True)
    assert tree.root.visits.sum() == 400


async def _ask(port: int, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    writer.write_eof()
    got = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    return got


def serve(talk: Callable[[list[int]], Coroutine[Any, Any, None]]) -> None:
    """Runs a service on two free ports while `talk` talks to it."""

    async def both() -> None:
        made, ready, ports = service.Service(NineMensMorris(), FarthestPoint()), asyncio.Event(), [0, 0]
        serving = asyncio.create_task(made.listen(ports, ready))
        await asyncio.wait_for(ready.wait(), 10)
        await talk(made.ports)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    with ThreadPoolExecutor(1) as thread:  # an earlier page test may have left its loop in the main thread
        thread.submit(asyncio.run, both()).result()


def test_a_state_is_answered_with_three_lines_whatever_the_line_end() -> None:
    async def talk(ports: list[int]) -> None:
        for port in ports:
            for end in (b"\n", b"\r\n", b""):
                assert await _ask(port, START.encode() + end) == b"24\n0\n0\n"
        assert await _ask(ports[0], START.encode() + b"\r\n" + START.encode() + b"\n") == b"24\n0\n0\n" * 2

    serve(talk)


def test_what_is_no_state_costs_an_error_line_and_not_the_connection() -> None:
    async def talk(ports: list[int]) -> None:
        for wrong in (b"", b"hello", b"\xff\xfe", b"X" * 24 + b"9900", b"O" * 24 + b"0000", b"O" * 24 + b"0903"):
            first, *rest = (await _ask(ports[0], wrong + b"\n" + START.encode() + b"\n")).splitlines()
            assert first.startswith(b"error: ")
            assert rest == [b"24", b"0", b"0"]
        assert (await _ask(ports[0], b"M" * 5000)).startswith(b"error: a line has at most")

    serve(talk)


def test_clients_beyond_the_limit_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_CLIENTS", 1)

    async def talk(ports: list[int]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
        writer.write(START.encode() + b"\n")
        assert await asyncio.wait_for(reader.readline(), 10) == b"24\n"
        assert (await _ask(ports[1], b"")).startswith(b"error: 1 clients")
        writer.close()

    serve(talk)


def test_the_client_in_the_document_is_answered(tmp_path: Path) -> None:
    document = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
    source = next(code for code in re.findall(r"```python\n(.*?)```", document, re.DOTALL) if "socket.create" in code)
    client = tmp_path / "client.py"
    client.write_text(source, encoding="utf-8")

    async def talk(ports: list[int]) -> None:
        asked = [sys.executable, "-I", str(client), str(ports[1]), START, "OOPS"]
        made = await asyncio.create_subprocess_exec(*asked, stdout=asyncio.subprocess.PIPE)
        told, _ = await asyncio.wait_for(made.communicate(), 60)
        first, second = told.decode().splitlines()
        assert first == "[24, 0, 0]"
        assert second.startswith("error: ")

    serve(talk)


def test_ten_thousand_fuzzed_requests_each_get_a_legal_move_or_an_error_line() -> None:
    draw, game = random.Random(8), NineMensMorris()
    whole = [game.format_position(position).partition(":")[2] for position in positions(game, 4, 60)]

    def request() -> bytes:
        text = bytearray(draw.choice(whole).encode())
        for _ in range(draw.choice((0, 0, 1, 2, 9))):
            text[draw.randrange(len(text))] = draw.choice(b"MEO0123456789\x00\xff -\r")
        return bytes(text[: draw.choice((28, 28, 28, draw.randrange(28)))]) + draw.choice((b"\n", b"\r\n"))

    async def talk(ports: list[int]) -> None:
        for number in range(100):
            sent = [request() for _ in range(100)]
            lines = (await _ask(ports[number % 2], b"".join(sent))).decode("ascii").splitlines()
            for one in sent:
                answer = lines.pop(0)
                if answer.startswith("error: "):
                    continue
                to, origin, removed = (int(number) for number in (answer, lines.pop(0), lines.pop(0)))
                position = game.parse_position(one.decode("ascii"))
                names = [CELLS[choice - 1] for choice in (origin, to) if choice]
                text = "-".join(names) + (f"x{CELLS[removed - 1]}" if removed else "")
                game.apply(position, game.parse_move(position, text))
            assert not lines

    serve(talk)


def test_commands_say_what_is_wrong(tmp_path: Path) -> None:
    run = CliRunner()
    found = run.invoke(neural_cli.app, ["eval-neural", str(tmp_path / "none.txt"), "--networks", str(tmp_path)])
    assert found.exit_code == 2
    assert "kibitzer train" in found.output
    found = run.invoke(neural_cli.app, ["serve-neural", "--rule", "men=12"])
    assert found.exit_code == 2
    assert "nine men" in found.output


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs eval-neural on two good moves, one of which is the networks' answer; returns its output."""
    monkeypatch.setattr("agents.morris_networks.networks.load_networks", lambda design, folder: FarthestPoint())
    file = tmp_path / "good.txt"
    file.write_text(f"{START}-g1\n{START}-a1\n", encoding="ascii")
    return lambda *options: CliRunner().invoke(neural_cli.app, ["eval-neural", str(file), *options]).output


def test_eval_prints_the_figures_and_those_of_each_phase_and_times_decisions_where_asked(
    evaluate: Callable[..., str],
) -> None:
    told = json.loads(evaluate("--json"))
    assert (told["design"], told["states"], told["accuracy"], told["legality"]) == ("ours", 2, 50.0, 100.0)
    assert set(told["phases"]) == {"placing", "moving", "flying"}
    assert set(told["phases"]["placing"]) == {"states", "accuracy", "to", "from", "remove", "legality"}
    assert "decision_ms" not in told
    spent_ms = json.loads(evaluate("--time", "--json"))["decision_ms"]
    assert 0 <= spent_ms["median"] <= spent_ms["p95"]
    assert "a decision takes" in evaluate("--time")


@pytest.fixture(scope="module")
def sample() -> GoodMoves:
    if not GOOD_MOVES.is_file():
        pytest.skip(f"{GOOD_MOVES} is not there")
    good = read_good_moves(GOOD_MOVES)
    return good.rows(np.flatnonzero(held_out(good.states, SPLIT_SEED))[::SAMPLED])


@pytest.mark.parametrize("design", DESIGNS)
def test_held_out_figures_of_a_sample_agree_with_the_manifest(design: str, sample: GoodMoves) -> None:
    entry = MANIFEST[FILES[design][0]]
    assert entry["split_seed"] == SPLIT_SEED
    found = measure(sample, load_networks(design).answers(sample.states))["all"]
    assert found.pop("states") == len(sample) == -(-entry["held_out_states"] // SAMPLED)
    wanted = {name: entry[f"held_out_{name}"] for name in found}
    for name, percent in wanted.items():
        deviation = 100 * ((percent / 100) * (1 - percent / 100) / len(sample)) ** 0.5
        assert found[name] == pytest.approx(percent, abs=4 * deviation + 100 / len(sample)), name
    assert wanted["accuracy"] > 38.5
    assert wanted["legality"] > 99.9


def test_all_networks_of_morris_have_less_than_ten_megabytes() -> None:
    files = [MODELS / MANIFEST[name]["file"] for names in FILES.values() for name in names]
    assert sum(path.stat().st_size for path in files) < 10_000_000


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    "rules", [MorrisRules(), MorrisRules(flying=True, mill_protected=True)], ids=["plain", "flying"]
)
def test_a_game_against_itself_is_legal_and_ends(design: str, rules: MorrisRules) -> None:
    game = NineMensMorris(rules)
    player = Neural(game, NeuralOptions(design=design))
    position = game.initial()
    for _ in range(600):
        if game.outcome(position) is not None:
            return
        answer = player.choose(position, Limits(), threading.Event())
        assert answer.move in game.legal_moves(position)
        position = game.apply(position, answer.move)
    pytest.fail("600 plies, and no end")
