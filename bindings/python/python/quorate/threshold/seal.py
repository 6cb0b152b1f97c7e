"""Sealed files: a dealer's delivery to each party over any channel. A seal encrypts; it does not authenticate the
sender.
"""

from typing import Final

from .._native import SEAL_MAX_CONTENT, SEAL_OVERHEAD, SealingKey, SealingPublicKey

__all__ = ["MAX_CONTENT", "OVERHEAD", "SealingKey", "SealingPublicKey"]

MAX_CONTENT: Final = SEAL_MAX_CONTENT
"""Maximum length of the content: 64 MiB."""

OVERHEAD: Final = SEAL_OVERHEAD
"""Bytes by which a sealed file is longer than its content."""
