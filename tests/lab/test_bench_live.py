"""The benches of live play: what they record, serve, and conclude from their measurements."""

from __future__ import annotations

import time
from typing import Any

import cv2
import numpy as np
import pytest

import games
from calibration.template import load_template
from lab.bench.speed.frame_log import Judged
from lab.bench.speed.latency import lines_of, report_of
from lab.bench.speed.recording import Recording, Visit, hands_of, needed, record, undone
from lab.bench.speed.stepped import Look, measure_stepped, traced
from lab.bench.speed.streams import Gone, StreamServer, stamp_of, stamped
from lab.bench.speed.tables_load import load_of, targets_of
from lab.simulated.table import SimulatedTable
from rules.turns import carry_out
from vision.sources.encoded import EncodedFrame, jpeg_end, peek
from vision.sources.live import LiveSource
from vision.sources.mjpeg import mjpeg_frames

JPEGS = tuple(cv2.imencode(".jpg", np.full((48, 64, 3), grey, np.uint8))[1].tobytes() for grey in (40, 90, 140, 190))


def recording(rate_hz: float = 20.0) -> Recording:
    return Recording("nine_mens_morris", rate_hz, JPEGS, (Visit(0.05, 0.1, "board"),), b"")


@pytest.mark.parametrize("name", games.names())
def test_hands_make_legal_plies_and_take_every_one_back(name: str) -> None:
    game = games.load(name)
    start = board = game.board(game.initial())
    hands = hands_of(game, 6, seed=3)
    boards = [board := carry_out(board, steps) for _, steps in hands]
    assert len(hands) == 12
    assert boards[:5][::-1] == boards[6:11]
    assert boards[-1] == start
    assert boards[5] != start


def test_a_capture_is_undone_with_the_men_that_were_there() -> None:
    game = games.load("reversi")
    position = game.initial()
    move = game.legal_moves(position)[0]
    steps, before = game.steps(position, move), game.board(position)
    assert carry_out(carry_out(before, steps), undone(before, steps)) == before


def test_a_tile_is_taken_away_with_one_grip() -> None:
    game = games.load("dominoes")
    (side, steps), (_, back) = hands_of(game, 1, seed=1)
    table = SimulatedTable(load_template(game.name), game.board(game.initial()))
    table.perform(steps, side)
    while table.busy:
        table.advance(0.5)
    assert len(back) == 2
    assert len(needed(table, back)) == 1


class NoProfile:
    def to_bytes(self) -> bytes:
        return b""


def test_a_recording_tells_when_the_hand_was_gone_from_the_board_and_then_from_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lab.bench.speed.recording.profile_of", lambda *_: NoProfile())
    found = record("morris", seed=2, plies=1, rate_hz=5.0, size_px=(320, 180))
    first, second = found.visits
    assert 3.0 < first.off_s <= first.gone_s < second.off_s <= second.gone_s < found.seconds
    assert (first.board.count("."), second.board) == (23, "." * 24)
    assert len(found.jpegs) == round(found.seconds * 5)


def test_a_stamped_jpeg_is_still_that_picture() -> None:
    data = stamped(JPEGS[1], 17, 12.345678)
    assert stamp_of(data) == (17, 12.345678)
    assert stamp_of(JPEGS[1]) is None
    assert jpeg_end(data) == len(data)
    one, other = peek(data), peek(JPEGS[1])
    assert one is not None
    assert other is not None
    assert np.array_equal(EncodedFrame(one, 0.0, 0).preview, EncodedFrame(other, 0.0, 0).preview)


def test_a_stream_goes_round_by_the_clock_and_says_when_each_picture_was_taken() -> None:
    server = StreamServer(recording())
    source = LiveSource("bench", lambda: mjpeg_frames(server.url))
    try:
        stamps: list[Any] = []
        while len(stamps) < 6:
            frame = source.read(5.0)
            if frame is not None:
                stamps.append(stamp_of(getattr(frame, "jpeg", b"")))
        begun_s = server.begun_s
        assert begun_s is not None
        assert all(taken_s == pytest.approx(begun_s + number / 20, abs=1e-5) for number, taken_s in stamps)
        assert [number for number, _ in stamps] == sorted({number for number, _ in stamps})
        assert all(taken_s <= time.monotonic() for _, taken_s in stamps)
        gone = server.gone(begun_s, begun_s + 0.5)
        assert gone[1] == Gone(pytest.approx(begun_s + 0.25), pytest.approx(begun_s + 0.3), "board")
    finally:
        source.close()
        server.stop()


def test_latency_is_split_where_it_arises() -> None:
    gone = [Gone(10.0, 10.2, "a"), Gone(20.0, 20.2, "b"), Gone(30.0, 30.2, "never")]
    judged = [Judged(1, 10.4, 10.45, 10.5), Judged(2, 20.5, 20.55, 20.6), Judged(3, 20.7, 20.71, 20.72)]
    published = [(9.0, "a"), (10.49, "a"), (20.59, "b"), (99.0, "never")]
    found = report_of(recording(), 0.4, gone, published, judged, [10.6, 15.0])
    assert (found.hands, found.missed, found.silent) == (3, 1, 1)
    assert (found.verdict_s.median, found.from_view_s.median) == (pytest.approx(0.54), pytest.approx(0.34))
    assert (found.settling_s.p95, found.way_s.p95, found.judging_s.p95) == (0.5, pytest.approx(0.05), 0.04)
    assert found.sound_s is not None
    assert found.sound_s.median == pytest.approx(0.11)
    assert [target.met for target in found.targets] == [True, True, False, True]
    assert "MISSED hands without a verdict: 1 (at most 0)" in lines_of(found)


def test_the_age_of_pictures_counts_from_when_they_were_taken() -> None:
    judged = [Judged(1, 1.0, 1.1, 1.2), Judged(2, 2.0, 2.6, 2.9), Judged(3, 3.0, 3.1, 3.15)]
    load = load_of(recording(), judged, 2.0, cpu_percent=12.34, memory_mb=100.0, hands=2, verdicts=2)
    assert (load.judged_hz, load.age_s.median, load.oldest_s, load.oldest_judged_s) == (1.5, 0.1, 0.6, 0.9)
    assert [target.met for target in targets_of([load])] == [False, False]
    with pytest.raises(ValueError, match="has judged no picture"):
        load_of(recording(), [], 2.0, cpu_percent=0, memory_mb=0, hands=0, verdicts=0)


def test_in_the_tables_own_time_every_hand_gets_its_verdict_and_the_same_seed_gives_the_same_figures() -> None:
    reports = [measure_stepped("co_ganh", 1, seed=5, rate_hz=10, settle_s=0.3) for _ in range(2)]
    assert reports[0] == reports[1]
    assert (reports[0].hands, reports[0].missed) == (1, 0)
    assert 0.3 <= reports[0].verdict_s.median < 1.0


def test_the_trace_of_a_slow_verdict_has_a_line_for_each_change() -> None:
    looks = [Look(4.0, "", "moving"), Look(4.5, "", "settling"), Look(4.6, "", "settling"), Look(5.0, "", "settled")]
    assert traced(looks, Visit(4.25, 4.3, "board")) == ["-0.25 moving", "+0.25 settling", "+0.75 settled"]
