"""Queue of commands received over HTTP, for the thread that carries them out, and their answers.

A command whose sender has given up is not carried out: a sender who was told that nothing happened can rely on it.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
from collections.abc import Callable
from typing import Generic, TypeVar

from aiohttp import web

from daemon.commands.command import MAX_BYTES, Answer, CommandError
from daemon.page.answering import Problem, words_of
from daemon.page.connection_limits import Refusals
from daemon.page.permission import Permission

MAX_WAITING = 8
ANSWER_S = 5.0


T = TypeVar("T")


class Request(Generic[T]):
    def __init__(self, command: T) -> None:
        self.command = command
        self.answered: concurrent.futures.Future[Answer] = concurrent.futures.Future()

    def answer(self, answer: Answer) -> None:
        self.answered.set_result(answer)


class CommandQueue(Generic[T]):
    """Requests in order of arrival. Thread-safe."""

    def __init__(
        self,
        permission: Permission,
        refusals: Refusals,
        parse: Callable[[object], T],
        most_bytes: int = MAX_BYTES,
    ) -> None:
        """`parse` reads a request's object and raises CommandError if it is invalid."""
        self._permission, self._refusals, self._parse = permission, refusals, parse
        self._most_bytes = most_bytes
        self.is_open = False
        """Whether commands are accepted; none are if the board shows everything about the game."""
        self._waiting: queue.Queue[Request[T]] = queue.Queue(maxsize=MAX_WAITING)

    def take(self) -> list[Request[T]]:
        """The waiting requests, except those whose senders have given up; each must be answered."""
        taken: list[Request[T]] = []
        while True:
            try:
                request = self._waiting.get_nowait()
            except queue.Empty:
                return taken
            if request.answered.set_running_or_notify_cancel():
                taken.append(request)

    async def receive(self, request: web.Request) -> web.Response:
        """Queues a command and responds once the daemon has carried it out (200) or refused it (409)."""
        self._permission.check(request)
        if not self.is_open:
            raise Problem(409, "no_commands", "The board shows all there is to know of this game.")
        try:
            waiting = Request(self._parse(await words_of(request, self._most_bytes)))
        except CommandError:
            self._refusals.count("command")
            raise
        except Problem as error:
            if error.code == "slow":
                self._refusals.count("slow")
            raise
        try:
            self._waiting.put_nowait(waiting)
            answer = await asyncio.wait_for(asyncio.wrap_future(waiting.answered), ANSWER_S)
        except queue.Full:
            raise Problem(503, "busy", "too many commands wait already; try again in a moment") from None
        except TimeoutError:
            why = "the daemon did not get to it in time; look at the page, and try again"
            raise Problem(503, "busy", why) from None
        if not answer.accepted:
            rule = {"rule": answer.rule} if answer.rule else {}
            return web.json_response({"code": "refused", "text": answer.text} | rule, status=409)
        return web.json_response({"code": "done", "text": answer.text})
