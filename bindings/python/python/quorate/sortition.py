"""Leader sortition: a lottery that each member plays in secret. A winner can prove that it won.

A ticket is a unique signature, so no member has two; the smallest score ranks first. The next `Seed` is the hash of
another unique signature, so no member can choose it. Ed25519 signatures are not unique, so Ed25519 committees have no
lottery.
"""

from ._native import EXPECTED_WINNERS, Lottery, Score, Seed, SeedProof, Ticket, VerifiedTicket

__all__ = [
    "EXPECTED_WINNERS",
    "Lottery",
    "Score",
    "Seed",
    "SeedProof",
    "Ticket",
    "VerifiedTicket",
]
