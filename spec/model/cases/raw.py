"""Messages of other chains in committee.json: one message under each ciphersuite, and a message per member."""

from ..committee import SCHEMES
from .ciphersuites import CIPHERSUITES, MESSAGE, OTHERS, verify_with
from .common import BLS_SUITES, CHAIN, NAMES, SUITES, cancelling_members, key_pair

EPOCH = 7
OTHER_MESSAGE = b"block 18"


def cases(b):
    for suite in SUITES:
        raw = Raw(b, suite)
        raw.members()
        if suite in BLS_SUITES:
            b.committee(f"{raw.name}/cancelling", suite, CHAIN, EPOCH, cancelling_members(suite, [1] * 4, [(0, 1, 2)]))
            raw.one_message()
            raw.each_under_ciphersuites()
            raw.cancelling_keys()
        else:
            raw.ed25519()


class Raw:
    """A committee of four and the signatures of its members."""

    def __init__(self, b, suite):
        self.b, self.suite, self.name, self.scheme = b, suite, NAMES[suite], SCHEMES[suite]

    def sign(self, member, message, ciphersuite=None, committee="four"):
        listed = self.b.committees[f"{self.name}/{committee}"]["members"]
        secret = self.scheme.secret(bytes.fromhex(listed[member]["secret"]))
        if ciphersuite is None:
            return self.scheme.sign(secret, message)
        return self.scheme.sign_with(ciphersuite, secret, message)

    def proof(self, signed, ciphersuite=None, committee="four"):
        """The proof of a list of (member, message)."""
        return self.scheme.encode_proof({i: self.sign(i, m, ciphersuite, committee) for i, m in signed})

    def add(self, operation, label, description, expect, committee, ciphersuite, **inputs):
        if ciphersuite is not None:
            data = ciphersuite if isinstance(ciphersuite, bytes) else ciphersuite.encode()
            inputs = {"ciphersuite": data.hex(), **inputs}
        self.b.add(f"{self.name}/{label}", description, operation, expect, committee=f"{self.name}/{committee}", **inputs)

    def same(self, label, description, indices, proof, expect="ok", message=MESSAGE, committee="four", ciphersuite=None):
        self.add(
            "committee.verify_raw",
            f"raw-{label}",
            description,
            expect,
            committee,
            ciphersuite,
            message=message.hex(),
            indices=indices,
            proof=proof.hex(),
        )

    def each(self, label, description, signed, proof, expect="ok", committee="four", ciphersuite=None):
        self.add(
            "committee.verify_raw_each",
            f"each-{label}",
            description,
            expect,
            committee,
            ciphersuite,
            signed=[{"member": i, "message": message.hex()} for i, message in signed],
            proof=proof.hex(),
        )

    # --- a message per member -----------------------------------------------------------------------------------

    def members(self):
        """Adds cases of the suite's default signatures."""
        signed = [(0, b"vote 0"), (2, b"vote 2"), (3, b"vote 3")]
        good = self.proof(signed)
        self.each("three", "Three of four, each with its own message.", signed, good)
        self.each("one", "One of four.", signed[1:2], self.proof(signed[1:2]))
        all_four = [(i, bytes([i])) for i in range(4)]
        self.each("all", "All four.", all_four, self.proof(all_four))
        equal = [(0, MESSAGE), (1, b""), (3, MESSAGE)]
        self.each("equal-messages", "Two equal messages and an empty one.", equal, self.proof(equal))
        repeated = [(0, b"vote 0"), (2, b"vote 2"), (3, b"vote 3")]
        data = self.proof(repeated, committee="duplicate-allowed")
        self.each("repeated-key", "Members 0 and 3 have the same key.", repeated, data, committee="duplicate-allowed")
        swapped = [signed[0], (2, b"vote 3"), (3, b"vote 2")]
        self.each("swapped-messages", "Two messages are swapped.", swapped, good, "BAD_SIGNATURE")
        self.each("other-message", "Another message.", [*signed[:2], (3, b"vote 4")], good, "BAD_SIGNATURE")
        others = [(0, b"vote 0"), (1, b"vote 2"), (3, b"vote 3")]
        self.each("other-members", "The proof of other members.", others, good, "BAD_SIGNATURE")
        self.each("no-members", "No members.", [], b"" if self.suite == 3 else good, "BELOW_QUORUM")

        def refused(label, description, members, expect):
            self.each(label, description, [(i, b"m") for i in members], good, expect)

        refused("unordered", "Members are not in ascending order.", [0, 3, 2], "DUPLICATE_SIGNER")
        refused("repeated", "A member is listed twice.", [0, 2, 2], "DUPLICATE_SIGNER")
        refused("unknown", "A member that the committee does not have.", [0, 2, 4], "UNKNOWN_SIGNER")
        refused("unknown-unordered", "The order is checked first, then each member.", [0, 4, 2], "DUPLICATE_SIGNER")
        refused("unknown-repeated", "An unknown member is listed twice.", [0, 4, 4], "UNKNOWN_SIGNER")
        self.each("proof-extended", "A trailing byte.", signed, good + b"\0", "MALFORMED")

    def each_under_ciphersuites(self):
        signed = [(0, b"vote 0"), (2, b"vote 2"), (3, b"vote 2")]
        for label, ciphersuite in CIPHERSUITES.items():
            proof, other = self.proof(signed, ciphersuite), CIPHERSUITES[OTHERS[label]]
            self.each(label, "Valid.", signed, proof, ciphersuite=ciphersuite)
            name, description = f"{label}-as-{OTHERS[label]}", "Verified under another ciphersuite."
            self.each(name, description, signed, proof, "BAD_SIGNATURE", ciphersuite=other)
        augmentation, basic = CIPHERSUITES["augmentation"], CIPHERSUITES["basic"]
        proof = self.proof(signed, augmentation)
        swapped = [(0, b"vote 2"), (2, b"vote 0"), (3, b"vote 2")]
        description = "Two messages are swapped."
        self.each("augmentation-swapped", description, swapped, proof, "BAD_SIGNATURE", ciphersuite=augmentation)
        infinity = self.scheme.encode_signature(None)
        self.each("infinity", "Infinity as proof.", signed, infinity, "INFINITY", ciphersuite=basic)
        self.each("unknown-ciphersuite", "An unknown ciphersuite.", signed, proof, "MALFORMED", ciphersuite=b"\x04")

    # --- one message --------------------------------------------------------------------------------------------

    def one_message(self):
        three = [(i, MESSAGE) for i in (0, 2, 3)]
        for label, ciphersuite in CIPHERSUITES.items():
            proof, other = self.proof(three, ciphersuite), CIPHERSUITES[OTHERS[label]]
            self.same(label, "Three of four.", [0, 2, 3], proof, ciphersuite=ciphersuite)
            name, description = f"{label}-as-{OTHERS[label]}", "Verified under another ciphersuite."
            self.same(name, description, [0, 2, 3], proof, "BAD_SIGNATURE", ciphersuite=other)
        default = CIPHERSUITES["possession"]
        assert self.proof(three, default) == self.proof(three)
        for label in ("basic", "augmentation"):
            ciphersuite = CIPHERSUITES[label]
            proof, all_four = self.proof(three, ciphersuite), [(i, MESSAGE) for i in range(4)]

            def case(name, description, indices, data, expect, message=MESSAGE, label=label, ciphersuite=ciphersuite):
                self.same(f"{label}-{name}", description, indices, data, expect, message, ciphersuite=ciphersuite)

            case("all", "All four.", [0, 1, 2, 3], self.proof(all_four, ciphersuite), "ok")
            case("one", "One of four.", [1], self.proof([(1, MESSAGE)], ciphersuite), "ok")
            case("other-message", "Another message.", [0, 2, 3], proof, "BAD_SIGNATURE", OTHER_MESSAGE)
            case("other-set", "Another set of the same size.", [0, 1, 3], proof, "BAD_SIGNATURE")
            case("one-missing", "A missing signer.", [0, 2], proof, "BAD_SIGNATURE")
            case("no-signers", "No signers.", [], proof, "BELOW_QUORUM")
            name, repeats = f"{label}-repeated-key", "duplicate-allowed"
            data = self.proof(all_four, ciphersuite, repeats)
            description = "All four, two of them with the same key."
            self.same(name, description, [0, 1, 2, 3], data, committee=repeats, ciphersuite=ciphersuite)
        data = self.proof(three)
        self.same("unknown-ciphersuite", "An unknown ciphersuite.", [0, 2, 3], data, "MALFORMED", ciphersuite=b"\x04")
        self.same("ciphersuite-extended", "A trailing byte.", [0, 2, 3], data, "MALFORMED", ciphersuite=b"\x02\0")

    def cancelling_keys(self):
        """The keys of members 0, 1 and 2 sum to infinity."""
        three = [(i, MESSAGE) for i in range(3)]
        basic, augmentation = CIPHERSUITES["basic"], CIPHERSUITES["augmentation"]
        proof = self.proof(three, augmentation, "cancelling")
        description = "The signers' keys sum to infinity, but each signs other bytes."
        self.same("cancelling-keys", description, [0, 1, 2], proof, committee="cancelling", ciphersuite=augmentation)
        description = "The signers' keys sum to infinity, and all sign the same bytes."
        self.same(
            "cancelling-keys-basic",
            description,
            [0, 1, 2],
            proof,
            "INFINITY",
            committee="cancelling",
            ciphersuite=basic,
        )
        own = [(i, bytes([i])) for i in range(3)]
        proof = self.proof(own, committee="cancelling")
        description = "The members' keys sum to infinity, but each has its own message."
        self.each("cancelling-keys", description, own, proof, committee="cancelling")

    # --- Ed25519 ------------------------------------------------------------------------------------------------

    def ed25519(self):
        three, signed = [(i, MESSAGE) for i in (0, 2, 3)], [(0, b"vote 0"), (2, b"vote 2"), (3, b"vote 3")]
        for label, ciphersuite in CIPHERSUITES.items():
            expect = "ok" if label == "possession" else "WRONG_CONTEXT"
            description = "Suite 3 accepts only the default ciphersuite."
            self.same(label, description, [0, 2, 3], self.proof(three), expect, ciphersuite=ciphersuite)
            self.each(label, description, signed, self.proof(signed), expect, ciphersuite=ciphersuite)
        good = self.proof(signed)
        self.each("missing-signature", "A missing signature.", signed, good[:-64], "MALFORMED")
        self.each("additional-signature", "An additional signature.", signed, good + good[-64:], "MALFORMED")
        swapped = good[64:128] + good[:64] + good[128:]
        self.each("swapped-signatures", "Signatures not in the order of the members.", signed, swapped, "BAD_SIGNATURE")
        bad = self.proof([(0, b"vote 0"), (2, b"other"), (3, b"other")])
        self.each("two-bad", "The signatures of members 2 and 3 are bad.", signed, bad, "BAD_SIGNATURE")


