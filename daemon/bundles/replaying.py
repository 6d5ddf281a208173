"""Replays a bundle through the pipeline, from the recorded belief about its game; pairs the announcements of both."""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Callable, Sequence

import cv2
import numpy as np

import games
from calibration.profile import ProfileError
from calibration.template import TemplateError, load_template
from daemon.bundles.bundle import (
    MAX_MOVES,
    BundleError,
    Declared,
    GameState,
    Manifest,
    Place,
    SavedAnnouncement,
    SceneFrame,
    hear,
)
from daemon.bundles.bundle_file import BundleFile
from daemon.commands.command import CommandError, parse_command
from daemon.config.seats import Seat
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from rules import AnyGame, GameError, Outcome
from rules.options import switched_on
from rules.turns import line_of_play
from system.weights import WeightsError
from vision.frame import Frame
from vision.pose import BoardPose, is_plausible
from vision.sources.encoded import EncodedFrame, decode, peek


@dataclasses.dataclass(frozen=True)
class Pair:
    """A recorded announcement and its counterpart in the replay; None where one has no counterpart."""

    then: tuple[float, SavedAnnouncement] | None
    """Seconds from the first picture, and the announcement."""
    now: tuple[float, SavedAnnouncement] | None

    @property
    def same(self) -> bool:
        return self.then is not None and self.now is not None and self.then[1].verdict == self.now[1].verdict


@dataclasses.dataclass(frozen=True)
class Replay:
    manifest: Manifest
    game: AnyGame
    pairs: tuple[Pair, ...]
    board: str

    @property
    def same(self) -> bool:
        return all(pair.same for pair in self.pairs)


def replay(bundle: BundleFile, step: Callable[[int], None] = lambda _: None) -> Replay:
    """Replays all pictures, calling `step` with the number of each when done. Raises BundleError."""
    manifest = bundle.manifest
    try:
        eyes = _eyes_of(bundle)
        now = _played(bundle, eyes, step)
    except BundleError as error:
        text = str(error)
        raise BundleError(text if text.startswith(str(bundle.path)) else f"{bundle.path}: {text}") from error
    if manifest.standing and now and now[0][1].verdict == manifest.standing.verdict:
        del now[0]  # already announced before the first picture, and still in force
    begun_s = manifest.frames[0].time_s
    then = [(frame.time_s - begun_s, said) for frame in manifest.frames for said in frame.said]
    game, referee = eyes.match.referee.game, eyes.match.referee
    return Replay(manifest, game, tuple(paired(then, now)), game.board(referee.position))


def _eyes_of(bundle: BundleFile) -> BoardTracker:
    manifest = bundle.manifest
    game, pipeline = _pipeline_of(bundle)
    seats = tuple(Seat(agent, place=place) for agent, place in zip(manifest.agents, manifest.seats, strict=True))
    referee = referee_of(game, manifest.agents, manifest.states[0])
    return BoardTracker(pipeline, Match(referee, seats=(seats[0], seats[1])), lost_s=manifest.eyes.lost_s)


def _played(
    bundle: BundleFile, eyes: BoardTracker, step: Callable[[int], None]
) -> list[tuple[float, SavedAnnouncement]]:
    """All announcements caused by pictures, each with the seconds since the first picture."""
    manifest, heard, now = bundle.manifest, list[SavedAnnouncement](), list[tuple[float, SavedAnnouncement]]()
    match = eyes.match
    begun_s = manifest.frames[0].time_s
    match.listeners.append(functools.partial(hear, heard))
    for number, frame in enumerate(manifest.frames):
        _obey(eyes, frame)
        if frame.told is not None:
            bring_about(match, manifest.states[frame.told])
        heard.clear()  # drop announcements caused by commands and agents' answers
        picture = _frame(bundle, number)
        if number == 0:
            _begin(eyes.pipeline, manifest.place, picture)
        try:
            eyes.feed(picture)
        except (cv2.error, ArithmeticError, LookupError, ValueError) as error:
            raise BundleError(f"picture {number} breaks the pipeline: {type(error).__name__}: {error}") from error
        now += [(frame.time_s - begun_s, said) for said in heard]
        heard.clear()
        step(number)
    return now


def _obey(eyes: BoardTracker, frame: SceneFrame) -> None:
    for words in frame.commands:
        try:
            obey(eyes.match, parse_command(words), eyes)
        except CommandError as error:
            raise BundleError(f"somebody said what is no command: {error}") from error


