"""The client's signer. With DSig, another thread makes one-time keys in advance, and the signer announces them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from quorate import ExhaustedError, QuorateError, dsig

from .failure import BadInput
from .keys import Key
from .wire import announcement

SCHEMES: Final = ("none", "eddsa", "dsig")
"""Signature schemes in the order of their bytes. `none` is for measurements; fronts refuse it by default."""
SUITES: Final = dsig.SUITES[:4]
"""The suites of DSig that a front accepts."""

LOW_WATER = 512
"""The background task is woken when fewer keys than this are ready."""
POLL_INTERVAL = 0.25
"""Interval in seconds at which the background task checks for expired keys."""
MAX_ANNOUNCED = 256


class CommandSigner:
    """Signer of a client, across its connections: one signer ensures that no one-time key signs twice."""

    def __init__(self, key: Key, scheme: str, suite: str) -> None:
        if scheme not in SCHEMES:
            raise BadInput(f"expected one of {', '.join(SCHEMES)}, got {scheme!r}")
        if suite not in SUITES:
            raise BadInput(f"expected one of {', '.join(SUITES)}, got {suite!r}")
        self.scheme: Final = SCHEMES.index(scheme)
        self._secret = key.secret_key() if scheme == "eddsa" else None
        self._signer = dsig.Signer(key.secret_key(), suite, low_water=LOW_WATER) if scheme == "dsig" else None
        self._background: asyncio.Task[None] | None = None
        self._wanted, self._made = asyncio.Event(), asyncio.Event()
        self._write: Callable[[bytes], object] | None = None
        # Batches that were announced on this connection, by their Ed25519 signatures.
        self._announced: dict[bytes, None] = {}

    def start(self, write: Callable[[bytes], object]) -> None:
        """Announces the existing batches on a new connection and starts making keys."""
        self._write = write
        self._announced.clear()
        if self._signer is not None:
            self._announce(self._signer)
            self._background = asyncio.create_task(self._prepare(self._signer, write))

    def stop(self) -> None:
        """Stops making keys when the connection is lost; unused keys expire meanwhile."""
        self._write = None
        if self._background is not None:
            self._background.cancel()
            self._background = None

    def close(self) -> None:
        """Wipes all keys."""
        self.stop()
        for owned in (self._secret, self._signer):
            if owned is not None:
                owned.close()

    def sign(self, message: bytes, now: int) -> bytes | None:
        """Signs, or returns None if no one-time key is ready. The key's batch is announced before this returns."""
        if self._secret is not None:
            return self._secret.sign(message).encode()
        if self._signer is None:
            return b""
        try:
            signature = self._signer.sign(message, now=now)
        except ExhaustedError:
            self._made.clear()
            self._wanted.set()
            return None
        # The batch may be ready before it is announced, but its announcement must precede the signature.
        if signature[72:136] not in self._announced:
            self._announce(self._signer)
            self._announced[signature[72:136]] = None
        if self._signer.ready < LOW_WATER:
            self._wanted.set()
        return signature

    async def made(self) -> None:
        """Waits until a key may be ready."""
        await self._made.wait()

    def wake(self) -> None:
        """Wakes the callers that wait for a key; they check the connection again."""
        self._made.set()

    async def _prepare(self, signer: dsig.Signer, write: Callable[[bytes], object]) -> None:
        while True:
            self._wanted.clear()
            try:
                made = await signer.prepare_async()
            except QuorateError:
                # The operating system's generator failed; try again later.
                made = None
            if made is None:
                try:
                    await asyncio.wait_for(self._wanted.wait(), POLL_INTERVAL)
                except TimeoutError:
                    pass
            elif write is self._write:
                self._announce(signer)
                self._made.set()

    def _announce(self, signer: dsig.Signer) -> None:
        """Announces every batch that has keys and was not announced yet."""
        for announced in signer.announcements():
            batch = announced.announcement[4:68]
            if batch not in self._announced and self._write is not None:
                self._announced[batch] = None
                self._write(announcement(announced.announcement))
        while len(self._announced) > MAX_ANNOUNCED:
            del self._announced[next(iter(self._announced))]
