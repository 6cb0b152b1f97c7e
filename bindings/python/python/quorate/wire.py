"""Canonical, bounded encoding for a protocol's own messages: little-endian integers, and u32 lengths with a cap."""

from typing import Final

from ._native import Reader, Writer, domains, hash

__all__ = ["DOMAINS", "Reader", "Writer", "hash"]

DOMAINS: Final = tuple(domains())
"""Every domain string of quorate; each has exactly one purpose."""
