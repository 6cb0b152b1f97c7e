"""The ciphersuites of other chains' BLS signatures."""

from ._native import Ciphersuite

__all__ = ["Ciphersuite"]
