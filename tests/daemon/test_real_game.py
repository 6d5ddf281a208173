"""A game photographed with real men moved by hand, watched as `kibitzer watch` and `kibitzer run` do."""

from __future__ import annotations

from pathlib import Path

import pytest

import games
from daemon.cli.watch import follow
from daemon.config.settings import CameraSection
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from tests.daemon.match_bench import watching
from vision.sources.opening import open_source

PHOTOS = Path(__file__).resolve().parents[3] / "shared" / "data" / "morris"
PLIES = 39
FAULTS = [("illegal", "1_16.jpg"), ("illegal", "1_18.jpg")]
"""Photos in which light lays a man out of turn."""


def watched(folder: Path, hold_s: float) -> tuple[Referee, list[tuple[Announcement, str]]]:
    if not PHOTOS.exists():
        pytest.skip("../shared/data/morris is not here")
    game = games.load("morris", {"flying": "true", "first": "auto"})
    heard: list[tuple[Announcement, str]] = []
    eyes, _ = watching(game, in_photos=True)
    eyes.match.listeners.append(
        lambda one: heard.append((one, "" if eyes.observation is None else eyes.observation.frame.name))
    )
    follow(eyes, open_source(str(folder), hold_s=hold_s, give_up_s=1.0))
    return eyes.match.referee, heard


def test_every_ply_is_followed_and_every_fault_told() -> None:
    """Each photo for as long as `kibitzer run` shows it; the next test takes the time of `kibitzer watch`."""
    referee, heard = watched(PHOTOS, CameraSection().photo_hold_s)
    assert [(one.code, photo) for one, photo in heard if one.code not in ("move", "start", "restored")] == [
        *FAULTS,
        ("game_over", "1_38.jpg"),
    ]
    assert referee.ply == PLIES
    assert not any(ply.assumed for ply in referee.line.plies)


def test_with_six_photos_left_out_the_same_game_goes_on_and_the_order_is_marked_as_assumed(tmp_path: Path) -> None:
    for number in (*range(1, 9), *range(15, 39)):
        (tmp_path / f"1_{number}.jpg").symlink_to(PHOTOS / f"1_{number}.jpg")
    referee, heard = watched(tmp_path, 1.0)
    assert referee.ply == PLIES and referee.outcome is not None
    assert [ply.assumed for ply in referee.line.plies] == [7 <= ply < 14 for ply in range(PLIES)]
    assert FAULTS[1] in [(one.code, photo) for one, photo in heard]
