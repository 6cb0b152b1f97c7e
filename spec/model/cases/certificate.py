"""certificate.json: complete and detached certificates, in both forms."""

from .. import signers as codec
from ..book import Book
from ..certificate import Certificate, Statement, Vote
from ..committee import SCHEMES
from ..operations import committee, statement_json
from ..wire import u8, varint
from . import headers
from .common import (
    BLS_SUITES,
    CHAIN,
    NAMES,
    OTHER_CHAIN,
    SUITES,
    cancelling_members,
    flip,
    key_pair,
    member,
    members,
    small_order,
)

EPOCH = 7
STATEMENT = Statement(1, EPOCH, 42, bytes(range(32)))
HEAD = 50  # suite and statement


def book():
    b = Book("certificate", "Quorum certificates: encodings, both forms of the non-signer set, and refused inputs.")
    for suite in SUITES:
        Small(b, suite).add()
    for suite, n in ((1, 40), (1, 100), (2, 40), (3, 24), (3, 40)):
        forms(b, suite, n)
    thousand(b)
    headers.cases(b)
    return b


def sign_all(c, suite, numbers):
    """Signs with the keys of these members; a key has the number of its member."""
    message = STATEMENT.signed_bytes(c.id)
    return {i: c.scheme.sign(key_pair(suite, i)[1], message) for i in numbers}


