"""Canonical, bounded encoding, for a protocol's own messages: integers little endian, lengths as u32 with a cap."""

from typing import Final

from ._native import Reader, Writer, domains, hash

__all__ = ["DOMAINS", "Reader", "Writer", "hash"]

DOMAINS: Final = tuple(domains())
"""Every domain string of quorate; each is used for exactly one purpose."""
