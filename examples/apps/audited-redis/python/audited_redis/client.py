"""The client: a connection that is made again when it is lost, and for each command exactly one outcome."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

from .failure import BadFront, Failure, Lost, Refused, Unreachable
from .keys import Key
from .link import Link, greet
from .pending import Answer, Pending
from .resp import Malformed, Word, encode_command
from .signing import Signing
from .wire import MAX_REPLY, U64, message, read_frame, signed_command

WINDOW = 1024
"""How many commands may be under way; a front takes no more."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0


class Client:
    """Signs commands and sends them through one front. Made by `connect`; one event loop uses it.

    When the connection is lost, another is made while commands wait, or with the next one. Commands that are not in
    the log are sent again as they were signed, so that none is executed twice; the others fail with `Lost`.
    """

    def __init__(self, front: str, key: Key, signing: Signing, store: bytes | None, patience: float) -> None:
        self._front, self._key, self._signing = front, key, signing
        self._store, self._patience = store, patience
        self._pending = Pending()
        self._order = asyncio.Lock()  # held while a command gets its number: first come, first sent
        self._link: Link | None = None
        self._reading: asyncio.Task[None] | None = None
        self._joining: asyncio.Task[Failure | None] | None = None
        self._over: Failure | None = None
        self._joined = False

    @classmethod
    async def connect(
        cls,
        front: str,
        key: Key,
        *,
        scheme: str = "dsig",
        suite: str = "wots-blake3",
        store: bytes | None = None,
        patience: float = 5.0,
    ) -> Self:
        """Connects to a front and proves who we are.

        `store` is the front's 32-byte name; without it the first front is believed, and later ones must have the same.
        `patience` is how many seconds connecting may take, then and whenever the connection is lost.
        """
        client = cls(front, key, Signing(key, scheme, suite), store, patience)
        try:
            await client._linked()
        except BaseException:
            await client.close()
            raise
        return client

    @property
    def store(self) -> bytes:
        """The front's store."""
        return self._store or b""

    async def call(self, *command: Word) -> Answer:
        """Asks for a command and waits for the answer.

        Raises `RedisError` if Redis answers with an error, `Refused` if the front does not take the command, `Lost` if
        the answer cannot come, `BadFront` if the front lies, and `BadInput`. Many calls may be made at once.
        """
        return await (await self.send(*command))

    async def send(self, *command: Word) -> asyncio.Future[Answer]:
        """Signs a command and sends it; the future has what `call` has. Waits while there is no one-time key."""
        encoded = encode_command(command)
        async with self._order:
            while True:
                link = await self._linked()
                if len(self._pending.by_number) >= WINDOW or not self._pending.ready():
                    self._pending.changed.clear()
                    await self._pending.changed.wait()
                    continue
                sequence, now = self._pending.next, time.time_ns() // 1000
                signature = self._signing.sign(message(self.store, sequence, now, encoded), now)
                if signature is not None:
                    break
                await self._signing.made()
            # No await since the number was assigned: a cancelled call leaves no gap.
            frame = signed_command(self._signing.scheme, sequence, now, signature, encoded)
            answer = self._pending.add(frame)
            link.writer.write(frame)
            try:
                await link.writer.drain()
            except OSError:
                pass  # the reading task notices it and sends the command again
        return answer

    async def close(self) -> None:
        """Ends the connection and wipes the keys. Commands under way fail with `Lost`."""
        link = self._link
        self._end(Lost("the client was closed; what was under way may or may not have been executed"))
        tasks = [task for task in (self._reading, self._joining) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if link is not None:
            try:
                await link.writer.wait_closed()
            except OSError:
                pass  # it was lost before

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _linked(self) -> Link:
        while True:
            if self._over is not None:
                raise self._over.with_traceback(None)
            if self._link is not None:
                return self._link
            failure = await asyncio.shield(self._join())
            if failure is not None:
                raise failure

    def _join(self) -> asyncio.Task[Failure | None]:
        if self._joining is None or self._joining.done():
            self._joining = asyncio.create_task(self._connect())
        return self._joining

    async def _connect(self) -> Failure | None:
        """Makes a connection; a lost one is given time to come back."""
        now = asyncio.get_running_loop().time
        until, pause = now() + self._patience, FIRST_PAUSE
        while True:
            try:
                self._begin(await greet(self._front, self._key, self._store, until))
                return None
            except Unreachable as failure:
                if not self._joined or now() + pause >= until:
                    self._pending.fail(Lost("the connection does not come back; the command may be executed or not"))
                    return failure
            except Failure as failure:
                self._end(failure)
                return failure
            except Exception as error:  # any error must wake the waiting callers
                self._end(Failure("FAILED", f"connecting: {error}"))
                return self._over
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _begin(self, link: Link) -> None:
        try:
            if link.last >= U64 - WINDOW:
                raise BadFront("BAD_ORDER", f"the front says that {link.last} commands of ours are in its log")
            if self._joined:
                again = self._pending.resume(link.last)
            else:
                self._pending.begin(link.last)
                again = []
        except Failure:
            link.writer.transport.abort()
            raise
        self._store, self._joined, self._link = link.store, True, link
        # Announcements come before what is signed with their keys, also before what is sent again.
        self._signing.start(link.writer.write)
        for frame in again:
            link.writer.write(frame)
        self._reading = asyncio.create_task(self._read(link))

    async def _read(self, link: Link) -> None:
        try:
            while True:
                self._pending.take(await read_frame(link.reader, MAX_REPLY))
        except (OSError, EOFError):
            self._lose(link)
        except Malformed as reason:
            self._end(BadFront("BAD_FRAME", f"{self._front}: {reason}"))
        except Failure as failure:
            self._end(failure)

    def _lose(self, link: Link) -> None:
        link.writer.transport.abort()
        self._link = None
        self._stop()
        if self._pending.by_number and self._over is None:
            self._join()

    def _end(self, failure: Failure) -> None:
        """Nothing is sent or believed any longer."""
        if self._over is None:
            self._over = failure
        if self._link is not None:
            self._link.writer.transport.abort()
            self._link = None
        # What a refused connection had under way may have been executed.
        self._pending.fail(Lost(f"the connection was refused: {failure}") if isinstance(failure, Refused) else failure)
        self._stop()
        self._signing.close()

    def _stop(self) -> None:
        """Wakes the waiting callers, which check the connection again."""
        self._signing.stop()
        self._signing.wake()
        self._pending.changed.set()
