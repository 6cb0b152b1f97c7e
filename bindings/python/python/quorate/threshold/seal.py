"""Sealed files: what a dealer gives to each party, over whatever carries bytes. A seal hides and does not sign."""

from typing import Final

from .._native import SEAL_MAX_CONTENT, SEAL_OVERHEAD, SealingKey, SealingPublicKey

__all__ = ["MAX_CONTENT", "OVERHEAD", "SealingKey", "SealingPublicKey"]

MAX_CONTENT: Final = SEAL_MAX_CONTENT
"""The longest content: 64 MiB."""

OVERHEAD: Final = SEAL_OVERHEAD
"""Bytes that a sealed file is longer than its content."""