def paired(
    then: Sequence[tuple[float, SavedAnnouncement]], now: Sequence[tuple[float, SavedAnnouncement]]
) -> list[Pair]:
    """Aligns both lists by verdict: equal announcements share a pair, all others get a pair of their own."""
    keys = [[said.verdict for _, said in side] for side in (then, now)]
    pairs: list[Pair] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if kind == "equal":
            pairs += [Pair(one, other) for one, other in zip(then[a:b], now[c:d], strict=True)]
        else:
            pairs += [Pair(one, None) for one in then[a:b]] + [Pair(None, one) for one in now[c:d]]
    return pairs


def _pipeline_of(bundle: BundleFile) -> tuple[AnyGame, Pipeline]:
    manifest = bundle.manifest
    try:
        game = games.load(manifest.game, manifest.rules)
        template = load_template(game.name, switched_on(game)).with_shape(manifest.shape)
        pipeline = Pipeline(
            template, bundle.profile(), settle_s=manifest.eyes.settle_s, readings=manifest.eyes.readings
        )
    except (GameError, TemplateError, ProfileError, WeightsError) as error:
        raise BundleError(f"{bundle.path}: {error}") from error
    return game, pipeline


def _frame(bundle: BundleFile, number: int) -> Frame:
    """The picture as the pipeline first received it: still compressed if the camera sent it compressed."""
    data, frame = bundle.jpeg(number), bundle.manifest.frames[number]
    picture = peek(data)
    if picture is not None and not bundle.manifest.encoded_here and not frame.name:
        return EncodedFrame(picture, frame.time_s, number)
    image = decode(data)
    if image is None:
        raise BundleError(f"{bundle.path}: picture {number} cannot be decoded")
    return Frame(image, frame.time_s, number, frame.name)


def _begin(pipeline: Pipeline, place: Place | None, frame: Frame) -> None:
    """Gives the pipeline the board's recorded pose in the first picture. Raises BundleError if it is implausible."""
    if place is None:
        return
    matrix = np.array(place.image_from_board, dtype=np.float64).reshape(3, 3)
    pose = BoardPose(matrix, place.error_px, place.quality)
    try:
        invertible = bool(np.isfinite(np.linalg.inv(matrix)).all())
    except np.linalg.LinAlgError:
        invertible = False
    if not invertible or not is_plausible(pose, pipeline.template, frame.image):
        raise BundleError("no board can lie where it says that it was in the first picture")
    pipeline.aligner.begin_at(pose, frame)


def state_of(referee: Referee) -> GameState:
    """The referee's present state; for a game too long for a bundle, only its last position, as the start."""
    plies, first, end = referee.line.plies, referee.history[0], referee.declared
    if len(plies) > MAX_MOVES:
        plies, first = [], referee.position
    return GameState.model_construct(
        start=referee.game.format_position(first),
        moves=tuple(ply.text for ply in plies),
        known=tuple(ply.known for ply in plies),
        agent_move=referee.agent_move_text or "",
        verdict=referee.verdict,
        declared=None if end is None else Declared.model_construct(winner=end.winner, reason=end.reason),
        paused=referee.paused,
    )


def is_plain(eyes: BoardTracker) -> bool:
    """Whether a game state holds everything needed to judge the next pictures.

    It does not while pieces have still to be put back, or after somebody said what is on a cell.
    """
    return not eyes.match.referee.to_put_back and not eyes.overrides.cells


def referee_of(game: AnyGame, agents: tuple[str | None, str | None], state: GameState) -> Referee:
    """Builds a referee with this state. Raises BundleError if the game cannot have been played that way."""
    try:
        start = next((one for one in game.starts if game.format_position(one) == state.start), None)
        start = game.parse_position(state.start) if start is None else start
        history = line_of_play(game, state.moves, start)
        known = state.known if len(state.known) == len(state.moves) else ()
        referee = Referee(game, agents, history, state.moves, known)  # type: ignore[arg-type]
    except GameError as error:
        raise BundleError(f"its game cannot be replayed: {error}") from error
    referee.recall(state.agent_move)
    referee.verdict = state.verdict  # type: ignore[assignment]  # an unknown code is never met again
    if state.declared is not None:
        referee.declare(Outcome(state.declared.winner, state.declared.reason))
    if state.paused:
        referee.pause()
    return referee


def bring_about(match: Match, state: GameState) -> None:
    """Makes a match continue from that state, whoever caused it. Raises BundleError."""
    referee, now = match.referee, state_of(match.referee)
    if now.model_copy(update={"agent_move": state.agent_move}) == state:
        # At most the agent's answer differs: keep everything else the referee knows.
        if now.agent_move != state.agent_move:
            referee.forget_answer()
            referee.recall(state.agent_move)
        return
    match.begin_again(referee_of(referee.game, referee.agents, state))