class Small:
    """Four members of one suite, and valid and invalid certificates of theirs."""

    def __init__(self, b, suite):
        self.b, self.suite, self.name, self.scheme = b, suite, NAMES[suite], SCHEMES[suite]
        b.committee(f"{self.name}/four", suite, CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{self.name}/four-next-epoch", suite, CHAIN, EPOCH + 1, members(suite, 4))
        b.committee(f"{self.name}/four-other-chain", suite, OTHER_CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{self.name}/five", suite, CHAIN, EPOCH, members(suite, 5))
        b.committee(f"{self.name}/weighted", suite, CHAIN, EPOCH, members(suite, 4, [5, 2, 1, 1]))
        self.c = committee(b.committees[f"{self.name}/four"])
        self.signatures = sign_all(self.c, suite, range(4))

    def case(self, label, description, data, expect="ok", committee="four", operation="certificate.verify"):
        self.b.add(
            f"{self.name}/{label}",
            description,
            operation,
            expect,
            committee=f"{self.name}/{committee}",
            certificate=data.hex(),
        )

    def encoded(self, numbers, statement=STATEMENT):
        return Certificate.encode_parts(self.c, statement, {i: self.signatures[i] for i in numbers})

    def add(self):
        self.case("good-0123", "All four signed.", self.encoded(range(4)))
        for numbers in ((0, 1, 2), (1, 2, 3), (0, 2, 3)):
            label = "".join(map(str, numbers))
            votes = [Vote(self.scheme, STATEMENT, i, self.signatures[i]).encode().hex() for i in numbers]
            made = self.b.add(
                f"{self.name}/collect-{label}",
                "Votes are collected to a certificate.",
                "certificate.collect",
                committee=f"{self.name}/four",
                votes=votes,
            )
            assert bytes.fromhex(made["certificate"]) == self.encoded(numbers)
            self.case(f"good-{label}", "Valid.", self.encoded(numbers))
            self.detached(label, "Valid as a detached certificate with a known statement.", bytes.fromhex(made["detached"]))
        self.quorum()
        self.structure()
        self.context()
        self.signature()
        self.weighted()
        if self.suite in BLS_SUITES:
            self.bls()
        else:
            self.ed25519()

    def detached(self, label, description, data, expect="ok", statement=STATEMENT):
        self.b.add(
            f"{self.name}/detached-{label}",
            description,
            "certificate.verify_detached",
            expect,
            committee=f"{self.name}/four",
            statement=statement_json(statement),
            detached=data.hex(),
        )

    def quorum(self):
        for numbers in ((0, 1), (2,)):
            self.case(
                f"below-quorum-{len(numbers)}",
                "Too few signers; detected by the decoder.",
                self.encoded(numbers),
                "BELOW_QUORUM",
                operation="certificate.decode",
            )
        no_signers = u8(self.suite) + STATEMENT.encode() + b"\0\x0f"
        tail = b"" if self.suite == 3 else self.scheme.encode_proof({0: self.signatures[0]})
        self.case("no-signers", "No signers.", no_signers + tail, "BELOW_QUORUM")
        votes = [Vote(self.scheme, STATEMENT, i, self.signatures[i]).encode().hex() for i in (0, 3)]
        self.b.add(
            f"{self.name}/collect-too-few",
            "Two votes of four are below the quorum.",
            "certificate.collect",
            "BELOW_QUORUM",
            committee=f"{self.name}/four",
            votes=votes,
        )

    def structure(self):
        good, proof = self.encoded((0, 1, 2)), self.scheme.encode_proof({i: self.signatures[i] for i in (0, 1, 2)})
        all_four = self.encoded(range(4))
        for cut in (0, 1, 33, HEAD, HEAD + 1, HEAD + 2, len(good) - 1):
            self.case(f"truncated-{cut}", "Truncated.", good[:cut], "MALFORMED", operation="certificate.decode")
        self.case("extended", "A trailing byte.", good + b"\0", "MALFORMED", operation="certificate.decode")
        self.case(
            "no-bitmap",
            "The bitmap is missing: a shorter bitmap would turn absent members into signers.",
            good[: HEAD + 1] + good[HEAD + 2 :],
            "NON_CANONICAL" if proof[0] >> 4 else "MALFORMED",
            operation="certificate.decode",
        )
        head = good[:HEAD]
        self.case(
            "padding",
            "A padding bit is set.",
            head + b"\0\x18" + proof,
            "NON_CANONICAL",
            operation="certificate.decode",
        )
        self.case(
            "form-1-tie",
            "A list with one entry takes two bytes, the bitmap one.",
            head + b"\x01\x01\x03" + proof,
            "NON_CANONICAL",
            operation="certificate.decode",
        )
        self.case(
            "form-1-empty-tie",
            "The empty list takes as many bytes as the bitmap; the bitmap is canonical.",
            all_four[:HEAD] + b"\x01\0" + all_four[HEAD + 2 :],
            "NON_CANONICAL",
            operation="certificate.decode",
        )
        self.case(
            "form-2", "There is no form 2.", head + b"\x02\x08" + proof, "MALFORMED", operation="certificate.decode"
        )
        self.case(
            "list-unknown",
            "The list names an index without a member.",
            head + b"\x01\x01\x04" + proof,
            "UNKNOWN_SIGNER",
            operation="certificate.decode",
        )
        self.case(
            "list-too-long",
            "The list's count exceeds the committee.",
            head + b"\x01\x05" + proof,
            "TOO_LARGE",
            operation="certificate.decode",
        )
        self.case(
            "list-padded-varint",
            "The list's count takes two bytes.",
            head + b"\x01\x81\0\x03" + proof,
            "NON_CANONICAL",
            operation="certificate.decode",
        )
        detached = good[HEAD:]
        self.detached("truncated", "Truncated.", detached[:-1], "MALFORMED")
        self.detached("extended", "A trailing byte.", detached + b"\0", "MALFORMED")

    def context(self):
        good = self.encoded((0, 1, 2))
        for suite in (0, 1, 2, 3, 255):
            if suite != self.suite:
                self.case(
                    f"suite-{suite}",
                    "The suite byte of another scheme, or an unknown one.",
                    u8(suite) + good[1:],
                    "WRONG_CONTEXT",
                    operation="certificate.decode",
                )
        self.case("other-epoch", "The epoch changed.", flip(good, 2), "WRONG_CONTEXT", operation="certificate.decode")
        self.case("next-epoch", "Verified with the next epoch's committee.", good, "WRONG_CONTEXT", "four-next-epoch")
        self.case(
            "other-chain",
            "Verified with another chain's committee of the same keys and epoch.",
            good,
            "BAD_SIGNATURE",
            "four-other-chain",
        )
        self.case(
            "larger-committee", "Verified with a committee with one more member, which did not sign.", good, *self._larger()
        )
        later = Statement(STATEMENT.kind, EPOCH + 1, STATEMENT.view, STATEMENT.digest)
        self.detached("other-epoch", "A statement for another epoch.", good[HEAD:], "WRONG_CONTEXT", later)

    def _larger(self):
        # The bitmap of four has the same length as that of five: member 4 becomes a signer, and the proof is wrong.
        return ("BAD_SIGNATURE" if self.suite != 3 else "MALFORMED"), "five"

    def signature(self):
        good = self.encoded((0, 1, 2))
        self.case("other-kind", "The kind changed.", flip(good, 1), "BAD_SIGNATURE")
        self.case("other-view", "The view changed.", flip(good, 10), "BAD_SIGNATURE")
        self.case("other-digest", "The digest changed.", flip(good, 49), "BAD_SIGNATURE")
        self.case("other-signers", "Another member is listed as absent.", flip(good, HEAD + 1, 0x0C), "BAD_SIGNATURE")
        other = Statement(STATEMENT.kind, EPOCH, STATEMENT.view, bytes(32))
        self.detached("other-digest", "Another statement.", good[HEAD:], "BAD_SIGNATURE", other)

    def weighted(self):
        c = committee(self.b.committees[f"{self.name}/weighted"])
        signatures = sign_all(c, self.suite, range(4))
        for numbers, code in (((0, 1), "ok"), ((0, 2), "BELOW_QUORUM"), ((0, 2, 3), "ok"), ((1, 2, 3), "BELOW_QUORUM")):
            label = "".join(map(str, numbers))
            data = Certificate.encode_parts(c, STATEMENT, {i: signatures[i] for i in numbers})
            self.case(f"weighted-{label}", "Weights 5, 2, 1, 1: the quorum is 7.", data, code, "weighted")

    def bls(self):
        group, good = self.scheme.sigs, self.encoded((0, 1, 2))
        total = group.sum(self.signatures[i] for i in (0, 1, 2))

        def case(label, description, point, expect="BAD_SIGNATURE"):
            self.case(label, description, good[: HEAD + 2] + group.encode(point), expect)

        case("infinity", "Infinity as signature.", None, "INFINITY")
        case("negated", "The signature negated.", group.neg(total))
        case(
            "small-order-added",
            "The signature plus a point of small order.",
            group.add(total, small_order(group)),
            "NOT_IN_SUBGROUP",
        )
        case("one-twice", "One signature is added twice.", group.add(total, self.signatures[0]))
        case("absent-included", "The absent member's signature is added.", group.add(total, self.signatures[3]))
        x = group.mul(group.generator, 99)
        pair = [group.add(self.signatures[0], x), group.add(self.signatures[1], group.neg(x)), self.signatures[2]]
        for i in (0, 1):
            vote = Vote(self.scheme, STATEMENT, i, pair[i]).encode()
            self.b.add(
                f"{self.name}/cancelling-vote-{i}",
                "σ₁ + X and σ₂ − X: neither vote of the pair is valid.",
                "vote.verify",
                "BAD_SIGNATURE",
                committee=f"{self.name}/four",
                vote=vote.hex(),
            )
        case(
            "cancelling-sum",
            "Their sum is a valid certificate, equal to that of the valid votes.",
            group.sum(pair),
            "ok",
        )
        case("cancelling-with-other", "σ₁ + X alone, without its partner.", group.add(total, x))
        name = f"{self.name}/cancelling-keys"
        self.b.committee(name, self.suite, CHAIN, EPOCH, cancelling_members(self.suite, [1] * 4, [(0, 1, 2)]))
        self.case("cancelling-keys", "The signers' keys sum to infinity.", good, "INFINITY", "cancelling-keys")

    def ed25519(self):
        good = self.encoded((0, 1, 2))
        at = HEAD + 2
        swapped = good[:at] + good[at + 64 : at + 128] + good[at : at + 64] + good[at + 128 :]
        self.case("swapped", "Signatures not in the order of the signers.", swapped, "BAD_SIGNATURE")
        for i in range(3):
            self.case(
                f"one-bad-{i}", f"The signature of member {i} is invalid.", flip(good, at + 64 * i + 40), "BAD_SIGNATURE"
            )
        self.case("one-too-many", "More signatures than signers.", good + good[-64:], "MALFORMED")
        self.case(
            "s-not-reduced", "The s of a signature is not below the group order.", good[:-1] + b"\xff", "NON_CANONICAL"
        )


def forms(b, suite, n):
    """Adds cases of both forms of the set, at the boundary between them."""
    name = f"{NAMES[suite]}/{n}"
    b.committee(name, suite, CHAIN, EPOCH, members(suite, n))
    c = committee(b.committees[name])
    signatures = sign_all(c, suite, range(n))
    faulty = (n - 1) // 3
    spread = [i * n // faulty for i in range(faulty)]
    edge = next(k for k in range(n) if len(codec.gap_list(spread[: k + 1])) >= -(-n // 8))  # last list, then bitmap
    for label, absent in {
        "none-absent": [],
        "first-absent": [0],
        "last-absent": [n - 1],
        "last-list": spread[:edge],
        "first-bitmap": spread[: edge + 1],
        "most-absent": spread,
    }.items():
        present = {i: signatures[i] for i in range(n) if i not in absent}
        data = Certificate.encode_parts(c, STATEMENT, present)
        b.add(
            f"{name}/{label}",
            f"{len(data)} bytes, form {data[HEAD]}.",
            "certificate.verify",
            committee=name,
            certificate=data.hex(),
        )
        other = b"\0" + codec.bitmap(absent, n) if data[HEAD] else b"\x01" + codec.gap_list(absent)
        tail = data[HEAD + len(codec.encode(set(absent), n)) :]
        b.add(
            f"{name}/{label}-other-form",
            "The same set in the other, non-canonical form.",
            "certificate.decode",
            "NON_CANONICAL",
            committee=name,
            certificate=(data[:HEAD] + other + tail).hex(),
        )
    too_many = range(faulty + 1)
    data = Certificate.encode_parts(c, STATEMENT, {i: signatures[i] for i in range(n) if i not in too_many})
    b.add(
        f"{name}/one-too-many-absent",
        "One signer below the quorum.",
        "certificate.decode",
        "BELOW_QUORUM",
        committee=name,
        certificate=data.hex(),
    )


def thousand(b):
    """Adds cases of a thousand members with one key, as sampling with replacement can produce."""
    suite, n = 1, 1000
    b.committee("thousand", suite, CHAIN, EPOCH, [dict(member(suite, 0), times=n)], repeats=True)
    c = committee(b.committees["thousand"])
    one = sign_all(c, suite, [0])[0]
    group = c.scheme.sigs
    for label, absent in {
        "none": [],
        "far-apart": [5, 300, 999],
        "gap-127": [0, 128],
        "gap-128": [0, 129],
        "123": list(range(123)),
        "124": list(range(124)),
        "333": list(range(0, 999, 3)),
    }.items():
        encoded = codec.encode(set(absent), n)
        proof = group.encode(group.mul(one, n - len(absent)))
        data = u8(suite) + STATEMENT.encode() + encoded + proof
        b.add(
            f"thousand/{label}",
            f"{len(data)} bytes, form {encoded[0]}.",
            "certificate.verify",
            committee="thousand",
            certificate=data.hex(),
        )
    overlong = b"\x01" + varint(2) + b"\x05" + varint(2**32 - 1)
    b.add(
        "thousand/gap-overflow",
        "A gap past the end of the committee, and above 32 bits.",
        "certificate.decode",
        "UNKNOWN_SIGNER",
        committee="thousand",
        certificate=(u8(suite) + STATEMENT.encode() + overlong + group.encode(one)).hex(),
    )
