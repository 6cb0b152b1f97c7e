"""Cases of threshold.json: ECDSA from dealt presignatures, and decoding of shares with wrong ones among them."""

from .. import ecdsa
from ..sharing import evaluate
from ..wire import blob, u8, u16, u32
from .common import flip
from .threshold_deal import COMMITTEE, EPOCH, FAULTY, MESSAGE, PARTIES, drawing

GROUPS = {1: "ristretto255", 2: "secp256k1"}


def plans(b):
    def case(name, description, plan, parties, expect="ok"):
        b.add(f"plan/{name}", description, "ecdsa.plan", expect, plan=plan.hex(), parties=parties)

    agreement = ecdsa.Plan(1, 4, 20)
    case("agreement", "The paper's plan for four parties.", agreement.encode(), 4)
    case("hundred", "A plan for a hundred parties.", ecdsa.Plan(1, 100, 20).encode(), 100)
    case("agreed", "Numbered presignatures for agreed messages.", ecdsa.Plan(2, numbered=1 << 17).encode(), 4)
    case("unagreed", "Numbered presignatures for unagreed messages.", ecdsa.Plan(3, numbered=1).encode(), 4)
    case("none", "No presignatures.", ecdsa.Plan(2).encode(), 4, "MALFORMED")
    case("too-many", "One presignature above the maximum.", ecdsa.Plan(3, numbered=(1 << 17) + 1).encode(), 4, "TOO_LARGE")
    case("largest", "The maximum that the encoding allows.", u8(1) + b"\xff" * 4, 65535, "TOO_LARGE")
    case("other-parties", "A plan for another number of parties.", agreement.encode(), 5, "WRONG_CONTEXT")
    case("unknown", "An unknown plan.", u8(4) + bytes(4), 4, "MALFORMED")
    case("truncated", "Truncated.", agreement.encode()[:-1], 4, "MALFORMED")

    def tag(name, use, expect="ok", plan=agreement, **fields):
        b.add(f"tag/{name}", "The index and class of a tag.", "ecdsa.tag", expect, plan=plan.encode().hex(), use=use, **fields)

    for member in (0, 3):
        tag(f"prbc-{member}", "prbc", member=member)
    for round, member, step in ((0, 0, 1), (0, 0, 4), (0, 1, 1), (0, 3, 4), (1, 0, 1), (19, 3, 4)):
        tag(f"promotion-{round}-{member}-{step}", "promotion", round=round, member=member, step=step)
    for round in (0, 19):
        tag(f"completion-{round}", "completion", round=round)
    tag("prbc-non-member", "prbc", "UNKNOWN_SIGNER", member=4)
    tag("promotion-non-member", "promotion", "UNKNOWN_SIGNER", round=0, member=4, step=1)
    tag("promotion-step-0", "promotion", "MALFORMED", round=0, member=0, step=0)
    tag("promotion-step-5", "promotion", "MALFORMED", round=0, member=0, step=5)
    tag("promotion-late", "promotion", "EXHAUSTED", round=20, member=0, step=1)
    tag("completion-late", "completion", "EXHAUSTED", round=20)
    for kind, label in ((2, "agreed"), (3, "unagreed")):
        tag(f"{label}-2", "numbered", plan=ecdsa.Plan(kind, numbered=3), number=2)
        tag(f"{label}-3", "numbered", "EXHAUSTED", plan=ecdsa.Plan(kind, numbered=3), number=3)
        tag(f"{label}-prbc", "prbc", "WRONG_CONTEXT", plan=ecdsa.Plan(kind, numbered=3), member=0)
    tag("numbered-agreement", "numbered", "WRONG_CONTEXT", number=0)


