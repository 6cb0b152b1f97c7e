"""Merkle trees over BLAKE3: one root for many items, and a short proof for each of them."""

from ._native import Merkle, Path

__all__ = ["Merkle", "Path"]
