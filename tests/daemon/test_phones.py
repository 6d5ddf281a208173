"""Phones that film: pairing, certificates, and what is made of whatever a phone sends."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import functools
import json
import ssl
import stat
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import cv2
import numpy as np
import pytest
from cryptography import x509

from daemon.config.settings import CameraSection
from daemon.page import connection_limits
from daemon.page.phones import addresses, certificate
from daemon.page.phones.certificate import CertificateError, DoorCertificates
from daemon.page.phones.door import PhoneDoor
from daemon.page.phones.filming import MAX_PICTURE_BYTES, Aim
from daemon.page.phones.pairing import MAX_PHONES, VALID_S, Pairing
from daemon.page.web import WebPage
from daemon.supervision.camera import Camera, opener_with
from tests.waiting import PATIENCE_S
from vision.frame import SourceEnded
from vision.sources.encoded import peek
from vision.sources.phone import AWAITED, GONE, Asked, PhoneFeed, PhoneSource

HERE = "127.0.0.1"
WAIT_S = 10.0


def jpeg(grey: int = 90, size_px: tuple[int, int] = (64, 48)) -> bytes:
    image = np.full((size_px[1], size_px[0], 3), grey, np.uint8)
    return bytes(cv2.imencode(".jpg", image)[1])


def claiming(width: int, height: int) -> bytes:
    """A small JPEG whose header claims another size."""
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return bytes(data)


class House:
    """A page with a door, and clients for it."""

    def __init__(self, folder: Path) -> None:
        self.feed = PhoneFeed()
        self.folder = folder
        self.door = PhoneDoor(self.feed, folder, 0, [HERE])
        self.page = WebPage(port=0, door=self.door)
        self.page.take_commands()

    def invite(self) -> tuple[str, str]:
        address, _, code = self.page.invite_phone().addresses[0].partition("/phone#")
        return address, code

    @asynccontextmanager
    async def client(self) -> AsyncIterator[aiohttp.ClientSession]:
        """A client that trusts this computer's authority, as a phone on which it is installed."""
        context = ssl.create_default_context(cadata=DoorCertificates(self.folder).authority())
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context), cookie_jar=jar) as session:
            yield session

    @asynccontextmanager
    async def phone(self) -> AsyncIterator[tuple[aiohttp.ClientSession, aiohttp.ClientWebSocketResponse]]:
        address, code = self.invite()
        async with self.client() as session:
            async with session.post(f"{address}/pair", json={"code": code}) as answer:
                assert answer.status == 200, await answer.text()
            async with session.ws_connect(f"{address}/live", max_msg_size=0) as socket:
                yield session, socket


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "phone")
    yield made
    made.page.close()


async def heard(socket: aiohttp.ClientWebSocketResponse, key: str) -> Any:
    """The next message of a kind; the table's state comes in between."""
    while True:
        message = await socket.receive(WAIT_S)
        assert message.type is aiohttp.WSMsgType.TEXT, message
        if key in (told := json.loads(message.data)):
            return told[key]


async def film(socket: aiohttp.ClientWebSocketResponse, *, take: bool = False, facing: str = "environment") -> str:
    await socket.send_str(json.dumps({"film": True, "take": take, "facing": facing}))
    return str((await heard(socket, "film"))["state"])