class Ecdsa:
    # The third is for unagreed messages, the second for agreed ones.
    AGREED, UNAGREED = 1, 4

    def __init__(self, b, suite):
        self.b, self.suite, self.name, self.group = b, suite, GROUPS[suite], ecdsa.GROUPS[suite]
        plan = ecdsa.Plan(1, PARTIES, 1)
        order = self.group.math.ORDER
        self.files = ecdsa.deal(self.group, COMMITTEE, PARTIES, FAULTY, EPOCH, plan, drawing(order, self.name))
        self.next = ecdsa.deal(self.group, COMMITTEE, PARTIES, FAULTY, EPOCH + 1, ecdsa.Plan(2, numbered=2), drawing(order, self.name))
        self.key, self.deal = self.files[0].key, self.files[0].deal

    def case(self, label, description, operation, expect="ok", **inputs):
        operation = f"ecdsa.{operation}"
        return self.b.add(f"{self.name}/{label}", description, operation, expect, suite=self.suite, **inputs)

    def add(self):
        self.keys()
        self.file_cases()
        for index, label in ((self.AGREED, "agreed"), (self.UNAGREED, "unagreed")):
            self.signing(index, label)
        self.evidence()

    def keys(self):
        good = self.key.encode()
        other = ecdsa.GROUPS[3 - self.suite]
        off_curve = next(
            bytes([2]) + x.to_bytes(32, "big") if self.suite == 2 else x.to_bytes(32, "little")
            for x in range(2, 99)
            if self._undecodable(bytes([2]) + x.to_bytes(32, "big") if self.suite == 2 else x.to_bytes(32, "little"))
        )
        self.case("key", "The name and the thresholds of a key.", "key", key=good.hex())
        for label, key, expect in (
            ("other-suite", u8(other.suite) + good[1:], "WRONG_CONTEXT"),
            ("a-third-faulty", good[:33] + u16(3) + u16(1) + good[37:], "BAD_COMMITTEE"),
            ("no-parties", good[:33] + u16(0) + u16(0) + good[37:], "BAD_COMMITTEE"),
            ("too-many-parties", good[:33] + u16(1025) + u16(1) + good[37:], "BAD_COMMITTEE"),
            ("neutral", good[:37] + bytes(self.group.length), "INFINITY"),
            ("no-element", good[:37] + off_curve, "MALFORMED"),
            ("no-canonical-element", good[:37] + b"\xff" * self.group.length, "MALFORMED"),
            ("truncated", good[:-1], "MALFORMED"),
            ("extended", good + b"\0", "MALFORMED"),
        ):
            self.case(f"key-{label}", "Not a key.", "key", expect, key=key.hex())
        deal = self.deal.encode()
        self.case("deal", "The name of a deal.", "deal", deal=deal.hex())
        for label, other, expect in (
            ("other-parties", deal[:45] + u32(5) + deal[49:] + bytes(32), "WRONG_CONTEXT"),
            ("too-many-parties", deal[:45] + u32(1025) + deal[49:], "TOO_LARGE"),
            ("truncated", deal[:-1], "MALFORMED"),
            ("extended", deal + b"\0", "MALFORMED"),
        ):
            self.case(f"deal-{label}", "Not a deal.", "deal", expect, deal=other.hex())

    def _undecodable(self, data):
        try:
            self.group.decode(data)
        except Exception:
            return True
        return False

    def file_cases(self):
        file = self.files[2].encode()
        head = len(file) - self.deal.plan.count * (self.group.length + 128)
        at = len(self.key.encode())
        self.case("file", "The file of a party.", "file", file=file.hex())
        for label, other, expect in (
            ("non-member", file[:at] + u16(4) + file[at + 2 :], "UNKNOWN_SIGNER"),
            ("other-member", file[:at] + u16(3) + file[at + 2 :], "WRONG_CONTEXT"),
            ("other-key", flip(file, 1), "WRONG_CONTEXT"),
            ("other-leaf", flip(file, head + self.group.length), "WRONG_CONTEXT"),
            ("no-scalar", file[: -32] + b"\xff" * 32, "NON_CANONICAL"),
            ("truncated", file[:-1], "MALFORMED"),
            ("extended", file + b"\0", "MALFORMED"),
        ):
            self.case(f"file-{label}", "Not a party's file.", "file", expect, file=other.hex())
        self.case("sign-past-the-end", "A presignature past the end of the deal.", "sign", "EXHAUSTED", **self._signing_inputs(file, 21))
        # A dealer's mistake: a share that does not match its opening.
        entry = head + self.group.length + 32
        wrong = file[:entry] + file[entry + 32 : entry + 64] + file[entry + 32 :]
        self.case("sign-wrong-deal", "The dealer's opening belongs to another share.", "sign", "WRONG_CONTEXT", **self._signing_inputs(wrong, 0))

    @staticmethod
    def _signing_inputs(file, index, message=MESSAGE):
        return {"file": file.hex(), "index": index, "message": message.hex()}

    def _context(self, index, message=MESSAGE, deal=None, nonce=None):
        return {
            "key": self.key.encode().hex(),
            "deal": (deal or self.deal).encode().hex(),
            "nonce": (nonce or self.files[0].nonces[index]).hex(),
            "index": index,
            "message": message.hex(),
        }

    def signing(self, index, label):
        shares, openings = [], []
        for file in self.files:
            made = self.case(
                f"{label}/sign-{file.member}",
                "A party's share, its attested bytes, and its opening.",
                "sign",
                **self._signing_inputs(file.encode(), index),
            )
            shares.append(bytes.fromhex(made["share"]))
            openings.append(bytes.fromhex(made["opening"]))
        self.shares_decode(label, shares[1], openings[1])
        needed = self.key.needed(index == self.AGREED)
        signature = self.combining(label, index, shares, needed)
        self.verifying(label, index, signature)
        self.checking(label, index, shares, openings)

    def shares_decode(self, label, share, opening):
        self.case(f"{label}/share", "The fields of a share.", "share", share=share.hex())
        attested = share[:-4] + blob(b"signed")
        self.case(f"{label}/share-attested", "With an attestation.", "share", share=attested.hex())
        for name, other, expect in (
            ("other-suite", flip(share, 0, 3), "WRONG_CONTEXT"),
            ("no-scalar", share[:47] + b"\xff" * 32 + share[79:], "NON_CANONICAL"),
            ("long-attestation", share[:-4] + u32(8193) + bytes(8193), "TOO_LARGE"),
            ("truncated", share[:-1], "MALFORMED"),
            ("extended", share + b"\0", "MALFORMED"),
        ):
            self.case(f"{label}/share-{name}", "Not a share.", "share", expect, share=other.hex())
        at = 2 + self.group.length
        self.case(f"{label}/opening", "The fields of an opening.", "opening", opening=opening.hex())
        for name, other, expect in (
            ("neutral", opening[:at] + bytes(self.group.length) + opening[at + self.group.length :], "INFINITY"),
            ("no-element", opening[:at] + b"\xff" * self.group.length + opening[at + self.group.length :], "MALFORMED"),
            ("truncated", opening[:-1], "MALFORMED"),
            ("extended", opening + b"\0", "MALFORMED"),
        ):
            self.case(f"{label}/opening-{name}", "Not an opening.", "opening", expect, opening=other.hex())

    def combining(self, label, index, shares, needed):
        def case(name, description, shares, expect="ok", **context):
            inputs = {**self._context(index), **context}
            shares = [share.hex() for share in shares]
            return self.case(f"{label}/combine-{name}", description, "combine", expect, shares=shares, **inputs)

        first = case("first", "The first parties' shares.", shares[:needed])["signature"]
        last = case("last", "The last parties' shares give the same signature.", shares[-needed:])["signature"]
        assert first == last
        case("too-few", "One share too few.", shares[: needed - 1], "BELOW_QUORUM")
        case("twice", "A repeated share.", [shares[0], *shares[: needed - 1]], "DUPLICATE_SIGNER")
        case("other-message", "Shares for another message.", shares[:needed], "WRONG_CONTEXT", message=b"x".hex())
        replayed = self.next[0].sign(1, MESSAGE).encode()
        case("replayed", "A share for another epoch.", [replayed, *shares[1:needed]], "WRONG_CONTEXT")
        twisted = ecdsa.Share(self.group, 1, EPOCH, index ^ 2, self.files[1].slot(index).digest(MESSAGE), 1).encode()
        case("other-index", "A share that names another index.", [twisted, *shares[:needed - 1]], "WRONG_CONTEXT")
        non_member = shares[1][:1] + u16(4) + shares[1][3:]
        case("non-member", "A share with the index of no member.", [non_member, *shares[: needed - 1]], "UNKNOWN_SIGNER")
        beyond = {**self._context(0), "index": 21}
        case("past-the-end", "An unknown presignature.", shares[:needed], "EXHAUSTED", **beyond)
        return bytes.fromhex(first)

    def verifying(self, label, index, signature):
        order, group = self.group.math.ORDER, self.group
        first, s = signature[:32], ecdsa.scalar(group, signature[32:])

        def case(name, description, signature, expect="BAD_SIGNATURE", **other):
            inputs = {"key": self.key.encode().hex(), "epoch": str(EPOCH), "plan": self.deal.plan.encode().hex(), "index": index}
            inputs = {**inputs, "message": MESSAGE.hex(), **other}
            self.case(f"{label}/verify-{name}", description, "verify", expect, signature=signature.hex(), **inputs)

        case("good", "Valid.", signature, "ok")
        case("other-message", "Another message.", signature, message=b"x".hex())
        bound = "BAD_SIGNATURE" if self.suite == 1 else "ok"
        case("other-epoch", "Another epoch; only ristretto255 signs it.", signature, bound, epoch=str(EPOCH + 1))
        other = ecdsa.Key(group, bytes(32), PARTIES, FAULTY, group.math.encode(group.math.GENERATOR))
        case("other-key", "Another key.", signature, key=other.encode().hex())
        negated = first + ecdsa.scalar_bytes(group, order - s)
        case("negated", "The other s.", negated, "BAD_SIGNATURE" if self.suite == 1 else "NON_CANONICAL")
        case("zero-s", "s is zero.", first + bytes(32), "NON_CANONICAL")
        case("large-s", "s is the order.", first + order.to_bytes(32, group.endian), "NON_CANONICAL")
        case("no-nonce", "The first half is zero.", bytes(32) + signature[32:], "INFINITY" if self.suite == 1 else "NON_CANONICAL")
        case("other-nonce", "Another first half.", flip(signature, 1))
        case("truncated", "Truncated.", signature[:-1], "MALFORMED")
        case("extended", "A trailing byte.", signature + b"\0", "MALFORMED")

    def checking(self, label, index, shares, openings):
        def case(name, description, share, opening, expect="ok"):
            made = self.case(
                f"{label}/check-{name}",
                description,
                "check",
                expect,
                share=share.hex(),
                opening=opening.hex(),
                **self._context(index),
            )
            return made and made["right"]

        assert case("right", "A valid share.", shares[0], openings[0])
        other = self.files[0].sign(index, MESSAGE)
        for name, s in (("off-by-one", other.s + 1), ("zero", 0), ("swapped", self.files[1].sign(index, MESSAGE).s)):
            share = ecdsa.Share(self.group, 0, EPOCH, index, other.digest, s % self.group.math.ORDER)
            assert not case(name, "An invalid share.", share.encode(), openings[0])
        case("other-member", "Another party's opening.", shares[0], openings[1], "WRONG_CONTEXT")
        renamed = u16(0) + openings[1][2:]
        case("renamed", "Another party's opening under the signer's index.", shares[0], renamed, "WRONG_CONTEXT")
        elsewhere = self.files[0].open(index ^ 2).encode()
        case("other-index", "The opening of another presignature.", shares[0], elsewhere, "WRONG_CONTEXT")
        forged = bytearray(openings[0])
        e = 2 + 3 * self.group.length
        forged[e : e + self.group.length] = self.group.math.encode(self.group.math.GENERATOR)
        case("forged", "An element changed.", shares[0], bytes(forged), "WRONG_CONTEXT")

    def evidence(self):
        order = self.group.math.ORDER

        def wrong(member, index):
            share = self.files[member].sign(index, MESSAGE)
            return ecdsa.Share(self.group, member, EPOCH, index, share.digest, (share.s + 1) % order).encode()

        def case(name, description, evidence, expect="ok"):
            inputs = {"key": self.key.encode().hex(), "deal": self.deal.encode().hex()}
            self.case(f"evidence/{name}", description, "evidence", expect, evidence=evidence.hex(), **inputs)

        def opened(share, message=MESSAGE, member=0, index=self.UNAGREED):
            return u8(1) + blob(message) + share + self.files[member].open(index).encode()

        right = self.files[0].sign(self.UNAGREED, MESSAGE).encode()
        case("opened", "The share does not match its opening.", opened(wrong(0, self.UNAGREED)))
        case("opened-right", "The share matches its opening.", opened(right), "NOT_EVIDENCE")
        case("opened-other-message", "The share signs another message.", opened(wrong(0, self.UNAGREED), b"x"), "WRONG_CONTEXT")
        case("opened-other-member", "The opening is another party's.", opened(wrong(0, self.UNAGREED), member=1), "NOT_EVIDENCE")
        case("opened-other-index", "The opening is for another presignature.", opened(wrong(0, self.UNAGREED), index=2), "NOT_EVIDENCE")
        later = self.next[0].sign(1, MESSAGE).encode()
        case("other-epoch", "For another epoch.", opened(later), "WRONG_CONTEXT")
        case("unknown", "An unknown kind of evidence.", u8(3), "MALFORMED")
        case("truncated", "Truncated.", opened(right)[:-1], "MALFORMED")
        case("extended", "A trailing byte.", opened(right) + b"\0", "MALFORMED")

        def outlier(share, others):
            return u8(2) + share + u32(len(others)) + b"".join(others)

        good = [file.sign(self.AGREED, MESSAGE).encode() for file in self.files]
        bad = wrong(3, self.AGREED)
        case("outlier", "Three other shares agree.", outlier(bad, good[:3]))
        case("outlier-too-few", "Two other shares agree.", outlier(bad, good[:2]), "NOT_EVIDENCE")
        case("outlier-right", "The accused share agrees too.", outlier(good[3], good[:3]), "NOT_EVIDENCE")
        case("outlier-spoilt", "One of the three does not agree.", outlier(bad, [good[0], good[1], wrong(2, self.AGREED)]), "NOT_EVIDENCE")
        case("outlier-twice", "One of the three is repeated.", outlier(bad, [good[0], good[0], good[1]]), "DUPLICATE_SIGNER")
        case("outlier-non-member", "One of the three has the index of no member.", outlier(bad, [*good[:2], good[2][:1] + u16(9) + good[2][3:]]), "UNKNOWN_SIGNER")
        unagreed = [file.sign(self.UNAGREED, MESSAGE).encode() for file in self.files]
        case("outlier-unagreed", "Fewer shares than required.", outlier(wrong(3, self.UNAGREED), unagreed[:3]), "NOT_EVIDENCE")
        mixed = [*good[:2], self.files[2].sign(self.AGREED, b"x").encode()]
        case("outlier-mixed", "One of the three signs another message.", outlier(bad, mixed), "NOT_EVIDENCE")
        case("outlier-many", "More shares than members.", u8(2) + bad + u32(1025), "TOO_LARGE")


