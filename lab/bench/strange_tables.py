"""Reads simulated tables like other people's, condition by condition, or first sees them after some plies.

    kibitzer bench strange-tables --game chess --tables 8 --seed 1
    kibitzer bench strange-tables --game go --rule size=19 --only "checked cloth" --only low
    kibitzer bench strange-tables --game reversi --only usual --tables 20
    kibitzer bench strange-tables --game chess --tables 4 --plies 0 --plies 1 --plies 4

Every table has another board, set of men, light and camera: in chess, draughts and go as they are sold; chess is laid
out with turned men of six kinds, whose king is one and a half to two squares high. Games with men at the start show it
first, from which the eyes learn, then three boards of random play, read at the place found in the first picture as the
camera is fixed; go shows three boards of random stones. Prints a row a condition: boards found; misplaced (a corner off
by 5 % of the side, whichever corner is called the first); starts that taught, those in a wrong turn, and why the others
did not; cells of later boards read wrong, those of them whose wrong class got a probability of 0.9 or more, and how
many would be wrong untaught. Exit status 1 if a board was believed in a wrong place or turn.

With --plies a whole program without a profile first sees each table after so many plies of random play, half of them
from the other side of the board, and the table rests. Prints a row for each number of plies; exit status 1 if anything
is wrong:

- right: the position is believed, and the plies are named;
- asked: something else is believed or nothing is, and people are told that the board is not as it should be;
- silent: the board is believed to stand as at the start, or nothing is, and nobody is told;
- wrong: plies are believed that were not made.
"""

from __future__ import annotations

import collections
import dataclasses
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

import games
from calibration.template import BoardTemplate, load_template
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from daemon.words.translation import in_words
from lab.films.strange_styles import CONDITIONS, DARK_OF, Condition, strange_style
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.men import Man
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_play
from lab.simulated.source import SimulatedSource
from lab.simulated.style import Style
from lab.simulated.table import SimulatedTable
from rules import EMPTY, AnyGame, figures_of
from rules.options import rules_from_words, switched_on
from vision.calibrating.lesson import Lesson
from vision.calibrating.start import learn_from
from vision.finding.finder import find_board
from vision.finding.found import Found
from vision.finding.why_unseen import why_unseen
from vision.frame import Image
from vision.pose import BoardPose, Rectified, rectify, turned_pose
from vision.reading.reader import Reader

SIZE_PX = (1280, 960)
BOARDS = 3
SURE = 0.9
WRONG_PLACE, WRONG_TURN = 0.05, 0.1
"""Shares of the side."""
LIGHT_MEN = frozenset(DARK_OF) | {"W", "K"}
AS_SOLD = ("chess", "draughts", "go")
"""Games whose boards and men are as shops sell them; the others' are any."""
RATE_HZ, WATCHED_S = 5.0, 8.0
MOST_PLIES = 4
SAID = {"start", "move"}
COMPLAINTS = {"desync", "illegal", "unclear", "ambiguous", "unfinished", "trouble", "board_lost"}


@dataclasses.dataclass
class Row:
    tables: int = 0
    found: int = 0
    misplaced: int = 0
    taught: int = 0
    wrong_turn: int = 0
    cells: int = 0
    wrong: int = 0
    surely_wrong: int = 0
    untaught: int = 0
    why: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def line(self, name: str) -> str:
        return (
            f"{name:16} tables {self.tables:2}  found {self.found:2}  misplaced {self.misplaced}"
            f"  taught {self.taught:2}  wrong turn {self.wrong_turn}"
            f"  cells wrong {self.wrong:3} of {self.cells:5}, surely {self.surely_wrong:2},"
            f" untaught {self.untaught:3}  {dict(self.why) or ''}"
        )


