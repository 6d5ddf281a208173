"""Keeps the last seconds of a watched table, and writes bundles of rejected moves.

The judging thread only notes what it saw; a separate thread compresses, packs and writes.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import logging
import queue
import threading
import time
from pathlib import Path

import cv2

from daemon.bundles import bundle_requests
from daemon.bundles.bundle import REJECTED, STANDING, BundleError, GameState, PipelineSettings, SavedAnnouncement, hear
from daemon.bundles.bundle_requests import BundleAnswer, BundleRequest
from daemon.bundles.bundle_writer import ASKED, BundleStore, TableFacts, pack, stripped
from daemon.bundles.replaying import is_plain, state_of
from daemon.bundles.scene_ring import KeptFrame, SceneRing
from daemon.commands.command import Command
from daemon.config.seats import Seat
from daemon.config.settings import Config
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Observation
from daemon.words.translation import worded, worded_n
from rules import AnyGame
from system import paths
from vision.frame import Frame

LOGGER = logging.getLogger(__name__)
QUALITY = 95
"""JPEG quality (0 to 100) of pictures encoded here, for cameras that send no JPEG."""
MAX_WAITING, MAX_BUNDLES = 8, 4
"""Pictures and bundles that may wait for the thread; any more are left out and counted."""
MB = 1_000_000
MAX_COMMANDS = 64
MIN_PAUSE_S = 5.0
LOOK_S = 0.3
CLOSE_S = 5.0


@dataclasses.dataclass(frozen=True)
class Limits:
    seconds: float
    memory_bytes: int
    quota_bytes: int
    rejected_s: float
    """Seconds in each automatically kept bundle; 0 keeps none."""


class SceneKeeper:
    """Sits between a session and its match while scenes are kept."""

    def __init__(self, folder: Path, limits: Limits, facts: TableFacts) -> None:
        """Opens the folder and starts the thread. Raises BundleError if the folder cannot be used."""
        self._limits, self._facts = limits, facts
        self._bundle_store = BundleStore(folder, limits.quota_bytes)
        try:
            self._asked = bundle_requests.open_request_folder(folder)
        except OSError as error:
            raise BundleError(f"{folder}: nobody can ask for bundles there: {error.strerror}") from error
        self.ring = SceneRing(limits.seconds, limits.memory_bytes, facts.eyes.settle_s)
        self._eyes: BoardTracker | None = None
        self._state: GameState | None = None
        self._key: object = None
        self._said: list[SavedAnnouncement] = []
        self._commands: list[Command] = []
        self._standing: SavedAnnouncement | None = None
        self._kept_s = float("-inf")
        self._kept = self._skipped = 0
        self._trouble = ""
        self._jobs: queue.Queue[tuple[KeptFrame, Frame] | str] = queue.Queue(maxsize=MAX_WAITING + MAX_BUNDLES)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="scenes", daemon=True)
        self._thread.start()

    def look(self, eyes: BoardTracker, frame: Frame) -> Observation:
        """Feeds a frame to the board tracker, and keeps the frame and what came of it."""
        if eyes is not self._eyes:
            self._eyes = eyes
            eyes.match.listeners.append(functools.partial(hear, self._said))
        before, standing, plain = self._state_now(eyes.match.referee), self._standing, is_plain(eyes)
        commands, self._commands = tuple(self._commands), []
        self._said.clear()
        observation = eyes.feed(frame)
        said = tuple(self._said)
        gate, pose, jpeg = observation.gate, observation.alignment.pose, getattr(frame, "jpeg", None)
        settled = gate is not None and gate.settled and pose is not None
        after = self._state_now(eyes.match.referee)
        kept = KeptFrame(
            frame.time_s, frame.name, before, after, said, standing, settled, pose, plain, commands, jpeg, jpeg is None
        )
        self._keep(kept, frame)
        for one in said:
            self._standing = one if one.code in STANDING else None
            if one.code in REJECTED:
                self._keep_rejected(one.code)
        return observation

    def add_command(self, command: Command) -> None:
        """Notes a command from somebody at the table, before the match carries it out."""
        self._commands = [*self._commands, command][-MAX_COMMANDS:]

    def status(self) -> dict[str, object]:
        """Component health (`ok`, `text`) and counts; `ok` stays true, as a failed bundle stops no game."""
        text = worded(
            "{seconds} s of pictures in {number} MB, {count} scenes written",
            seconds=round(self.ring.seconds),
            number=round(self.ring.bytes / 1e6),
            count=self._kept,
        )
        if self.ring.left_out:
            left_out = worded_n("{count} picture left out", "{count} pictures left out", self.ring.left_out)
            text = f"{text}, {left_out}"
        return {"ok": True, "text": self._trouble or text, "written": self._kept, "skipped": self._skipped}

    def close(self) -> None:
        """Ends the thread after it has written what is waiting. May be called twice."""
        self._closing.set()
        self._thread.join(CLOSE_S)

    def _state_now(self, referee: Referee) -> GameState:
        """The referee's belief; returns the same object while nothing changes."""
        plies = referee.line.plies
        last = plies[-1] if plies else None
        known, ended = tuple(ply.known for ply in plies), (referee.declared, referee.paused)
        key = referee, len(plies), last, referee.agent_move, referee.verdict, known, ended
        if self._state is None or key != self._key:
            self._key, self._state = key, state_of(referee)
        return self._state

    def _keep(self, kept: KeptFrame, frame: Frame) -> None:
        self.ring.add(kept)
        if kept.jpeg is None:
            # Only this thread puts jobs in, so room found now cannot vanish before the put.
            if self._jobs.qsize() < MAX_WAITING:
                self._jobs.put_nowait((kept, frame))
            else:
                self.ring.encoded(kept, None)

    def _keep_rejected(self, reason: str) -> None:
        if self._limits.rejected_s <= 0:
            return
        now_s = time.monotonic()
        if now_s - self._kept_s < MIN_PAUSE_S or self._jobs.full():
            self._skipped += 1
        else:
            self._jobs.put_nowait(reason)
            self._kept_s = now_s

    def _serve(self) -> None:
        looked_s = float("-inf")
        while not self._closing.is_set() or not self._jobs.empty():
            try:
                if time.monotonic() - looked_s >= LOOK_S:
                    looked_s = time.monotonic()
                    bundle_requests.serve(self._asked, self._facts.table, self._answer)
                self._do(self._jobs.get(timeout=LOOK_S))
            except queue.Empty:
                pass
            except Exception as error:  # noqa: BLE001 - no scene is worth the game
                self._note(f"a scene cannot be kept: {error}")

    def _do(self, job: tuple[KeptFrame, Frame] | str) -> None:
        if isinstance(job, str):
            self._write(self._limits.rejected_s, job, "")
            return
        kept, frame = job
        done, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        self.ring.encoded(kept, data.tobytes() if done else None)

    def _answer(self, request: BundleRequest) -> BundleAnswer:
        try:
            return self._write(request.last_s or self._limits.seconds, ASKED, request.note)
        except (BundleError, ValueError) as error:
            return BundleAnswer(why=str(error)[:1024])

    def _write(self, seconds: float, reason: str, note: str) -> BundleAnswer:
        frames, eyes = self.ring.last(seconds), self._eyes
        now = datetime.datetime.now(datetime.UTC)
        if eyes is None or not frames:
            raise BundleError("no picture has come yet")
        facts = dataclasses.replace(self._facts, profile=getattr(eyes.pipeline, "profile", None))
        shape, left_out = eyes.pipeline.template.shape, self.ring.left_out
        packed = pack(frames, facts, reason=reason, note=note, shape=shape, now=now, left_out=left_out)
        path = self._bundle_store.put(packed, self._facts.table, reason, now)
        self._kept, self._trouble = self._kept + 1, ""
        seconds = frames[-1].time_s - frames[0].time_s
        LOGGER.info("a scene of %.1f s is kept as %s", seconds, path)
        return BundleAnswer(path=str(path), frames=len(frames), seconds=round(seconds, 2), bytes=path.stat().st_size)

    def _note(self, trouble: str) -> None:
        """Logs trouble once, and shows it in the health until it is over."""
        if trouble != self._trouble:
            LOGGER.warning("%s", trouble)
        self._trouble = trouble[:512]


def keeper_for(config: Config, game: AnyGame, seats: tuple[Seat, Seat]) -> SceneKeeper:
    """Opens the keeper for a table. Raises BundleError if the folder cannot be used."""
    section, eyes = config.bundles, config.eyes
    limits = Limits(section.seconds, section.memory_mb * MB, section.quota_mb * MB, section.rejected_s)
    facts = TableFacts(
        table=config.bus.table,
        game=game,
        agents=(seats[0].agent, seats[1].agent),
        seats=(seats[0].place, seats[1].place),
        eyes=PipelineSettings(settle_s=eyes.settle_s, readings=eyes.readings, lost_s=eyes.lost_s),
        config=stripped(config.model_dump(mode="json")),
        profile=None,
    )
    return SceneKeeper(paths.resolved(section.folder), limits, facts)
