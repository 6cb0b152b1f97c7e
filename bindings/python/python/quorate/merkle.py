"""Merkle trees over BLAKE3: one root for many items, and a short path that proves one of them."""

from ._native import Merkle, Path

__all__ = ["Merkle", "Path"]