class Bench:
    def __init__(self, game: AnyGame, seed: int, out: Path | None, height_deg: float | None = None) -> None:
        """`height_deg` is the camera's elevation above the table, if it is not the condition's own."""
        self._game, self._seed, self._out, self._height_deg = game, seed, out, height_deg
        self.template = load_template(game.name, switched_on(game))
        self._starts = any(letter != EMPTY for letter in game.board(game.initial()))

    def run(self, name: str, tables: int) -> Row:
        row = Row()
        for number in range(tables):
            self._table(row, CONDITIONS[name], np.random.default_rng([self._seed, number]), f"{name} {number}")
        return row

    def _table(self, row: Row, condition: Condition, rng: Rng, name: str) -> None:
        row.tables += 1
        style = condition.style(style_of(self.template, rng), self.template, rng)
        if self._height_deg is not None:
            style = style.but("camera", tilt_deg=90 - self._height_deg, focal=1.0)
        position = self._game.initial()
        laid = laid_out(self._game, position) if self._starts else scattered(self.template, rng)
        table = SimulatedTable(self.template, laid, style, int(rng.integers(2**31)), SIZE_PX)
        corners_px = table.corners_px()
        image = self._picture(table, condition, rng)
        found = find_board(image, self.template)
        if found is None:
            row.why[why_unseen(image, self.template).code] += 1
            self._keep(image, None, "", f"{name} unseen")
            return
        row.found += 1
        side_px = np.linalg.norm(corners_px[0] - corners_px[1])
        if min(off_px(found.pose, found.template, corners_px)) > WRONG_PLACE * side_px:
            row.misplaced += 1
            self._keep(image, found, "", f"{name} misplaced")
            return
        reader, plain, pose = Reader(self.template), Reader(self.template), found.pose
        if self._starts:
            start = self._game.board(position)
            lesson = learn_from(Rectified(image, pose, self.template), [figures_of(self._game, position)])
            if not isinstance(lesson, Lesson):
                why = lesson.why if lesson else "none"
                row.why[why] += 1
                self._keep(image, found, start, f"{name} {why}")
                return
            row.taught += 1
            pose = turned_pose(pose, self.template, lesson.turn)
            reader.learn(lesson.taught, None)
        offs_px = off_px(pose, self.template, corners_px)
        if self._starts and offs_px[0] > WRONG_TURN * np.ptp(corners_px, axis=0).min():
            row.wrong_turn += 1
            self._keep(image, dataclasses.replace(found, pose=pose), "", f"{name} wrong turn")
            return
        pose = turned_pose(pose, self.template, int(np.argmin(offs_px)))
        for _ in range(BOARDS):
            laid = (
                laid_out(self._game, random_play(self._game, rng, int(rng.integers(2, 50))))
                if self._starts
                else scattered(self.template, rng)
            )
            image = self._picture(table.with_board(laid, int(rng.integers(2**31))), condition, rng)
            rectified = rectify(image, pose, self.template)
            reader.seen_in = plain.seen_in = image, pose
            reading = reader.read(rectified, 0.0)
            truth = "".join(as_class(letter) for letter in laid)
            wrong, untaught = (
                np.array([one != other for one, other in zip(board, truth, strict=True)])
                for board in (reading.board, plain.read(rectified, 0.0).board)
            )
            row.untaught += int(untaught.sum())
            row.cells += len(truth)
            row.wrong += int(wrong.sum())
            row.surely_wrong += int((wrong & (reading.confidence >= SURE)).sum())
            if wrong.any():
                self._keep(image, dataclasses.replace(found, pose=pose), reading.board, f"{name} read")

    def _picture(self, table: SimulatedTable, condition: Condition, rng: Rng) -> Image:
        template, style = self.template, table.style
        letters, men = sorted(style.men.colours), []
        away = style.board.border_mm + template.pitch_mm
        for number in range(condition.beside):
            side = -away if number % 2 else template.size_mm[0] + away
            x, y = side + rng.normal(0, 8), rng.uniform(0, template.size_mm[1])
            men.append(Man(str(rng.choice(letters)), float(x), float(y), 0.0, -style.board.thickness_mm))
        table.standing.beside = tuple(men)
        return condition.picture(table.render(), table, rng)

    def _keep(self, image: Image, found: Found | None, read: str, name: str) -> None:
        if self._out is None:
            return
        drawn = image.copy()
        if found is not None:
            corners = found.pose.corners_px(found.template)
            cv2.polylines(drawn, [np.rint(corners).astype(np.int32)], True, (0, 255, 0), 2, cv2.LINE_AA)
            cv2.circle(drawn, tuple(np.rint(corners[0]).astype(int).tolist()), 9, (0, 255, 255), -1)
            places = cv2.perspectiveTransform(self.template.cells_mm[None], found.pose.image_from_board)[0]
            for (x, y), letter in zip(places, read, strict=False):
                colour = {"W": (255, 255, 255), "B": (0, 0, 0)}.get(letter)
                if colour is not None:
                    cv2.circle(drawn, (round(x), round(y)), 6, (0, 0, 255), -1, cv2.LINE_AA)
                    cv2.circle(drawn, (round(x), round(y)), 4, colour, -1, cv2.LINE_AA)
        self._out.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(self._out / f"{self._game.name} {name}.jpg"), drawn, [cv2.IMWRITE_JPEG_QUALITY, 85])


