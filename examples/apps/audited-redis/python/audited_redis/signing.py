"""How commands are signed. With DSig, one-time keys are made ahead of time on another thread, and announced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from quorate import ExhaustedError, QuorateError, dsig

from .failure import BadInput
from .keys import Key
from .wire import announcement

SCHEMES: Final = ("none", "eddsa", "dsig")
"""By their bytes. A front refuses `none` unless it was told otherwise; it is for measurements."""
SUITES: Final = dsig.SUITES[:4]
"""The suites of DSig that a front takes."""

LOW = 512
"""With fewer keys the background works at once."""
LOOK = 0.25
"""Seconds after which the background looks by itself: keys expire."""
MOST_TOLD = 256


class Signing:
    """Signs for one client, over all its connections: no key may sign twice, so there is one signer."""

    def __init__(self, key: Key, scheme: str, suite: str) -> None:
        if scheme not in SCHEMES:
            raise BadInput(f"{scheme!r} is none of {', '.join(SCHEMES)}")
        if suite not in SUITES:
            raise BadInput(f"{suite!r} is none of {', '.join(SUITES)}")
        self.scheme: Final = SCHEMES.index(scheme)
        self._secret = key.secret_key() if scheme == "eddsa" else None
        self._signer = dsig.Signer(key.secret_key(), suite, low_water=LOW) if scheme == "dsig" else None
        self._background: asyncio.Task[None] | None = None
        self._wanted, self._made = asyncio.Event(), asyncio.Event()
        self._write: Callable[[bytes], object] | None = None
        # The batches that the front was told of, by their Ed25519 signatures.
        self._told: dict[bytes, None] = {}

    def start(self, write: Callable[[bytes], object]) -> None:
        """Announces what there is to a new connection, and goes on making keys."""
        self._write = write
        self._told.clear()
        if self._signer is not None:
            self._tell(self._signer)
            self._background = asyncio.create_task(self._prepare(self._signer, write))

    def stop(self) -> None:
        """The connection is lost; keys that are not used meanwhile expire."""
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
        """A signature; None if no one-time key is ready. Its key's batch has been announced when this returns."""
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
        # The thread that made the batch may be ahead of the announcement: the signature must not be.
        if signature[72:136] not in self._told:
            self._tell(self._signer)
            self._told[signature[72:136]] = None
        if self._signer.ready < LOW:
            self._wanted.set()
        return signature

    async def made(self) -> None:
        """Waits until there may be a key again."""
        await self._made.wait()

    def wake(self) -> None:
        """Lets who waits for a key look whether there is still a connection."""
        self._made.set()

    async def _prepare(self, signer: dsig.Signer, write: Callable[[bytes], object]) -> None:
        while True:
            self._wanted.clear()
            try:
                made = await signer.prepare_async()
            except QuorateError:
                # The operating system's generator failed: it may not the next time.
                made = None
            if made is None:
                try:
                    await asyncio.wait_for(self._wanted.wait(), LOOK)
                except TimeoutError:
                    pass
            elif write is self._write:
                self._tell(signer)
                self._made.set()

    def _tell(self, signer: dsig.Signer) -> None:
        """Announces every batch that has keys and was not announced."""
        for announced in signer.announcements():
            batch = announced.announcement[4:68]
            if batch not in self._told and self._write is not None:
                self._told[batch] = None
                self._write(announcement(announced.announcement))
        while len(self._told) > MOST_TOLD:
            del self._told[next(iter(self._told))]
