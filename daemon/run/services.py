"""A table's services: record, page, bus, voice and workers; each can be reopened during play."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import logging
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from daemon.bus.bus import Bus
from daemon.bus.hints import Coach
from daemon.bus.workers import WORKER, WorkerProcess
from daemon.config.settings import Config, wyoming_address
from daemon.page.phones.door import PhoneDoor
from daemon.page.web import WebPage
from daemon.record.journal import Mended
from daemon.record.live_file import LiveFile
from daemon.record.salvage import OwnerLock, open_record
from daemon.voice.listening.listening import Listening
from daemon.voice.listening.recognisers import EmbeddedRecogniser, Recogniser, WyomingRecogniser
from daemon.voice.speech import Speaker
from daemon.voice.voice import voice_of
from daemon.words.translation import speak, worded, worded_n
from system import paths
from vision.sources.phone import PhoneFeed

LOGGER = logging.getLogger(__name__)
WORKER_NAME = "own"

Name = Literal["page", "bus", "voice", "agents", "listening"]


class Closes(Protocol):
    def close(self) -> None: ...


Kept = TypeVar("Kept", bound=Closes)


class Services:
    """Opens the services that the settings ask for. Used by one thread; the services may be used by any."""

    def __init__(self, config: Config, agents: Sequence[str], render_to: Path | None = None) -> None:
        """`agents` are those that the table's own worker offers.

        Raises JournalError, BusError, WebError; anything opened before the error is closed again, also after Ctrl-C.
        """
        self.config = config
        """Settings in force; services use them from their next opening on."""
        self.agents = tuple(agents)
        self.phone_feed = PhoneFeed()
        self.page: WebPage | None = None
        """None if none is wanted, or it cannot be opened at present."""
        self.worker: WorkerProcess | None = None
        """The table's own worker; None if no agent plays, or other workers are to join."""
        self.listening: Listening | None = None
        self.live_file: LiveFile | None = None
        self.reports: dict[str, Callable[[], dict[str, object]]] = {}
        """Health reports of components kept elsewhere, by name, for the health page."""
        self.last_health: dict[str, dict[str, object]] = {}
        """Component health as last reported; for the thread that reports that the loop hangs."""
        self._told_of: Mended | None = None
        self._render_to = render_to
        self._bus_name = f"{WORKER_NAME}.{secrets.token_hex(8)}"
        """The own worker's name on the bus: whoever does not know it cannot pretend that the worker lives."""
        self._open: list[Closes] = []
        with contextlib.ExitStack() as undo:  # Ctrl-C may come at any point
            undo.callback(self.close)
            record = paths.resolved(config.journal.path)
            self.keep(OwnerLock(record))
            self.journal = self.keep(open_record(record))
            self.page = self._new_page()
            self.bus = self._new_bus()
            self.speaker = self._new_speaker()
            self._lend_voice()
            self.listening = self._new_listening()
            self._lend_ear()
            self.worker = self._new_worker()
            self.coach = self.keep(Coach())
            if config.journal.live_file:
                path = paths.resolved(config.journal.live_file)
                self.live_file = self.keep(LiveFile(path, self.journal.path))
                self.reports["live file"] = self.live_file.status
            undo.pop_all()

    def renew(self, name: Name) -> None:
        """Closes a service and reopens it with the present settings.

        The bus keeps its addresses. Raises BusError and WebError if the new one cannot be opened; then there is no
        page, and the old bus stays.
        """
        match name:
            case "page":
                self.drop(self.page)
                self.page = None
                self.page = self._new_page()
                self._lend_voice()
                self._lend_ear()
            case "voice":
                self.drop(self.speaker)
                self.speaker = self._new_speaker()
                self._lend_voice()
                self.renew("listening")  # in the same language
            case "listening":
                self.drop(self.listening)
                self.listening = None
                self.listening = self._new_listening()
                self._lend_ear()
            case "agents":
                self.drop(self.worker)
                self.worker = self._new_worker()
            case "bus":
                state, reply = self.bus.bound
                self.bus.close()
                renewed = self._new_bus(state, reply)
                self.drop(self.bus)
                self.bus = renewed

    def offer(self, agents: Sequence[str]) -> None:
        if set(agents) != set(self.agents):
            self.agents = tuple(agents)
            self.renew("agents")

    def keep(self, service: Kept) -> Kept:
        """Registers a service to be closed by `close`, before those registered earlier; returns it."""
        self._open.append(service)
        return service

    def drop(self, service: Closes | None) -> None:
        """Closes a registered service and unregisters it; None is ignored."""
        if service is not None:
            self._open.remove(service)
            service.close()

    def close(self) -> None:
        while self._open:
            self._open.pop().close()

    def say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        LOGGER.info("%s", text)
        self.speaker.say(text, urgent=urgent)
        if self.page is not None:
            self.page.announce(text, code)

    def tell_of_record(self) -> None:
        """Says once what was done about a damaged record; to be called often."""
        mended = self.journal.mended
        if mended is None or mended == self._told_of:
            return
        self._told_of, name = mended, mended.kept_as.name
        if not mended.games:
            self.say(worded("The record was damaged. It is kept as {name}, and a new one begins.", name=name))
            return
        self.say(
            worded_n(
                "The record was damaged. It is kept as {name}; {count} game could be saved.",
                "The record was damaged. It is kept as {name}; {count} games could be saved.",
                mended.games,
                name=name,
            )
        )

    def report_stuck(self, text: str) -> None:
        """Shows on the page that the loop hangs; called by another thread, since the loop cannot."""
        if (page := self.page) is not None:
            health = self.last_health | {"pipeline": {"ok": False, "text": text}}
            page.publish(health=health, ready=(False, text))

    def has_spoken(self, timeout_s: float) -> bool:
        return self.speaker.wait_until_silent(timeout_s)

    def _new_page(self) -> WebPage | None:
        page, phone = self.config.page, self.config.phone
        if not page.enabled:
            return None
        opened = self.keep(
            WebPage(
                port=page.port,
                host=page.host,
                token=paths.resolved(page.token),
                journal=self.journal.path,
                proxies=[ipaddress.ip_network(one) for one in page.trusted_proxies],
                door=PhoneDoor(self.phone_feed, paths.resolved(phone.folder), phone.port, phone.addresses),
            )
        )
        opened.take_commands()
        return opened

    def _new_bus(self, state: str = "", reply: str = "") -> Bus:
        bus = self.config.bus
        keys = paths.resolved(bus.keys) if bus.keys else None
        addresses = state or bus.state, reply or bus.reply
        return self.keep(Bus(*addresses, bus.table, keys=keys, own_worker=self._bus_name))

    def _new_speaker(self) -> Speaker:
        speech = self.config.speech
        speak(speech.language)
        return self.keep(Speaker(speech, self._render_to))

    def _lend_voice(self) -> None:
        """Lends pages the voice of the settings; not a command, which may play its phrases here by itself."""
        if self.page is not None:
            speech = self.config.speech.model_copy(update={"command": []})
            self.page.sounds.offer(functools.partial(voice_of, speech))

    def _new_listening(self) -> Listening | None:
        listening, language = self.config.listening, self.config.speech.language
        if not listening.enabled:
            return None
        recogniser: Recogniser = EmbeddedRecogniser(listening.wake)
        if listening.recogniser:
            address = wyoming_address(listening.recogniser)
            recogniser = WyomingRecogniser(address, language, listening.recogniser_s)
        elif language != "en":
            LOGGER.warning("pocketsphinx hears English alone: set recogniser under [listening] for %s", language)
        return self.keep(Listening(recogniser, listening.wake))

    def _lend_ear(self) -> None:
        if self.page is not None:
            self.page.listen_with(self.listening, lambda: self.speaker.is_talking)

    def _new_worker(self) -> WorkerProcess | None:
        if not self.agents or not self.config.bus.start_workers:
            return None
        return self.keep(
            WorkerProcess(
                sorted(set(self.agents)),
                self.bus.state_endpoint,
                self.bus.reply_endpoint,
                name=WORKER_NAME,
                bus_name=self._bus_name,
                command=(*WORKER, *self.bus.worker_options),
                on_trouble=lambda text: self.say(text, urgent=True),
                last_seen_s=lambda name: self.bus.last_seen_s(name),
            )
        )