def style_of(template: BoardTemplate, rng: Rng) -> Style:
    return (strange_style if template.game in AS_SOLD else random_style)(template, rng)


def laid_out(game: AnyGame, position: object) -> str:
    """The pieces as they are laid: their figures in chess, whose men differ in height."""
    return figures_of(game, position) if game.name == "chess" else game.board(position)


def as_class(letter: str) -> str:
    return EMPTY if letter == EMPTY else "W" if letter in LIGHT_MEN else "B"


def scattered(template: BoardTemplate, rng: Rng) -> str:
    """Stones on a third to two thirds of the points, as in the middle of a game."""
    share = float(rng.uniform(0.05, 0.6))
    odds = [1 - share, share / 2, share / 2]
    return "".join(rng.choice([EMPTY, "B", "W"], len(template.cell_names), p=odds))


def off_px(pose: BoardPose, template: BoardTemplate, corners_px: FloatArray) -> list[float]:
    """How far the board lies from its true corners, whichever of the four found ones is called the first."""
    seen = pose.corners_px(template)
    return [float(np.abs(np.roll(seen, -turn, axis=0) - corners_px).max()) for turn in range(4)]


def first_sight(game: AnyGame, plies: int, rng: Rng, turned: bool) -> tuple[str, str]:
    """What the program makes of a table that it sees after so many plies, in a word, and all that it says."""
    template = load_template(game.name, switched_on(game))
    position = random_play(game, rng, plies)
    style = style_of(template, rng)
    if turned:
        style = style.but("camera", azimuth_deg=style.camera.azimuth_deg + 180)
    table = SimulatedTable(template, laid_out(game, position), style, int(rng.integers(2**31)), SIZE_PX)
    source, eyes = SimulatedSource(table, RATE_HZ), BoardTracker(Pipeline(template, None), Match(Referee(game)))
    told: list[tuple[str, str]] = []
    eyes.match.listeners.append(lambda one: told.append((one.code, in_words(*one.said))))
    eyes.match.start()
    for _ in range(round(WATCHED_S * RATE_HZ)):
        frame = source.read(1.0)
        assert frame is not None
        eyes.feed(frame)
        eyes.poll()
    source.close()
    referee, said = eyes.match.referee, "; ".join(f"{code}: {text}" for code, text in told)
    right = game.board(referee.position) == game.board(position)
    if referee.ply and not right:
        return "wrong", said
    heard = {code for code, _ in told} & (SAID if right else COMPLAINTS)
    return ("right" if right else "asked") if heard else "silent", said


def late(game: AnyGame, tables: int, seed: int, plies: list[int], show: bool) -> bool:
    """Prints a row for each number of plies; returns whether plies were believed that were not made."""
    wrong = 0
    for made in plies:
        counts = collections.Counter[str]()
        for number in range(tables):
            result, said = first_sight(game, made, np.random.default_rng([seed, number, made]), number % 2 == 1)
            counts[result] += 1
            if show:
                print(f"{game.name} {made} {number} {result}: {said}")
        wrong += counts["wrong"]
        print(f"{game.name:24} after {made} plies  {dict(counts)}", flush=True)
    return wrong > 0


def main(
    game: str = "chess",
    rule: Annotated[list[str] | None, typer.Option(help="Rule option, such as size=19. Repeatable.")] = None,
    tables: Annotated[int, typer.Option(help="Of every condition, or number of plies.")] = 8,
    seed: int = 1,
    only: Annotated[list[str] | None, typer.Option(help=f"Repeatable; default: {', '.join(CONDITIONS)}.")] = None,
    height_deg: Annotated[float | None, typer.Option(help="Every camera's elevation above the table's middle.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for pictures in which something went wrong, marked.")] = None,
    plies: Annotated[
        list[int] | None, typer.Option(min=0, max=MOST_PLIES, help="First seen after so many; repeatable.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="With --plies: what is said at each table.")] = False,
) -> bool:
    if unknown := set(only or ()) - set(CONDITIONS):
        raise typer.BadParameter(f"there is no condition {', '.join(sorted(unknown))}", param_hint="--only")
    cv2.setNumThreads(1)
    the_game = games.load(game, rules_from_words(rule or []))
    if plies:
        return late(the_game, tables, seed, plies, show)
    bench = Bench(the_game, seed, out, height_deg)
    believed = 0
    for name in only or CONDITIONS:
        row = bench.run(name, tables)
        believed += row.misplaced + row.wrong_turn
        print(row.line(name), flush=True)
    return believed > 0