def counted(b, suite):
    """Adds cases of a suite whose proofs carry counts, to aggregate.json."""
    raw = Raw(b, suite)
    group, messages = raw.scheme.sigs, [b"vote 0", b"vote 2", b"vote 3"]
    signed = list(zip((0, 2, 3), messages))
    counts = {0: 2, 2: 1, 3: 5}

    def proof(signed, counts):
        total = group.sum(group.mul(raw.sign(i, message), counts[i]) for i, message in signed)
        return raw.scheme.encode_counted(counts, total)

    good, same = proof(signed, counts), proof([(i, MESSAGE) for i in counts], counts)
    raw.same("counted", "Three of four, with counts.", [0, 2, 3], same)
    raw.each("counted", "Three of four, each with its own message and count.", signed, good)
    wrong = raw.scheme.encode_counted({0: 2, 2: 2, 3: 5}, raw.scheme.decode_signature(good[-raw.scheme.sig_len :]))
    raw.each("wrong-count", "A count does not match the sum.", signed, wrong, "BAD_SIGNATURE")
    swapped = [signed[0], (2, b"vote 3"), (3, b"vote 2")]
    raw.each("swapped-messages", "Two messages are swapped.", swapped, good, "BAD_SIGNATURE")
    signature = group.encode(raw.sign(0, MESSAGE))
    for label in ("possession", "basic"):
        ciphersuite, expect = CIPHERSUITES[label], "ok" if label == "possession" else "WRONG_CONTEXT"
        description = f"Suite {suite} accepts only the default ciphersuite."
        raw.same(label, description, [0, 2, 3], same, expect, ciphersuite=ciphersuite)
        raw.each(label, description, signed, good, expect, ciphersuite=ciphersuite)
        name, key = f"{NAMES[suite]}/with-{label}", key_pair(suite, 0)[2]
        verify_with(b, name, description, suite, ciphersuite, key, MESSAGE, signature, expect)
