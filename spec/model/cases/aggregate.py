"""aggregate.json: order-free aggregates, and certificates that carry counts."""

from .. import counts as block
from .. import signers as codec
from ..aggregate import Aggregate
from ..book import Book
from ..certificate import Statement, Vote
from ..committee import SCHEMES
from ..operations import committee, statement_json
from ..timeout import TimeoutVote
from ..wire import u8
from . import raw
from .common import (
    CHAIN,
    COUNTED_SUITES,
    NAMES,
    OTHER_CHAIN,
    cancelling_members,
    flip,
    key_pair,
    member,
    members,
    small_order,
)

EPOCH = 7
STATEMENT = Statement(1, EPOCH, 42, bytes(range(32)))
OTHER = Statement(1, EPOCH, 42, bytes(32))
HEAD = 50  # suite and statement
MAX = 65_535


def book():
    b = Book("aggregate", "Aggregates: bytes, counts, sums of sums, and certificates that carry counts.")
    for suite in COUNTED_SUITES:
        Small(b, suite).add()
        raw.counted(b, suite)
    for suite, n in ((4, 40), (4, 100), (5, 24)):
        forms(b, suite, n)
    thousand(b)
    return b


class Small:
    """Four members of one suite, and valid and invalid aggregates of theirs."""

    def __init__(self, b, suite):
        self.b, self.suite, self.name, self.scheme = b, suite, NAMES[suite], SCHEMES[suite]
        b.committee(f"{self.name}/four", suite, CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{self.name}/four-next-epoch", suite, CHAIN, EPOCH + 1, members(suite, 4))
        b.committee(f"{self.name}/four-other-chain", suite, OTHER_CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{self.name}/five", suite, CHAIN, EPOCH, members(suite, 5))
        b.committee(f"{self.name}/weighted", suite, CHAIN, EPOCH, members(suite, 4, [5, 2, 1, 1]))
        cancelling = cancelling_members(suite, [1] * 4, [(0, 1, 2)])
        b.committee(f"{self.name}/cancelling-keys", suite, CHAIN, EPOCH, cancelling)
        self.c = committee(b.committees[f"{self.name}/four"])
        self.signatures = self.sign(STATEMENT)

    def sign(self, statement):
        message = statement.signed_bytes(self.c.id)
        return {i: self.scheme.sign(key_pair(self.suite, i)[1], message) for i in range(4)}

    def total(self, counts, signatures=None):
        group, signatures = self.scheme.sigs, signatures or self.signatures
        return group.sum(group.mul(signatures[i], count) for i, count in counts.items())

    def encode(self, counts, statement=STATEMENT, signatures=None):
        """Encodes an aggregate with these counts."""
        total = self.total(counts, signatures or (self.signatures if statement == STATEMENT else self.sign(statement)))
        return Aggregate(self.scheme, statement, counts, total).encode(self.c)

    def case(self, label, description, data, expect="ok", committee="four", operation="aggregate.verify"):
        return self.b.add(
            f"{self.name}/{label}",
            description,
            operation,
            expect,
            committee=f"{self.name}/{committee}",
            aggregate=data.hex(),
        )

    def add(self):
        for i in (0, 3):
            vote = Vote(self.scheme, STATEMENT, i, self.signatures[i])
            made = self.b.add(
                f"{self.name}/of-vote-{i}",
                "A vote is an aggregate of one.",
                "aggregate.of_vote",
                committee=f"{self.name}/four",
                vote=vote.encode().hex(),
            )
            assert bytes.fromhex(made["aggregate"]) == self.encode({i: 1})
        self.good()
        self.counting()
        self.structure()
        self.context()
        self.signature()
        self.merging()
        self.normalising()
        self.certificates()
        self.timeouts()

    def good(self):
        for label, counts in {
            "one": {2: 1},
            "all-once": dict.fromkeys(range(4), 1),
            "one-twice": {0: 2},
            "rising": {0: 1, 1: 2, 2: 3, 3: 4},
            "falling": {0: 9, 1: 8, 3: 7},
            "edges": {0: 127, 1: 128, 2: 255, 3: 256},
            "highest": {1: MAX},
            "all-highest": dict.fromkeys(range(4), MAX),
            "whole-bytes": {0: 4, 1: 2},  # 5 + 3 bits
            "last-counts": {0: 1, 1: 1, 2: 1, 3: 2},
        }.items():
            data = self.encode(counts)
            out = self.case(f"good-{label}", f"Counts {list(counts.values())}: {len(data)} bytes.", data)
            assert out["counts"] == list(counts.values())

    def raw(self, signers, counts, point):
        return u8(self.suite) + STATEMENT.encode() + codec.encode(set(signers), 4) + counts + self.point(point)

    def point(self, point):
        return self.scheme.encode_signature(point)

    def counting(self):
        """Adds cases with invalid counts."""
        total, once = self.total({0: 1, 1: 2}), self.total({0: 1, 1: 1})

        def case(label, description, counts, expect, signers=(0, 1), point=total):
            data = self.raw(signers, counts, point)
            self.case(f"counts-{label}", description, data, expect, operation="aggregate.decode")

        case("ones-as-codes", "All counts are 1, written as codes.", b"\x01\xc0", "NON_CANONICAL", point=once)
        case("form-2", "There is no form 2.", b"\x02\xa0", "MALFORMED")
        for bit in range(4):
            case(f"padding-{bit}", "A padding bit is set.", u8(1) + u8(0xA0 | 1 << bit), "NON_CANONICAL")
        case("too-large", "65,536.", b"\x01" + block.pack("1" + "0" * 16 + "1" + "0" * 16), "TOO_LARGE")
        case("zeros", "Zeros without the end of a code.", b"\x01" + bytes(9), "TOO_LARGE")
        nothing = u8(self.suite) + STATEMENT.encode() + codec.encode({0, 1}, 4)
        for label, data in (("none", nothing), ("no-codes", nothing + b"\x01"), ("one-code", nothing + b"\x01\x01")):
            self.case(
                f"counts-{label}", "Truncated within the counts.", data, "MALFORMED", operation="aggregate.decode"
            )
        for label, counts in (
            ("inflated", {0: 2, 1: 2}),
            ("inflated-far", {0: MAX, 1: 2}),
            ("deflated", {0: 1, 1: 1}),
            ("swapped", {0: 2, 1: 1}),
        ):
            data = self.raw((0, 1), block.encode(list(counts.values())), total)
            self.case(f"counts-{label}", "The counts do not match the sum.", data, "BAD_SIGNATURE")

    def structure(self):
        good, all_four = self.encode({0: 1, 1: 1, 2: 1}), self.encode({0: 2, 1: 1, 2: 1, 3: 1})

        def case(label, description, data, expect):
            self.case(label, description, data, expect, operation="aggregate.decode")

        for cut in (0, 1, 33, HEAD, HEAD + 1, HEAD + 2, HEAD + 3, len(good) - 1):
            case(f"truncated-{cut}", "Truncated.", good[:cut], "MALFORMED")
        case("extended", "A trailing byte.", good + b"\0", "MALFORMED")
        case("extended-counted", "A trailing byte.", all_four + b"\0", "MALFORMED")
        tail = b"\0" + self.point(self.signatures[0])
        head = good[:HEAD]
        case("no-signers", "No signers.", head + b"\0\0" + tail, "BELOW_QUORUM")
        case("no-signers-list", "No signers, as a list.", head + b"\x01\0" + tail, "NON_CANONICAL")
        case("padding", "A padding bit of the signers is set.", head + b"\0\x11" + tail, "NON_CANONICAL")
        case("form-1-tie", "A list with one entry takes two bytes, the bitmap one.", head + b"\x01\x01\0" + tail, "NON_CANONICAL")
        case("form-2", "There is no form 2.", head + b"\x02\x01" + tail, "MALFORMED")
        case("list-unknown", "The list names an index without a member.", head + b"\x01\x01\x04" + tail, "UNKNOWN_SIGNER")
        case("list-too-long", "The list is longer than the committee.", head + b"\x01\x05" + tail, "TOO_LARGE")

    def context(self):
        good = self.encode({0: 1, 1: 3})
        for suite in (0, 1, 2, 3, 9 - self.suite, 255):
            data = u8(suite) + good[1:]
            self.case(
                f"suite-{suite}",
                "The suite byte of another scheme, or an unknown one.",
                data,
                "WRONG_CONTEXT",
                operation="aggregate.decode",
            )
        self.case("other-epoch", "The epoch changed.", flip(good, 2), "WRONG_CONTEXT", operation="aggregate.decode")
        self.case("next-epoch", "Verified with the next epoch's committee.", good, "WRONG_CONTEXT", "four-next-epoch")
        self.case("other-chain", "Verified with another chain's committee.", good, "BAD_SIGNATURE", "four-other-chain")
        self.case("larger-committee", "Verified with a committee with one more member.", good, "BAD_SIGNATURE", "five")

    def signature(self):
        good, group, total = self.encode({0: 1, 1: 3}), self.scheme.sigs, self.total({0: 1, 1: 3})
        for label, position in (("kind", 1), ("view", 10), ("digest", 49)):
            self.case(f"other-{label}", f"The {label} changed.", flip(good, position), "BAD_SIGNATURE")
        self.case("other-signers", "Another member is listed as a signer.", flip(good, HEAD + 1, 6), "BAD_SIGNATURE")

        def case(label, description, point, expect="BAD_SIGNATURE"):
            self.case(label, description, good[: -self.scheme.sig_len] + self.point(point), expect)

        case("infinity", "Infinity as signature.", None, "INFINITY")
        case("negated", "The signature negated.", group.neg(total))
        case("small-order-added", "Plus a point of small order.", group.add(total, small_order(group)), "NOT_IN_SUBGROUP")
        case("one-more", "A signature is added once more.", group.add(total, self.signatures[0]))
        case("another", "The signature of a member without a count is added.", group.add(total, self.signatures[3]))
        x = group.mul(group.generator, 99)
        case("shifted", "Plus an arbitrary point.", group.add(total, x))
        keys = f"{self.name}/cancelling-keys"
        c = committee(self.b.committees[keys])
        message = STATEMENT.signed_bytes(c.id)
        secrets = [int(m["secret"], 16) for m in self.b.committees[keys]["members"]]
        signed = {i: self.scheme.sign(secrets[i], message) for i in range(4)}
        for label, counts, expect in (
            ("once", {0: 1, 1: 1, 2: 1}, "INFINITY"),
            ("thrice", {0: 3, 1: 3, 2: 3}, "INFINITY"),
            ("weighed", {0: 2, 1: 1, 2: 1}, "ok"),
            ("beside", {0: 1, 1: 1, 2: 1, 3: 1}, "ok"),
        ):
            point = self.total(counts, signed) or self.signatures[0]
            data = Aggregate(self.scheme, STATEMENT, counts, point).encode(c)
            self.case(f"cancelling-keys-{label}", "Colluding members whose keys cancel.", data, expect, "cancelling-keys")
        parts = [
            Aggregate(self.scheme, STATEMENT, counts, self.total(counts, signed)).encode(c).hex()
            for counts in ({0: 1, 2: 1}, {1: 1})
        ]
        self.b.add(
            f"{self.name}/merge-cancelling",
            "The sum of two aggregates that cancel is infinity.",
            "aggregate.merge",
            "INFINITY",
            committee=keys,
            aggregates=parts,
            limit=255,
        )

    def merge(self, label, description, parts, expect="ok", limit=255):
        return self.b.add(
            f"{self.name}/merge-{label}",
            description,
            "aggregate.merge",
            expect,
            committee=f"{self.name}/four",
            aggregates=[part.hex() for part in parts],
            limit=limit,
        )

    def merging(self):
        a, b, c = self.encode({0: 1, 1: 1}), self.encode({2: 3}), self.encode({1: 2, 2: 1, 3: 1})
        disjoint = self.merge("disjoint", "Disjoint signers.", [a, b])
        assert bytes.fromhex(disjoint["aggregate"]) == self.encode({0: 1, 1: 1, 2: 3})
        expected = self.encode({0: 1, 1: 3, 2: 4, 3: 1}).hex()
        for label, parts in (("abc", [a, b, c]), ("cba", [c, b, a]), ("bca", [b, c, a])):
            assert self.merge(label, "In any order.", parts)["aggregate"] == expected
        self.merge("itself", "With itself: equal signers, doubled counts.", [c, c])
        self.merge("at-limit", "A count at the limit.", [self.encode({0: 200}), self.encode({0: 55, 1: 1})])
        self.merge("above-limit", "A count above the limit.", [self.encode({0: 200}), self.encode({0: 56, 1: 1})], "TOO_LARGE")
        self.merge("above-low-limit", "A count above a lower limit.", [a, self.encode({1: 1})], "TOO_LARGE", 1)
        self.merge("at-highest", "The maximum count.", [self.encode({0: MAX - 1}), a], limit=MAX)
        self.merge("above-highest", "Above the maximum count.", [self.encode({0: MAX}), a], "TOO_LARGE", MAX)
        self.merge("far-above-highest", "Far above the maximum count.", [self.encode({0: MAX}), self.encode({0: MAX})], "TOO_LARGE", MAX)
        self.merge("other-statement", "For another statement.", [a, self.encode({2: 1}, OTHER)], "WRONG_CONTEXT")
        self.merge("bad-part", "An invalid part.", [a, flip(b, 49)], "BAD_SIGNATURE")

    def normalising(self):
        def case(label, description, counts, parts, left):
            made = self.b.add(
                f"{self.name}/normalise-{label}",
                description,
                "aggregate.normalise",
                committee=f"{self.name}/four",
                aggregate=self.encode(counts).hex(),
                parts=[part.hex() for part in parts],
            )
            assert bytes.fromhex(made["aggregate"]) == self.encode(left), label

        single = {i: self.encode({i: 1}) for i in range(4)}
        case("one", "A single signature is subtracted until its count is 1.", {0: 9, 1: 2}, [single[0]], {0: 1, 1: 2})
        case("all", "All single signatures are subtracted.", {0: 9, 1: 2, 3: 5}, [single[i] for i in (0, 1, 3)], {0: 1, 1: 1, 3: 1})
        case("pair", "A pair is subtracted as often as both counts stay positive.", {0: 9, 1: 4}, [self.encode({0: 1, 1: 1})], {0: 6, 1: 1})
        case("heavy", "A part that counts one signer twice.", {0: 8, 1: 5}, [self.encode({0: 2, 1: 1})], {0: 2, 1: 2})
        case("too-heavy", "A part with too high a count is not subtracted.", {0: 2, 1: 5}, [self.encode({0: 2, 1: 1})], {0: 2, 1: 5})
        case("non-member", "Parts of a member that did not sign.", {0: 2}, [single[1], self.encode({0: 1, 1: 1})], {0: 2})
        case("other-statement", "For another statement.", {0: 2}, [self.encode({0: 1}, OTHER)], {0: 2})
        case("nothing", "Nothing to subtract.", {0: 1, 1: 1}, [single[0]], {0: 1, 1: 1})
        case("no-parts", "No parts.", {0: 2, 1: 1}, [], {0: 2, 1: 1})
        pair, heavy = self.encode({0: 1, 1: 1}), self.encode({0: 3})
        case("order-a", "In the order given.", {0: 5, 1: 3}, [pair, heavy], {0: 3, 1: 1})
        case("order-b", "In the order given.", {0: 5, 1: 3}, [heavy, pair], {0: 1, 1: 2})

    def certificates(self):
        def certify(label, data, committee="four"):
            return self.case(label, "Its certificate, if the signers are a quorum.", data, "ok", committee, "aggregate.certificate")

        for label, counts in {
            "below": {0: 3, 1: 200},
            "three": {0: 1, 1: 1, 3: 1},
            "counted": {0: 4, 2: 1, 3: 2},
            "all": dict.fromkeys(range(4), 5),
        }.items():
            made = certify(f"certificate-{label}", self.encode(counts))["certificate"]
            assert (made is not None) == (len(counts) > 2)
            if made:
                self.certificate(f"certified-{label}", "Valid.", bytes.fromhex(made))
        weighted = committee(self.b.committees[f"{self.name}/weighted"])
        message = STATEMENT.signed_bytes(weighted.id)
        signatures = {i: self.scheme.sign(key_pair(self.suite, i)[1], message) for i in range(4)}
        for counts, enough in (({0: 1, 1: 1}, True), ({0: 2, 2: 1}, False), ({1: 9, 2: 9, 3: 9}, False)):
            total = self.total(counts, signatures)
            data = Aggregate(self.scheme, STATEMENT, counts, total).encode(weighted)
            label = f"certificate-weighted-{''.join(map(str, counts))}"
            assert (certify(label, data, "weighted")["certificate"] is not None) == enough
        votes = [Vote(self.scheme, STATEMENT, i, self.signatures[i]).encode().hex() for i in (0, 1, 2)]
        self.b.add(
            f"{self.name}/collect",
            "Votes are collected to a certificate in which each counts once.",
            "certificate.collect",
            committee=f"{self.name}/four",
            votes=votes,
        )
        absent, total = codec.encode({3}, 4), self.point(self.total({0: 1, 1: 2, 2: 1}))
        head = u8(self.suite) + STATEMENT.encode() + absent
        decode = "certificate.decode"
        codes = block.encode([1, 2, 1])
        self.certificate("certified-inflated", "A count above that of the sum.", head + block.encode([1, 3, 1]) + total, "BAD_SIGNATURE")
        self.certificate("certified-ones", "The counts are left out.", head + b"\0" + total, "BAD_SIGNATURE")
        self.certificate("certified-no-counts", "The block is left out.", head + total, "MALFORMED", decode)
        self.certificate("certified-form-2", "An unknown form.", head + b"\x02" + codes[1:] + total, "MALFORMED", decode)
        ones = self.point(self.total({0: 1, 1: 1, 2: 1}))
        self.certificate("certified-codes", "Counts of 1, written as codes.", head + b"\x01\xe0" + ones, "NON_CANONICAL", decode)
        below = u8(self.suite) + STATEMENT.encode() + codec.encode({2, 3}, 4) + codes + total
        self.certificate("certified-below", "Too few signers.", below, "BELOW_QUORUM", decode)
        plain = u8(self.suite - 3) + STATEMENT.encode() + absent + ones
        self.certificate("certified-plain", "A certificate without counts.", plain, "WRONG_CONTEXT", decode)
        detached = absent + codes + total
        for label, data, expect in (("good", detached, "ok"), ("extended", detached + b"\0", "MALFORMED")):
            self.b.add(
                f"{self.name}/detached-{label}",
                "Detached, with a known statement.",
                "certificate.verify_detached",
                expect,
                committee=f"{self.name}/four",
                statement=statement_json(STATEMENT),
                detached=data.hex(),
            )

    def certificate(self, label, description, data, expect="ok", operation="certificate.verify"):
        self.b.add(
            f"{self.name}/{label}", description, operation, expect, committee=f"{self.name}/four", certificate=data.hex()
        )

    def timeouts(self):
        """Adds cases of timeout certificates, which have the same proof with counts of 1."""
        votes = [TimeoutVote.sign(key_pair(self.suite, i)[1], self.c, i, 2, 42, value) for i, value in ((0, 5), (1, 7), (3, 5))]
        made = self.b.add(
            f"{self.name}/timeout-collect",
            "Timeout votes are collected to a certificate.",
            "timeout_certificate.collect",
            committee=f"{self.name}/four",
            votes=[vote.encode().hex() for vote in votes],
        )
        data = bytes.fromhex(made["certificate"])
        length = self.scheme.sig_len
        codes, point = block.encode([1, 2, 1]), self.scheme.decode_signature(data[-length:])
        counted = self.scheme.sigs.add(point, votes[1].vote.signature)
        for label, description, changed, expect in (
            ("good", "Valid.", data, "ok"),
            ("counted", "One vote counts twice.", data[: -length - 1] + codes + self.point(counted), "ok"),
            ("inflated", "A count above that of the sum.", data[: -length - 1] + codes + data[-length:], "BAD_SIGNATURE"),
        ):
            self.b.add(
                f"{self.name}/timeout-{label}",
                description,
                "timeout_certificate.verify",
                expect,
                committee=f"{self.name}/four",
                certificate=changed.hex(),
            )


def forms(b, suite, n):
    """Adds cases of both forms of the signers, followed by counts."""
    name = f"{NAMES[suite]}/{n}"
    b.committee(name, suite, CHAIN, EPOCH, members(suite, n))
    c = committee(b.committees[name])
    message, group = STATEMENT.signed_bytes(c.id), c.scheme.sigs
    for label, counts in {
        "first": {0: 1},
        "last": {n - 1: 17},
        "few": {i: i + 1 for i in (1, n // 2, n - 2)},
        "thirds": {i: i % 5 + 1 for i in range(0, n, 3)},
        "all-once": dict.fromkeys(range(n), 1),
        "all": {i: i * i % 16 + 1 for i in range(n)},
        "one-absent": {i: 2 for i in range(n) if i != 3},
    }.items():
        total = group.sum(group.mul(c.scheme.sign(key_pair(suite, i)[1], message), count) for i, count in counts.items())
        data = Aggregate(c.scheme, STATEMENT, counts, total).encode(c)
        b.add(
            f"{name}/{label}",
            f"{len(data)} bytes, form {data[HEAD]}.",
            "aggregate.verify",
            committee=name,
            aggregate=data.hex(),
        )
        made = {"aggregate": data.hex(), "committee": name}
        b.add(f"{name}/{label}-certificate", "Its certificate, if the signers are a quorum.", "aggregate.certificate", **made)
        other = b"\0" + codec.bitmap(counts, n) if data[HEAD] else b"\x01" + codec.gap_list(counts)
        tail = data[HEAD + len(codec.encode(set(counts), n)) :]
        b.add(
            f"{name}/{label}-other-form",
            "The same signers in the other, non-canonical form.",
            "aggregate.decode",
            "NON_CANONICAL",
            committee=name,
            aggregate=(data[:HEAD] + other + tail).hex(),
        )


def thousand(b):
    """Adds cases of a thousand members with one key, so that a sum of counts is one multiplication."""
    suite, n = 4, 1000
    b.committee("thousand", suite, CHAIN, EPOCH, [dict(member(suite, 0), times=n)], repeats=True)
    c = committee(b.committees["thousand"])
    one = c.scheme.sign(key_pair(suite, 0)[1], STATEMENT.signed_bytes(c.id))
    for label, counts in {
        "once": dict.fromkeys(range(n), 1),
        "mean-three": {i: i * 7 % 5 + 1 for i in range(n)},
        "to-sixteen": {i: i * 37 % 16 + 1 for i in range(n) if i % 3},
        "to-limit": {i: i % 255 + 1 for i in range(n)},
        "highest": dict.fromkeys(range(n), MAX),
        "few": {i: 3 for i in range(0, n, 90)},
        "one-twice": {i: 1 + (i == 777) for i in range(n)},
    }.items():
        total = c.scheme.sigs.mul(one, sum(counts.values()))
        data = Aggregate(c.scheme, STATEMENT, counts, total).encode(c)
        b.add(
            f"thousand/{label}",
            f"{len(data)} bytes.",
            "aggregate.verify",
            committee="thousand",
            aggregate=data.hex(),
        )
