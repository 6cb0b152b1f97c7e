"""What encoded votes and certificates claim to be, before they are verified."""

from ._native import UntrustedHeader

__all__ = ["UntrustedHeader"]