def running(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Runs an asynchronous test, for at most 30 seconds."""

    async def whole(**given: object) -> None:
        async with asyncio.timeout(30.0):
            await test(**given)
            # TLS connections end after their session.
            transports: Any = asyncio.get_running_loop()._transports  # type: ignore[attr-defined]
            while any(one._sock is not None for one in list(transports.values())):
                await asyncio.sleep(0.01)

    @functools.wraps(test)
    def run(**given: object) -> None:
        asyncio.run(whole(**given))

    return run


# Pairing.


def test_a_code_pairs_one_phone_and_is_renewed(tmp_path: Path) -> None:
    pairing = Pairing(tmp_path / "phones.json")
    code = pairing.code.secret
    own = pairing.pair(code)
    assert own is not None and pairing.phone(own) is not None
    assert pairing.pair(code) is None and pairing.code.secret != code
    assert pairing.phone("") is None and pairing.phone(own + "x") is None and pairing.count == 1


def test_an_old_code_pairs_nobody_and_a_half_old_one_is_replaced(tmp_path: Path) -> None:
    now_s = 0.0
    pairing = Pairing(tmp_path / "phones.json", lambda: now_s)
    code = pairing.code.secret
    now_s = VALID_S / 2 - 1
    assert pairing.code.secret == code
    now_s = VALID_S + 1
    assert pairing.pair(code) is None
    assert pairing.code.secret != code


def test_phones_stay_paired_over_a_restart_and_their_secrets_are_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "phones.json"
    pairing = Pairing(path)
    own = pairing.pair(pairing.code.secret)
    assert own is not None and own not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Pairing(path)
    assert again.phone(own) is not None
    assert again.forget() == 1 and again.phone(own) is None
    assert Pairing(path).phone(own) is None


def test_no_more_phones_than_allowed_stay_paired(tmp_path: Path) -> None:
    pairing = Pairing(tmp_path / "phones.json")
    owns = [pairing.pair(pairing.code.secret) or "" for _ in range(MAX_PHONES + 1)]
    assert pairing.phone(owns[0]) is None and all(pairing.phone(own) for own in owns[1:])


@pytest.mark.parametrize("content", ["", "{}", "[1, null]", '["short"]', "\0" * 100, '{"a": [}'])
def test_a_damaged_list_of_phones_lets_nobody_in(tmp_path: Path, content: str) -> None:
    path = tmp_path / "phones.json"
    path.write_text(content)
    assert Pairing(path).count == 0


# Certificates.


def door_certificate(folder: Path) -> x509.Certificate:
    pem = (folder / "door.pem").read_bytes()
    return x509.load_pem_x509_certificate(pem[pem.index(b"-----BEGIN CERTIFICATE-----") :])


def test_certificates_are_private_kept_and_renewed_for_other_addresses(tmp_path: Path) -> None:
    made = DoorCertificates(tmp_path / "keys")
    made.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ["192.168.1.5", "10.0.0.2"])
    first, authority = door_certificate(made.folder), made.authority()
    for name in ("authority.pem", "door.pem"):
        assert stat.S_IMODE((made.folder / name).stat().st_mode) == 0o600
    again = DoorCertificates(made.folder)
    again.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ["10.0.0.2", "192.168.1.5"])
    assert door_certificate(made.folder) == first and again.authority() == authority
    again.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ["192.168.1.6"])
    assert door_certificate(made.folder) != first and again.authority() == authority


def test_a_certificate_that_ends_soon_is_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = DoorCertificates(tmp_path)
    monkeypatch.setattr(certificate, "VALID", datetime.timedelta(days=29))
    made.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), [HERE])
    ends = door_certificate(tmp_path).not_valid_after_utc
    monkeypatch.undo()
    made.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), [HERE])
    renewed = door_certificate(tmp_path)
    assert renewed.not_valid_after_utc > ends + datetime.timedelta(days=300)
    # Apple's devices take none that is valid for longer.
    assert renewed.not_valid_after_utc - datetime.datetime.now(datetime.UTC) < datetime.timedelta(days=398)


def test_keys_that_others_may_read_are_refused(tmp_path: Path) -> None:
    made = DoorCertificates(tmp_path)
    made.authority()
    (tmp_path / "authority.pem").chmod(0o644)
    with pytest.raises(CertificateError, match="others may read this key"):
        made.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), [HERE])


def test_a_damaged_authority_is_named(tmp_path: Path) -> None:
    (tmp_path / "authority.pem").write_text("nonsense")
    (tmp_path / "authority.pem").chmod(0o600)
    with pytest.raises(CertificateError, match=r"authority.pem: is no authority"):
        DoorCertificates(tmp_path).authority()


def test_own_addresses_can_be_reached_from_elsewhere() -> None:
    for one in addresses.own_addresses():
        assert not one.startswith(("127.", "169.254.", "0."))


# The door.


def test_the_door_is_closed_until_somebody_is_invited(house: House) -> None:
    assert house.door._server is None
    address, code = house.invite()
    assert house.door._server is not None and len(code) >= 22
    assert house.invite() == (address, code)  # shown at several places, it is the same


@running
async def test_only_a_paired_phone_comes_past_the_landing_page(house: House) -> None:
    address, code = house.invite()
    async with house.client() as session:
        for path, status in (("phone", 200), ("phone.js", 200), ("words", 200), ("authority.crt", 200)):
            async with session.get(f"{address}/{path}") as answer:
                assert answer.status == status, path
        for path in ("", "live", "state", "video", "snapshot.jpg", "board.svg", "frame.jpg", "games", "metrics"):
            async with session.get(f"{address}/{path}") as answer:
                assert answer.status == 401, path
        for path in ("tell", "wish", "menu", "preview"):
            async with session.post(f"{address}/{path}", json={}) as answer:
                assert answer.status == 401, path
        async with session.post(f"{address}/pair", json={"code": code}) as answer:
            cookie = answer.headers["Set-Cookie"]
            assert {"Secure", "HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
        async with session.get(f"{address}/") as answer:
            assert answer.status == 200
        async with session.post(f"{address}/tell", json={"command": "nonsense"}) as answer:
            assert answer.status == 400  # understood, though refused


@running
async def test_wrong_codes_are_refused_and_soon_no_more_are_looked_at(house: House) -> None:
    address, code = house.invite()
    async with house.client() as session:
        statuses = []
        for wrong in ["", "x" * 22, code[:-1], code + "x", 7, None, ["x"], "x" * 200, "\ud800"]:
            async with session.post(f"{address}/pair", json={"code": wrong}) as answer:
                statuses.append(answer.status)
                assert "Set-Cookie" not in answer.headers
        assert set(statuses) == {403, 429} and statuses[:2] == [403, 403] and statuses[-1] == 429
        async with session.post(f"{address}/pair", json={"code": code}) as answer:
            assert answer.status == 200 and "Set-Cookie" in answer.headers, "the right code always gets in"


@running
async def test_the_page_of_a_foreign_site_can_use_neither_door_nor_invitation(house: House) -> None:
    house.invite()
    foreign = {"Origin": "https://evil.example"}
    async with aiohttp.ClientSession() as session:
        for method, path in (("POST", "phone"), ("DELETE", "phone")):
            async with session.request(method, f"{house.page.address}{path}", headers=foreign) as answer:
                assert answer.status == 403
        forwarded = {"X-Forwarded-For": "192.0.2.7"}
        for method, path in (("POST", "phone"), ("DELETE", "phone")):
            async with session.request(method, f"{house.page.address}{path}", headers=forwarded) as answer:
                assert answer.status == 403, path


@running
async def test_the_camera_is_allowed_on_the_phones_page_only(house: House) -> None:
    async with aiohttp.ClientSession() as session:
        for path, policy in (("phone", "camera=(self)"), ("", "camera=()")):
            async with session.get(f"{house.page.address}{path}") as answer:
                assert answer.headers["Permissions-Policy"].startswith(policy)


@running
async def test_this_computer_sees_renews_and_forgets(house: House) -> None:
    async with house.phone() as (phone, socket), aiohttp.ClientSession() as session:
        async with session.post(f"{house.page.address}phone") as answer:
            told = await answer.json()
        assert told["phones"] == 1 and told["address"].startswith(f"https://{HERE}:")
        assert told["svg"].startswith("<svg") and told["addresses"] == [{k: told[k] for k in ("address", "svg")}]
        async with session.post(f"{house.page.address}phone?new") as answer:
            assert (await answer.json())["address"] != told["address"]
        assert await film(socket) == "yours"
        async with session.delete(f"{house.page.address}phone") as answer:
            assert (await answer.json())["phones"] == 0
        while (await socket.receive(WAIT_S)).type is aiohttp.WSMsgType.TEXT:
            pass
        assert socket.closed and not house.feed.films
        async with phone.get(f"{told['address'].partition('/phone')[0]}/state") as answer:
            assert answer.status == 401


# What a phone sends.


@running
async def test_pictures_come_to_the_feed_and_are_acknowledged_with_the_aim(house: House) -> None:
    async with house.phone() as (_, socket):
        assert await film(socket) == "yours" and house.feed.films and house.feed.facing == "environment"
        house.page.update_aim(Aim(((0.1, 0.2), (0.9, 0.2)), "Closer."))
        await socket.send_bytes(jpeg(90, (160, 120)))
        assert await heard(socket, "ack") == {"taken": True, "corners": [[0.1, 0.2], [0.9, 0.2]], "aim": "Closer."}
        frame = house.feed.take(0)
        assert frame is not None and frame.image.shape == (120, 160, 3)


@running
async def test_bad_pictures_are_refused_by_name_and_the_next_good_one_is_taken(house: House) -> None:
    house.feed.asked = Asked(max_megapixels=12.0)

    async with house.phone() as (_, socket):
        assert await film(socket, facing="sideways") == "yours" and house.feed.facing == ""
        whole = jpeg()
        for bad in (b"", b"\xff", b"nonsense" * 1000, whole[:-20], whole[40:], b"\xff\xd8" * 5000, b"\x89PNG\r\n"):
            await socket.send_bytes(bad)
            assert (await heard(socket, "ack")) == {"taken": False, "text": "What came is no whole picture."}
        await socket.send_bytes(claiming(60000, 60000))
        ack = await heard(socket, "ack")
        assert not ack["taken"] and "max_megapixels allows 12" in ack["text"]
        for text in ("", "nonsense", "{}", '{"film": 1}', '["film"]', "[" * 500, '{"film": ' + "9" * 900 + "}"):
            await socket.send_str(text)  # ignored
        assert house.feed.take(0) is None
        await socket.send_bytes(jpeg(90, (4000, 3000)))
        assert (await heard(socket, "ack"))["taken"]


@running
async def test_a_picture_that_is_too_large_ends_only_its_own_connection(house: House) -> None:
    async with house.phone() as (_, good), house.phone() as (_, bad):
        assert await film(good) == "yours"
        await bad.send_bytes(b"x" * (MAX_PICTURE_BYTES + 1))
        while (message := await bad.receive(WAIT_S)).type is aiohttp.WSMsgType.TEXT:
            pass
        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)
        await good.send_bytes(jpeg())
        assert (await heard(good, "ack"))["taken"]


@running
async def test_of_several_phones_one_films_and_the_one_that_asks_for_it_takes_over(house: House) -> None:
    async with house.phone() as (_, first), house.phone() as (_, second):
        assert await film(first) == "yours"
        assert await film(second) == "other"
        await second.send_bytes(jpeg())
        assert not (await heard(second, "ack"))["taken"]
        assert await film(second, take=True) == "yours"
        assert (await heard(first, "film"))["state"] == "other"
        await first.send_bytes(jpeg())
        assert not (await heard(first, "ack"))["taken"]
        assert house.feed.films and house.feed.begun == 2
        await second.send_str('{"film": false}')
        assert await film(first) == "yours"


@running
async def test_ten_phones_are_connected_at_once_and_nine_are_told(house: House) -> None:
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:
        phones = [(await stack.enter_async_context(house.phone()))[1] for _ in range(10)]
        assert [await film(one) for one in phones] == ["yours"] + 9 * ["other"]
        for one in phones:
            await one.send_bytes(jpeg())
        assert [(await heard(one, "ack"))["taken"] for one in phones] == [True] + 9 * [False]


@running
async def test_a_phone_that_goes_films_no_more_and_takes_up_again_when_it_is_back(house: House) -> None:
    async with house.phone() as (session, socket):
        assert await film(socket) == "yours"
        address, _ = house.invite()
        async with session.ws_connect(f"{address}/live") as again:  # while the old connection seems to live
            assert await film(again) == "yours"
            await again.send_bytes(jpeg())
            assert (await heard(again, "ack"))["taken"]
        for _ in range(100):
            if not house.feed.films:
                break
            await asyncio.sleep(0.05)
        assert not house.feed.films


@running
async def test_another_camera_is_told_to_the_phone(house: House) -> None:
    async with house.phone() as (_, socket):
        assert await film(socket) == "yours"
        house.page.end_filming()
        told = await heard(socket, "film")
        assert told["state"] == "other" and told["text"] == "The table has another camera now."
        assert not house.feed.films


# The source.


def test_the_source_waits_for_a_phone_and_has_the_newest_picture() -> None:
    feed = PhoneFeed()
    source = PhoneSource(feed, Asked(rate_hz=5.0))
    assert source.read(0.01) is None and source.silence == AWAITED and not source.films and feed.asked.rate_hz == 5.0
    feed.begin()
    for grey in (50, 200):
        picture = peek(jpeg(grey))
        assert picture is not None
        feed.offer(picture)
    frame = source.read(0.01)
    assert frame is not None and abs(float(frame.image.mean()) - 200) < 2 and source.dropped == 1
    assert source.read(0.01) is None
    feed.end()
    assert source.silence == GONE and source.reconnects == 0
    feed.begin()
    assert source.reconnects == 1
    source.close()
    with pytest.raises(SourceEnded):
        source.read(0.01)


def test_a_picture_from_before_is_not_the_first_of_a_source() -> None:
    feed = PhoneFeed()
    picture = peek(jpeg())
    assert picture is not None
    feed.offer(picture)
    assert PhoneSource(feed).read(0.01) is None


def test_the_table_says_what_is_awaited_and_when_the_phone_is_gone() -> None:
    feed, said, now_s = PhoneFeed(), list[str](), 0.0

    def say(text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        said.append(text)

    camera = Camera("phone", CameraSection(frozen_s=5.0), say, opener_with(feed), lambda: now_s)
    grey = 0

    def turn(*, films: bool) -> None:
        nonlocal grey
        if films and (picture := peek(jpeg(grey := grey + 1))) is not None:
            feed.offer(picture)
        for _ in range(20):
            if camera.read(0.05) is not None or not films:
                return

    try:
        for _ in range(10):
            turn(films=False)
        assert said == ["No phone yet. Scan the code with its camera."] and not camera.status()["ok"]
        feed.begin()
        turn(films=True)
        assert said[1:] == ["I see what the phone films."] and camera.status()["ok"]
        feed.end()
        turn(films=False)
        now_s = 4.0
        turn(films=False)
        assert len(said) == 2  # it may be back at once
        now_s = 6.0
        turn(films=False)
        assert said[2:] == ["The phone sends no picture. Open its page again, or scan the code."]
        feed.begin()
        turn(films=True)
        assert said[3:] == ["I see what the phone films."]
    finally:
        camera.close()


@running
async def test_sockets_that_say_nothing_hold_no_place_for_long_and_leave_room_for_a_phone(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "HANDSHAKE_S", 0.5)
    monkeypatch.setattr(connection_limits, "MAX_HERE", 8)
    address, code = house.invite()
    port = int(address.rsplit(":", 1)[1])
    silent = [await asyncio.open_connection(HERE, port) for _ in range(60)]
    try:
        closed = [asyncio.ensure_future(reader.read()) for reader, _ in silent]
        done, _ = await asyncio.wait(closed, timeout=PATIENCE_S)
        assert len(done) == len(silent), "each is ended, most of them at once"
        async with house.client() as session, session.post(f"{address}/pair", json={"code": code}) as answer:
            assert answer.status == 200
    finally:
        for _, writer in silent:
            writer.close()


@running
async def test_what_is_no_tls_is_ended_and_many_phones_talk_at_once(house: House) -> None:
    address, _ = house.invite()
    port = int(address.rsplit(":", 1)[1])
    reader, writer = await asyncio.open_connection(HERE, port)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
    with contextlib.suppress(ConnectionError):
        await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    async with house.client() as session:

        async def get() -> int:
            async with session.get(f"{address}/phone") as answer:
                await answer.read()
                return answer.status

        assert set(await asyncio.gather(*(get() for _ in range(20)))) == {200}
