"""The client: it reconnects after a lost connection, and each command has exactly one outcome."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

from .failure import BadFront, Failure, Lost, Refused, Unreachable
from .keys import Key
from .link import Link, open_link
from .pending import Answer, PendingCommands
from .resp import Malformed, Word, encode_command
from .signing import CommandSigner
from .wire import MAX_REPLY, U64, message, read_frame, signed_command

WINDOW = 1024
"""Maximum number of commands in flight; a front accepts no more."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0


class Client:
    """Signs commands and sends them through one front. Create it with `connect`, and use it from one event loop.

    The client reconnects after a lost connection, at once if commands wait, otherwise with the next one. Commands that
    are not in the log are sent again with the same signature, so that none is executed twice; the others fail with
    `Lost`.
    """

    def __init__(self, front: str, key: Key, signing: CommandSigner, store: bytes | None, connect_timeout: float) -> None:
        self._front, self._key, self._signing = front, key, signing
        self._store, self._connect_timeout = store, connect_timeout
        self._pending = PendingCommands()
        self._order = asyncio.Lock()  # held while a command gets its sequence number: keeps their order
        self._link: Link | None = None
        self._receiving: asyncio.Task[None] | None = None
        self._connecting: asyncio.Task[Failure | None] | None = None
        self._closed: Failure | None = None
        self._was_connected = False

    @classmethod
    async def connect(
        cls,
        front: str,
        key: Key,
        *,
        scheme: str = "dsig",
        suite: str = "wots-blake3",
        store: bytes | None = None,
        connect_timeout: float = 5.0,
    ) -> Self:
        """Connects to a front and authenticates the client.

        `store` is the expected 32-byte store of the front. The default accepts any store on the first connection and
        requires the same one when reconnecting. `connect_timeout` limits the seconds that connecting or reconnecting takes.
        """
        client = cls(front, key, CommandSigner(key, scheme, suite), store, connect_timeout)
        try:
            await client._connected_link()
        except BaseException:
            await client.close()
            raise
        return client

    @property
    def store(self) -> bytes:
        """The front's store."""
        return self._store or b""

    async def call(self, *command: Word) -> Answer:
        """Sends a command and waits for the answer.

        Raises `RedisError` if Redis answers with an error, `Refused` if the front refuses the command, `Lost` if no
        answer arrives, `BadFront` if the front violates the protocol, and `BadInput`. Calls may be concurrent.
        """
        return await (await self.send(*command))

    async def send(self, *command: Word) -> asyncio.Future[Answer]:
        """Signs a command and sends it; the future has the result of `call`. Waits until a one-time key is ready."""
        encoded = encode_command(command)
        async with self._order:
            while True:
                link = await self._connected_link()
                if len(self._pending.by_sequence) >= WINDOW or not self._pending.ready():
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
        """Closes the connection and wipes the keys. Commands in flight fail with `Lost`."""
        link = self._link
        self._close_with(Lost("the client was closed; commands in flight may or may not have been executed"))
        tasks = [task for task in (self._receiving, self._connecting) if task is not None]
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

    async def _connected_link(self) -> Link:
        while True:
            if self._closed is not None:
                raise self._closed.with_traceback(None)
            if self._link is not None:
                return self._link
            failure = await asyncio.shield(self._start_connecting())
            if failure is not None:
                raise failure

    def _start_connecting(self) -> asyncio.Task[Failure | None]:
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(self._connect())
        return self._connecting

    async def _connect(self) -> Failure | None:
        """Connects; after a lost connection it retries within the time limit."""
        now = asyncio.get_running_loop().time
        until, pause = now() + self._connect_timeout, FIRST_PAUSE
        while True:
            try:
                self._use_link(await open_link(self._front, self._key, self._store, until))
                return None
            except Unreachable as failure:
                if not self._was_connected or now() + pause >= until:
                    self._pending.fail(Lost("reconnecting failed; the command may or may not have been executed"))
                    return failure
            except Failure as failure:
                self._close_with(failure)
                return failure
            except Exception as error:  # any error must wake the waiting callers
                self._close_with(Failure("FAILED", f"connecting: {error}"))
                return self._closed
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _use_link(self, link: Link) -> None:
        try:
            if link.last >= U64 - WINDOW:
                raise BadFront("BAD_ORDER", f"the front reports an impossible sequence number, {link.last}")
            if self._was_connected:
                again = self._pending.resume(link.last)
            else:
                self._pending.start(link.last)
                again = []
        except Failure:
            link.writer.transport.abort()
            raise
        self._store, self._was_connected, self._link = link.store, True, link
        # Announcements are sent before signatures of their keys, also before commands that are sent again.
        self._signing.start(link.writer.write)
        for frame in again:
            link.writer.write(frame)
        self._receiving = asyncio.create_task(self._receive(link))

    async def _receive(self, link: Link) -> None:
        try:
            while True:
                self._pending.receive(await read_frame(link.reader, MAX_REPLY))
        except (OSError, EOFError):
            self._drop_link(link)
        except Malformed as reason:
            self._close_with(BadFront("BAD_FRAME", f"{self._front}: {reason}"))
        except Failure as failure:
            self._close_with(failure)

    def _drop_link(self, link: Link) -> None:
        link.writer.transport.abort()
        self._link = None
        self._stop_signing()
        if self._pending.by_sequence and self._closed is None:
            self._start_connecting()

    def _close_with(self, failure: Failure) -> None:
        """Closes the client permanently: nothing is sent or accepted afterwards."""
        if self._closed is None:
            self._closed = failure
        if self._link is not None:
            self._link.writer.transport.abort()
            self._link = None
        # The commands in flight of a refused connection may have been executed.
        self._pending.fail(Lost(f"the connection was refused: {failure}") if isinstance(failure, Refused) else failure)
        self._stop_signing()
        self._signing.close()

    def _stop_signing(self) -> None:
        """Wakes the waiting callers, which check the connection again."""
        self._signing.stop()
        self._signing.wake()
        self._pending.changed.set()