def decoding(b, suite):
    group = ecdsa.GROUPS[suite]
    order, name = group.math.ORDER, GROUPS[suite]
    draw = drawing(order, f"decoding {name}")
    coefficients = [draw() for _ in range(3)]

    def case(label, description, xs, wrong=(), needed=3, expect="ok"):
        points = []
        for x in xs:
            y = (evaluate(coefficients, x, order) + (draw() if x in wrong else 0)) % order
            points.append([x, ecdsa.scalar_bytes(group, y).hex()])
        b.add(f"{name}/decode/{label}", description, "sharing.decode", expect, suite=suite, needed=needed, points=points)

    case("exact", "The required number of shares.", (1, 2, 5))
    case("one-spare", "One additional share corrects no invalid one.", (1, 2, 5, 9), (5,), expect="BAD_SHARE")
    case("one-wrong", "Two additional shares correct one invalid share.", (1, 2, 5, 9, 1024), (5,))
    case("two-wrong", "Four additional shares correct two invalid shares.", (7, 6, 5, 4, 3, 2, 1), (7, 3))
    case("three-wrong", "Four additional shares do not correct three.", (1, 2, 3, 4, 5, 6, 7), (1, 3, 5), expect="BAD_SHARE")
    case("too-few", "Fewer shares than required.", (1, 2), expect="BELOW_QUORUM")
    case("twice", "A repeated share.", (1, 2, 2), expect="DUPLICATE_SIGNER")
    case("none-needed", "A threshold of zero.", (1, 2), needed=0, expect="BELOW_QUORUM")
