"""timeout.json: timeout votes and timeout certificates."""

from .. import signers as codec
from ..book import Book
from ..committee import SCHEMES
from ..operations import committee
from ..timeout import TimeoutCertificate, TimeoutVote
from ..wire import u8, u16, u64
from .common import BLS_SUITES, CHAIN, NAMES, OTHER_CHAIN, SUITES, cancelling_members, flip, key_pair, members, secret, small_order

EPOCH, KIND, VIEW = 7, 2, 42
COUNT_AT = 18  # after suite, kind, epoch, view


def book():
    b = Book("timeout", "Timeout votes, and certificates that aggregate votes on different values.")
    for suite in SUITES:
        name = NAMES[suite]
        b.committee(f"{name}/four", suite, CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/four-next-epoch", suite, CHAIN, EPOCH + 1, members(suite, 4))
        b.committee(f"{name}/four-other-chain", suite, OTHER_CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/forty", suite, CHAIN, EPOCH, members(suite, 40))
        votes(b, suite)
        Certificates(b, suite).add()
        if suite in BLS_SUITES:
            Cancelling(b, suite).add()
    return b


def votes(b, suite):
    name = NAMES[suite]
    c = committee(b.committees[f"{name}/four"])
    for i, value in ((0, 0), (1, 41), (2, 2**64 - 1)):
        made = b.add(
            f"{name}/sign-{i}",
            f"Member {i} votes with value {value}.",
            "timeout_vote.sign",
            committee=f"{name}/four",
            secret=secret(suite, i).hex(),
            kind=KIND,
            view=str(VIEW),
            value=str(value),
        )
        for form in ("vote", "link"):
            b.add(
                f"{name}/{form}-{i}",
                "Valid.",
                "timeout_vote.verify",
                committee=f"{name}/four",
                **{form: made[form]},
            )
    vote = TimeoutVote.sign(key_pair(suite, 0)[1], c, 0, KIND, VIEW, 41)
    data = vote.encode()

    def case(label, description, expect, data=data, committee="four", form="vote"):
        b.add(
            f"{name}/{form}-{label}",
            description,
            "timeout_vote.verify",
            expect,
            committee=f"{name}/{committee}",
            **{form: data.hex()},
        )

    case("other-value", "The value changed.", "BAD_SIGNATURE", flip(data, COUNT_AT))
    case("other-view", "The view changed.", "BAD_SIGNATURE", flip(data, 10))
    case("other-kind", "The kind changed.", "BAD_SIGNATURE", flip(data, 1))
    case("other-suite", "The suite byte changed.", "WRONG_CONTEXT", flip(data, 0, 4))
    case("non-member", "The committee has no member 4.", "UNKNOWN_SIGNER", data[:26] + u16(4) + data[28:])
    case("other-signer", "Another member's signature.", "BAD_SIGNATURE", data[:26] + u16(1) + data[28:])
    case("next-epoch", "Verified with the next epoch's committee.", "WRONG_CONTEXT", committee="four-next-epoch")
    case("other-chain", "Verified with another chain's committee.", "BAD_SIGNATURE", committee="four-other-chain")
    for form, whole in (("vote", data), ("link", vote.encode_link())):
        case("truncated", "Truncated.", "MALFORMED", whole[:-1], form=form)
        case("extended", "A trailing byte.", "MALFORMED", whole + b"\0", form=form)


class Certificates:
    def __init__(self, b, suite):
        self.b, self.suite, self.name, self.scheme = b, suite, NAMES[suite], SCHEMES[suite]
        self.c = committee(b.committees[f"{self.name}/four"])

    def vote(self, i, value, c=None):
        return TimeoutVote.sign(key_pair(self.suite, i)[1], c or self.c, i, KIND, VIEW, value)

    def held(self, values, c=None):
        """Returns votes by member, from values by member."""
        return {i: (value, self.vote(i, value, c).vote.signature) for i, value in values.items()}

    def encoded(self, values, c=None):
        return TimeoutCertificate.encode_parts(c or self.c, KIND, VIEW, self.held(values, c))

    def case(self, label, description, data, expect="ok", committee="four", operation="timeout_certificate.verify"):
        self.b.add(
            f"{self.name}/{label}",
            description,
            operation,
            expect,
            committee=f"{self.name}/{committee}",
            certificate=data.hex(),
        )

    def add(self):
        for label, values in {
            "one-group": {0: 41, 1: 41, 3: 41},
            "two-groups": {0: 41, 1: 40, 2: 41},
            "three-groups": {1: 41, 2: 0, 3: 2**64 - 1},
        }.items():
            listed = [self.vote(i, value).encode().hex() for i, value in values.items()]
            made = self.b.add(
                f"{self.name}/collect-{label}",
                "Votes are collected to a certificate.",
                "timeout_certificate.collect",
                committee=f"{self.name}/four",
                votes=listed,
            )
            self.case(label, "Valid.", bytes.fromhex(made["certificate"]))
        self.case("all-four", "Four members, three values.", self.encoded({0: 3, 1: 2, 2: 3, 3: 1}))
        self.forty()
        self.structure()
        self.context()

    def forty(self):
        c = committee(self.b.committees[f"{self.name}/forty"])
        values = {i: 100 + (i % 7 == 0) + (i == 11) for i in range(27)}
        self.case("forty", "Groups in both forms.", self.encoded(values, c), committee="forty")
        del values[26]
        self.case(
            "forty-below-quorum",
            "Votes of 26 of 40 members.",
            self.encoded(values, c),
            "BELOW_QUORUM",
            "forty",
            "timeout_certificate.decode",
        )

    def parts(self, groups, held, count=None):
        head = u8(self.suite) + u8(KIND) + u64(EPOCH) + u64(VIEW) + u16(len(groups) if count is None else count)
        body = b"".join(u64(value) + codec.encode(set(signers), 4) for value, signers in groups)
        return head + body + self.scheme.encode_proof({i: signature for i, (_, signature) in held.items()})

    def structure(self):
        held = self.held({0: 41, 1: 40, 2: 41})
        good = self.parts([(40, [1]), (41, [0, 2])], held)
        assert good == self.encoded({0: 41, 1: 40, 2: 41})

        def case(label, description, data, expect):
            self.case(label, description, data, expect, operation="timeout_certificate.decode")

        for cut in (0, COUNT_AT, COUNT_AT + 2, COUNT_AT + 11, len(good) - 1):
            case(f"truncated-{cut}", "Truncated.", good[:cut], "MALFORMED")
        case("extended", "A trailing byte.", good + b"\0", "MALFORMED")
        case("descending", "Values descend.", self.parts([(41, [0, 2]), (40, [1])], held), "NON_CANONICAL")
        case("split-group", "One value in two groups.", self.parts([(41, [0]), (41, [1, 2])], held), "NON_CANONICAL")
        case(
            "empty-group", "A group without members.", self.parts([(39, []), (40, [1]), (41, [0, 2])], held), "NON_CANONICAL"
        )
        case(
            "member-twice",
            "A member in two groups.",
            self.parts([(40, [1, 2]), (41, [0, 2])], held),
            "DUPLICATE_SIGNER",
        )
        case(
            "more-groups-than-members",
            "Five groups of four members.",
            self.parts([(40, [1]), (41, [0, 2])], held, 5),
            "TOO_LARGE",
        )
        case("65535-groups", "The maximum number of groups.", self.parts([], held, 65_535), "TOO_LARGE")
        case("no-groups", "No groups.", self.parts([], held), "BELOW_QUORUM")
        case("below-quorum", "Two of four.", self.encoded({0: 41, 1: 40}), "BELOW_QUORUM")
        listed = good[: COUNT_AT + 10] + b"\x01\x01\x01" + good[COUNT_AT + 12 :]
        case("other-form", "A group in the other, non-canonical form.", listed, "NON_CANONICAL")
        padded = good[: COUNT_AT + 11] + b"\x12" + good[COUNT_AT + 12 :]
        case("padding", "A padding bit is set.", padded, "NON_CANONICAL")

    def context(self):
        held = self.held({0: 41, 1: 40, 2: 41})
        good = self.encoded({0: 41, 1: 40, 2: 41})
        self.case("other-suite", "The suite byte changed.", flip(good, 0, 4), "WRONG_CONTEXT")
        self.case("other-epoch", "The epoch changed.", flip(good, 2), "WRONG_CONTEXT")
        self.case("next-epoch", "Verified with the next epoch's committee.", good, "WRONG_CONTEXT", "four-next-epoch")
        self.case("other-chain", "Verified with another chain's committee.", good, "BAD_SIGNATURE", "four-other-chain")
        self.case("other-view", "The view changed.", flip(good, 10), "BAD_SIGNATURE")
        self.case("other-kind", "The kind changed.", flip(good, 1), "BAD_SIGNATURE")
        self.case("value-raised", "A value was raised.", self.parts([(40, [1]), (43, [0, 2])], held), "BAD_SIGNATURE")
        self.case(
            "value-swapped",
            "The values of two members are swapped.",
            self.parts([(40, [0]), (41, [1, 2])], held),
            "BAD_SIGNATURE",
        )
        self.case(
            "joined", "All members are listed with the same value.", self.parts([(41, [0, 1, 2])], held), "BAD_SIGNATURE"
        )
        if self.suite == 3:
            return
        group = self.scheme.sigs
        total = group.sum(signature for _, signature in held.values())
        at = len(good) - self.scheme.sig_len
        self.case("infinity", "Infinity as signature.", good[:at] + group.encode(None), "INFINITY")
        self.case(
            "small-order-added",
            "Plus a point of small order.",
            good[:at] + group.encode(group.add(total, small_order(group))),
            "NOT_IN_SUBGROUP",
        )


class Cancelling:
    """The keys of members 0, 2, 4 sum to infinity, as do those of 1, 3, 5; member 6 is honest."""

    FIRST, SECOND, HONEST = (0, 2, 4), (1, 3, 5), 6

    def __init__(self, b, suite):
        self.b, self.name, self.scheme = b, f"{NAMES[suite]}/cancelling", SCHEMES[suite]
        listed = cancelling_members(suite, [4, 1, 4, 1, 4, 1, 1], [self.FIRST, self.SECOND])
        self.secrets = [self.scheme.secret(bytes.fromhex(m["secret"])) for m in listed]
        b.committee(self.name, suite, CHAIN, EPOCH, listed)
        self.c = committee(b.committees[self.name])

    def vote(self, i, value):
        return TimeoutVote.sign(self.secrets[i], self.c, i, KIND, VIEW, value)

    def encoded(self, named, signed=None):
        """Encodes a certificate with the values `named`, and with signatures of the values `signed`, by default the same."""
        signatures = {i: self.vote(i, value).vote.signature for i, value in (signed or named).items()}
        total = self.scheme.sigs.sum(signatures.values())
        held = {i: (value, None) for i, value in named.items()}
        held[min(named)] = (named[min(named)], total)
        return TimeoutCertificate.encode_parts(self.c, KIND, VIEW, held)

    def case(self, label, description, data, expect="ok"):
        self.b.add(
            f"{self.name}-{label}",
            description,
            "timeout_certificate.verify",
            expect,
            committee=self.name,
            certificate=data.hex(),
        )

    def add(self):
        first, second = dict.fromkeys(self.FIRST, 41), dict.fromkeys(self.SECOND, 42)
        honest = {self.HONEST: 40}
        made = self.b.add(
            f"{self.name}-collect",
            "Each vote is valid, but three of the signatures cancel in the sum.",
            "timeout_certificate.collect",
            committee=self.name,
            votes=[self.vote(i, value).encode().hex() for i, value in {**honest, **first}.items()],
        )
        one = self.encoded({**first, **honest})
        assert one.hex() == made["certificate"]
        self.case("beside", "A group whose keys cancel, and another group: its factor is 1.", one)
        self.case("two-beside", "Two such groups and another one.", self.encoded({**first, **second, **honest}))
        raised = {**dict.fromkeys(self.FIRST, 43), **honest}
        self.case("any-value", "The signature does not bind the value of such a group.", self.encoded(raised, honest))
        lowered = {**first, self.HONEST: 39}
        signed = {**first, **honest}
        self.case("honest-value", "The other group's value changed.", self.encoded(lowered, signed), "BAD_SIGNATURE")
        part = {0: 41, 2: 41, 4: 42, **honest}
        self.case("apart", "The three members in two groups, neither of which cancels.", self.encoded(part))
        self.case("joined", "The three members are listed with one value.", self.encoded(signed, part), "BAD_SIGNATURE")
        alone = "Only groups that cancel: the sum of the keys is infinity."
        forged = {0: 41}
        self.case("alone", "One group, which cancels: the sum of the keys is infinity.", self.encoded(first, forged), "INFINITY")
        self.case("two-alone", alone, self.encoded({**first, **second}, forged), "INFINITY")
        whole = dict.fromkeys(self.FIRST + self.SECOND, 41)
        self.case("all-alone", "Both triples in one group.", self.encoded(whole, forged), "INFINITY")
        self.case("infinity", "The sum of their signatures is infinity.", self.encoded(first), "INFINITY")
