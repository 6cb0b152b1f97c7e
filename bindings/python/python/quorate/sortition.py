"""Who may propose in a round: a lottery that each member plays in secret and whose winners can prove that they won.

A ticket is a unique signature, so nobody has two; the smallest score is the best. The next `Seed` is the hash of another
unique signature, so nobody chooses it. Ed25519's signatures are not unique: its committees have no lottery.
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
