"""sortition.json: seeds, their proofs, tickets."""

from ..book import Book
from ..committee import SCHEMES
from ..operations import committee
from ..sortition import Lottery, Seed, SeedProof, Ticket
from ..wire import u8, u16, u64
from .common import BLS_SUITES, CHAIN, COUNTED_SUITES, NAMES, OTHER_CHAIN, flip, key_pair, member, members, secret, small_order

EPOCH, ROUND = 7, 42
SEED = Seed.genesis(CHAIN, b"what nobody chose")
SUITES = BLS_SUITES + COUNTED_SUITES


def book():
    b = Book("sortition", "Proposer sortition: seeds, their proofs, tickets, and winning tickets.")
    genesis(b)
    for suite in SUITES:
        name = NAMES[suite]
        b.committee(name, suite, CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/next-epoch", suite, CHAIN, EPOCH + 1, members(suite, 4))
        b.committee(f"{name}/other-chain", suite, OTHER_CHAIN, EPOCH, members(suite, 4))
    for suite in SUITES:
        seeds(b, suite)
        tickets(b, suite)
    borders(b)
    repeated(b)
    return b


def genesis(b):
    for label, chain, data in (
        ("ordinary", CHAIN, b"what nobody chose"),
        ("other-bytes", CHAIN, b"what nobody chosE"),
        ("other-chain", OTHER_CHAIN, b"what nobody chose"),
        ("empty", CHAIN, b""),
        ("long", CHAIN, bytes(range(256)) * 9),
    ):
        b.add(f"genesis/{label}", "The first seed of a chain.", "seed.genesis", chain=chain.hex(), bytes=data.hex())


def seeds(b, suite):
    name, scheme, c = NAMES[suite], SCHEMES[suite], committee(b.committees[NAMES[suite]])

    def case(label, description, proof, expect="ok", seed=SEED, committee=name):
        seed, proof = seed.encode() if isinstance(seed, Seed) else seed, proof.hex()
        return b.add(
            f"{name}/seed-{label}", description, "seed.next", expect, committee=committee, seed=seed.hex(), proof=proof
        )

    seed = SEED
    for height, i in enumerate((0, 3, 3)):
        made = b.add(
            f"{name}/prove-{height}",
            f"Member {i} proves.",
            "seed.prove",
            committee=name,
            secret=secret(suite, i).hex(),
            seed=seed.encode().hex(),
        )
        data = bytes.fromhex(made["proof"])
        after = case(f"next-{height}", "The next seed.", data, seed=seed)
        seed = Seed(height + 1, bytes.fromhex(after["seed"])[8:])
        assert after["seed"] == seed.encode().hex()
    b.add(
        f"{name}/prove-non-member",
        "The prover is not a member.",
        "seed.prove",
        "WRONG_CONTEXT",
        committee=name,
        secret=secret(suite, 4).hex(),
        seed=SEED.encode().hex(),
    )
    proof = SeedProof.sign(key_pair(suite, 0)[1], c, SEED)
    data = proof.encode()
    case("other-signer", "Another member's signature.", data[:1] + u16(1) + data[3:], "BAD_SIGNATURE")
    case("unknown-signer", "The committee has no member 4.", data[:1] + u16(4) + data[3:], "UNKNOWN_SIGNER")
    case("other-value", "For another seed.", data, "BAD_SIGNATURE", Seed(0, bytes(32)))
    case("other-height", "For another height.", data, "BAD_SIGNATURE", Seed(1, SEED.value))
    last = Seed(2**64 - 1, SEED.value)
    case("last", "The height cannot grow.", SeedProof.sign(key_pair(suite, 0)[1], c, last).encode(), "TOO_LARGE", last)
    before = Seed(2**64 - 2, SEED.value)
    case("last-but-one", "The last height.", SeedProof.sign(key_pair(suite, 0)[1], c, before).encode(), seed=before)
    for other in ("next-epoch", "other-chain"):
        case(other, "Verified with another committee.", data, "BAD_SIGNATURE", committee=f"{name}/{other}")
    ticket = Lottery(c, SEED, ROUND, 7).ticket(key_pair(suite, 0)[1])
    with_ticket = SeedProof(scheme, 0, ticket.signature).encode()
    case("of-a-ticket", "A ticket's signature.", with_ticket, "BAD_SIGNATURE")
    points(scheme, proof.signature, lambda *args: case(*args), lambda point: SeedProof(scheme, 0, point).encode())
    suites(suite, data, case)
    for cut in (0, 1, 2, 3, len(data) - 1):
        case(f"truncated-{cut}", "Truncated.", data[:cut], "MALFORMED")
    case("extended", "A trailing byte.", data + b"\0", "MALFORMED")
    for cut in (0, 8, 39):
        case(f"truncated-seed-{cut}", "A truncated seed.", data, "MALFORMED", SEED.encode()[:cut])
    case("extended-seed", "A seed with a trailing byte.", data, "MALFORMED", SEED.encode() + b"\0")


def tickets(b, suite):
    name, scheme, c = NAMES[suite], SCHEMES[suite], committee(b.committees[NAMES[suite]])

    def case(label, description, ticket, expect="ok", committee=name, seed=SEED, round=ROUND, expected=7):
        b.add(
            f"{name}/ticket-{label}",
            description,
            "ticket.verify",
            expect,
            committee=committee,
            seed=seed.encode().hex(),
            round=str(round),
            expected=expected,
            ticket=ticket.hex(),
        )

    for i in range(4):
        made = b.add(
            f"{name}/draw-{i}",
            "With seven expected winners, all four members win.",
            "ticket.draw",
            committee=name,
            secret=secret(suite, i).hex(),
            seed=SEED.encode().hex(),
            round=str(ROUND),
            expected=7,
        )
        case(f"good-{i}", "Valid.", bytes.fromhex(made["ticket"]))
    b.add(
        f"{name}/draw-non-member",
        "The ticket's owner is not a member.",
        "ticket.draw",
        "WRONG_CONTEXT",
        committee=name,
        secret=secret(suite, 4).hex(),
        seed=SEED.encode().hex(),
        round=str(ROUND),
        expected=7,
    )
    ticket = Lottery(c, SEED, ROUND, 7).ticket(key_pair(suite, 0)[1])
    data = ticket.encode()
    case("other-member", "Another member's signature.", data[:9] + u16(1) + data[11:], "BAD_SIGNATURE")
    case("unknown-member", "The committee has no member 4.", data[:9] + u16(4) + data[11:], "UNKNOWN_SIGNER")
    case("other-round", "Verified in another round.", data, "WRONG_CONTEXT", round=ROUND + 1)
    later = data[:1] + u64(ROUND + 1) + data[9:]
    case("other-round-claimed", "Another round than the signed one.", later, "BAD_SIGNATURE", round=ROUND + 1)
    case("other-seed", "For another seed.", data, "BAD_SIGNATURE", seed=Seed(0, bytes(32)))
    case("other-height", "For another height.", data, "BAD_SIGNATURE", seed=Seed(1, SEED.value))
    for other in ("next-epoch", "other-chain"):
        case(other, "Verified with another committee.", data, "BAD_SIGNATURE", f"{name}/{other}")
    proof = SeedProof.sign(key_pair(suite, 0)[1], c, SEED)
    case("of-a-proof", "A seed proof's signature.", Ticket(scheme, ROUND, 0, proof.signature).encode(), "BAD_SIGNATURE")
    largest = Lottery(c, SEED, 2**64 - 1, 65_535)
    case(
        "largest",
        "The last round, with the largest number of winners.",
        largest.ticket(key_pair(suite, 3)[1]).encode(),
        round=2**64 - 1,
        expected=65_535,
    )
    points(scheme, ticket.signature, lambda *args: case(*args), lambda p: Ticket(scheme, ROUND, 0, p).encode())
    suites(suite, data, case)
    for cut in (0, 1, 8, 9, 11, len(data) - 1):
        case(f"truncated-{cut}", "Truncated.", data[:cut], "MALFORMED")
    case("extended", "A trailing byte.", data + b"\0", "MALFORMED")


def points(scheme, good, case, encoded):
    """Yields invalid signatures."""
    group = scheme.sigs
    case("infinity", "Infinity as signature.", encoded(None), "INFINITY")
    case("negated", "The signature negated.", encoded(group.neg(good)), "BAD_SIGNATURE")
    added = group.add(good, small_order(group))
    case("small-order-added", "Plus a point of small order, which changes the bytes.", encoded(added), "NOT_IN_SUBGROUP")
    case("small-order-alone", "A point of small order.", encoded(small_order(group)), "NOT_IN_SUBGROUP")
    case("uncompressed", "Not marked as compressed.", flip(encoded(good), -scheme.sig_len, 0x80), "NON_CANONICAL")


def suites(suite, data, case):
    for other in (0, 3, *(s for s in SUITES if s != suite)):
        case(f"suite-{other}", "The suite byte of another scheme, or an unknown one.", u8(other) + data[1:], "WRONG_CONTEXT")


def borders(b):
    """Adds cases of a large committee: a ticket wins from some number of expected winners on."""
    suite, n = 1, 1000
    listed = members(suite, 5)
    b.committee("thousand", suite, CHAIN, EPOCH, [*listed, dict(member(suite, 5), times=n - 5)], repeats=True)
    c = committee(b.committees["thousand"])
    for i in range(6):
        for round in (1, 2):
            lottery = Lottery(c, SEED, round, 1)
            ticket = lottery.ticket(key_pair(suite, i)[1])
            slot = int.from_bytes(ticket.score()[:16], "big") * n // 2**128
            for expected in {7, slot, slot + 1} - {0}:
                wins = expected > slot
                inputs = {
                    "committee": "thousand",
                    "seed": SEED.encode().hex(),
                    "round": str(round),
                    "expected": expected,
                }
                made = b.add(
                    f"thousand/draw-{i}-{round}-{expected}",
                    f"Slot {slot} of 0 to 999: {'wins' if wins else 'does not win'}.",
                    "ticket.draw",
                    secret=secret(suite, i).hex(),
                    **inputs,
                )
                assert (made["ticket"] is not None) == wins
                b.add(
                    f"thousand/verify-{i}-{round}-{expected}",
                    "The verifier's result.",
                    "ticket.verify",
                    "ok" if wins else "NOT_DRAWN",
                    ticket=ticket.encode().hex(),
                    **inputs,
                )
    # A losing ticket is refused before the pairing, but after the subgroup check.
    lottery = Lottery(c, SEED, 3, 1)
    signature = lottery.ticket(key_pair(suite, 0)[1]).signature
    group = c.scheme.sigs
    for label, point, expect in (
        ("other-member", signature, "NOT_DRAWN"),
        ("small-order-added", group.add(signature, small_order(group)), "NOT_IN_SUBGROUP"),
    ):
        member_of_it = 1 if label == "other-member" else 0
        b.add(
            f"thousand/order-{label}",
            "An invalid ticket that would not win either.",
            "ticket.verify",
            expect,
            committee="thousand",
            seed=SEED.encode().hex(),
            round="3",
            expected=1,
            ticket=Ticket(c.scheme, 3, member_of_it, point).encode().hex(),
        )


def repeated(b):
    """Adds cases of a repeated key, which has one ticket."""
    suite = 1
    c = committee(b.committees["thousand"])
    ticket = Lottery(c, SEED, 1, 1000).ticket(key_pair(suite, 5)[1])
    assert ticket.member == 5
    for i, expect in ((5, "ok"), (6, "WRONG_CONTEXT"), (999, "WRONG_CONTEXT"), (1000, "UNKNOWN_SIGNER")):
        b.add(
            f"repeated/ticket-{i}",
            "The first index has the ticket, later indices of the same key have none.",
            "ticket.verify",
            expect,
            committee="thousand",
            seed=SEED.encode().hex(),
            round="1",
            expected=1000,
            ticket=Ticket(c.scheme, 1, i, ticket.signature).encode().hex(),
        )
        if i < 1000:
            proof = SeedProof(c.scheme, i, SeedProof.sign(key_pair(suite, 5)[1], c, SEED).signature)
            b.add(
                f"repeated/seed-{i}",
                "All indices of a key have the same proof.",
                "seed.next",
                committee="thousand",
                seed=SEED.encode().hex(),
                proof=proof.encode().hex(),
            )
