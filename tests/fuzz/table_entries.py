"""A whole table: commands, agents' answers and readings in any order. The match must stay in a legal position."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from agents.messages import encode
from daemon.commands.command import NAMES, CommandError, parse_command
from daemon.config.seats import Seat
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from rules import AnyGame, MoveError
from rules.turns import carry_out
from tests.daemon.match_bench import PICTURE, bench_with
from tests.daemon.readings import reading_of
from tests.fuzz.entry import Entry, IllegalState
from tests.fuzz.game_entries import all_games, check_position
from vision.frame import Frame
from vision.reading.board_reading import BoardReading

MAX_STEPS = 14


def entries() -> list[Entry]:
    """One table for each game; the data is the seed of the events."""
    return [
        Entry(
            f"table_{game.about.short_name}",
            "table",
            functools.partial(play, game),
            tuple(str(number).encode() for number in range(8)),
            guided=False,
            longest=16,
        )
        for game in {game.name: game for game in all_games()}.values()
    ]


class _Table:
    def __init__(self, game: AnyGame, chance: random.Random) -> None:
        self.game, self.chance = game, chance
        agents = chance.choice(((None, None), (None, "random"), ("random", None)))
        seats = Seat(agents[0]), Seat(agents[1])
        self.bench = bench_with(Referee(game, agents), seats, watched=False)
        self.match, self.seeing = self.bench.match, self.bench.eyes

    def step(self) -> None:
        deeds: list[Callable[[], object]] = [self.show] * 3 + [self.command, self.answer, self.lose_sight]
        self.chance.choice(deeds)()
        self.seeing.poll()

    def show(self) -> None:
        """Shows the current or an older board, after all, part or none of a legal move, with 0 to 2 cells changed."""
        chance, game, referee = self.chance, self.game, self.match.referee
        position = chance.choice(referee.history) if chance.random() < 0.15 else referee.position
        board, moves = game.board(position), list(game.legal_moves(position))
        if moves and chance.random() < 0.7:
            move = referee.agent_move if referee.agent_move in moves and chance.random() < 0.6 else chance.choice(moves)
            steps = game.steps(position, move)
            done = len(steps) if chance.random() < 0.8 else chance.randint(0, len(steps))
            board = carry_out(board, steps[:done])
        cells = list(board)
        for _ in range(chance.choice((0, 0, 0, 1, 2))):
            cells[chance.randrange(len(cells))] = chance.choice(game.classes)
        self._frame(reading_of(game, "".join(cells), sure=chance.choice((0.999, 0.999, 0.6))))

    def lose_sight(self) -> None:
        self._frame(None)

    def command(self) -> None:
        chance, game = self.chance, self.game
        names = (*game.sides, *game.cells[:5], *game.classes, "empty", "", "nobody")
        words: dict[str, object] = {"command": chance.choice(NAMES)}
        for field in chance.sample(("side", "cell", "piece", "move"), chance.randint(0, 2)):
            words[field] = chance.randint(-1, 12) if field == "move" else chance.choice(names)
        try:
            command = parse_command(json.loads(json.dumps(words)))
        except CommandError:
            return
        answer = obey(self.match, command, self.seeing)
        if not answer.text.isprintable() or len(answer.text) > 1000:
            raise IllegalState(f"said as {answer.text!r}")

    def answer(self) -> None:
        """Lets a worker answer with a legal move, with an illegal one, or unasked."""
        state, chance = self.bench.post.states[-1], self.chance
        encode(state)
        moves = [*state.legal_moves[:20], "zz", "pass", self.game.cells[0]]
        agent = chance.choice(("random", "random", "other"))
        sequence = max(0, state.sequence - chance.choice((0, 0, 0, 1)))
        self.bench.post.answer(chance.choice(moves), sequence, agent)

    def _frame(self, reading: BoardReading | None) -> None:
        pipeline: Any = self.bench.pipeline
        pipeline.readings.append(reading)
        pipeline.reader = SimpleNamespace(read=lambda *_: reading)
        self.bench.frames += 1
        self.bench.now_s[0] = float(self.bench.frames)
        self.seeing.feed(Frame(PICTURE, self.bench.now_s[0], self.bench.frames))
        if self.match.new_game_wanted:
            self.seeing.begin_again(Referee(self.game, self.match.referee.agents))

    def check(self) -> None:
        """Raises IllegalState if the believed game is not a legal one."""
        referee, game = self.match.referee, self.game
        check_position(game, referee.position)
        if len(referee.history) > 1:
            before, text = referee.history[-2], referee.moves[-1]
            try:
                after = game.apply(before, game.parse_move(before, text))
            except MoveError as error:
                raise IllegalState(f"{game.name}: {text!r} was believed: {error}") from None
            if game.format_position(after) != game.format_position(referee.position):
                raise IllegalState(f"{game.name}: {text!r} leads elsewhere")
        if referee.agent_move is not None and referee.agent_move not in list(game.legal_moves(referee.position)):
            raise IllegalState(f"{game.name}: an illegal move is asked for")


def play(game: AnyGame, data: bytes) -> bool:
    """Lets random events happen at a table, with the data as seed; returns whether a ply was made."""
    chance = random.Random(data)
    table = _Table(game, chance)
    for _ in range(chance.randint(3, MAX_STEPS)):
        table.step()
        table.check()
    return table.match.referee.ply > 0
