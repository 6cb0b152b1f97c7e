"""Cases of abft.json: encodings of messages."""

from .. import abft, erasure, tdh2
from ..wire import blob, option, u8, u16, u32
from .common import flip

VALUE = b"a value"
ID = bytes(range(32))


def messages(w):
    parts = Parts(w)
    made = {
        "rbc": parts.rbc(),
        "prbc": parts.prbc(),
        "mvba": parts.mvba(),
        "acs": parts.acs(),
        "epoch": parts.epoch(),
    }
    for protocol, listed in made.items():
        for label, data in listed.items():
            _case(w, protocol, label, "A message.", data)
            _case(w, protocol, f"{label}-truncated", "Truncated.", data[:-1], "MALFORMED")
            _case(w, protocol, f"{label}-extended", "A trailing byte.", data + b"\0", "MALFORMED")
        last = {"rbc": 3, "prbc": 2, "mvba": 10, "acs": 2, "epoch": 2}[protocol]
        for tag in (0, last + 1, 255):
            data = next(iter(listed.values()))
            _case(w, protocol, f"tag-{tag}", "A tag of no message.", u8(tag) + data[1:], "MALFORMED")
        _case(w, protocol, "empty", "No bytes.", b"", "MALFORMED")
    _refused(w, parts, made)
    if w.is_list:
        _refused_lists(w, parts, made["mvba"])


def _case(w, protocol, label, description, data, expect="ok"):
    w.add(f"{protocol}/{label}", description, "abft.message", expect, protocol=protocol, message=data.hex())


class Parts:
    def __init__(self, w):
        self.w = w
        self.commitment, self.shards = erasure.disperse(w.setup.coding, b"a message of a member")
        self.coins = [w.coin_share(member, 5, 1) for member in range(w.setup.faulty + 1)]
        self.certificate = w.signature(abft.UNAGREED, w.promotion(1, 2, 1, VALUE))
        self.skip = w.signature(abft.AGREED, abft.completion(w.setup.committee, 5, 1))

    def vote(self, stage):
        return self.w.share(abft.UNAGREED, 0, self.w.promotion(1, 2, stage, VALUE))

    def rbc(self):
        empty = erasure.disperse(self.w.setup.coding, b"")[1]
        return {
            "value": u8(1) + self.shards[0],
            "echo": u8(2) + self.shards[-1],
            "echo-empty": u8(2) + empty[1],
            "ready": u8(3) + ID,
        }

    def prbc(self):
        share = self.w.share(abft.AGREED, 0, self.w.delivery(5, 2, ID))
        return {"broadcast": u8(1) + self.rbc()["echo"], "ready": u8(1) + u8(3) + ID, "share": u8(2) + share}

    def mvba(self):
        head = u32(1)
        key = u32(1) + u8(1) + self.certificate
        held = u8(2) + blob(VALUE) + self.certificate
        skip = self.w.share(abft.AGREED, 1, abft.completion(self.w.setup.committee, 5, 1))
        return {
            "promote": u8(1) + head + blob(VALUE) + option(None),
            "promote-empty": u8(1) + u32(2**32 - 1) + blob(b"") + option(None),
            "promote-longest": u8(1) + head + blob(bytes(2048)) + option(None),
            "promote-key": u8(1) + u32(2) + blob(VALUE) + option(key),
            "advance-2": u8(2) + head + u8(2) + self.certificate,
            "advance-4": u8(2) + head + u8(4) + self.certificate,
            "vote-1": u8(3) + head + u8(1) + self.vote(1),
            "vote-4": u8(3) + head + u8(4) + self.vote(4),
            "done": u8(4) + head + abft.digest(VALUE) + self.certificate,
            "skip": u8(5) + head + skip,
            "elect": u8(6) + head + self.skip + self.coins[0].encode(),
            "report-none": u8(7) + head + option(None),
            "report": u8(7) + head + option(held),
            "decide": u8(8) + head + blob(VALUE) + self.certificate + self._coins(self.coins),
            "doubt-1": u8(9) + head + u8(1),
            "doubt-4": u8(9) + head + u8(4),
        }

    @staticmethod
    def _coins(shares):
        return u32(len(shares)) + b"".join(share.encode() for share in shares)

    def decide(self, shares):
        return u8(8) + u32(1) + blob(VALUE) + self.certificate + self._coins(shares)

    def acs(self):
        return {
            "broadcast": u8(1) + u16(self.w.n - 1) + self.prbc()["broadcast"],
            "share": u8(1) + u16(0) + self.prbc()["share"],
            "agree": u8(2) + self.mvba()["promote-key"],
        }

    def epoch(self):
        w = self.w
        instance = tdh2.read(w.encrypt(5, 1, VALUE)).check(w.setup.encryption, 5, 1)
        share = w.decrypting[0].prove(instance, bytes(32))
        return {
            "broadcast": u8(1) + self.acs()["broadcast"],
            "agree": u8(1) + self.acs()["agree"],
            "decrypt": u8(2) + u16(w.n - 1) + share.encode(),
        }


def _refused(w, parts, made):
    """Fields that are out of range."""
    for label, data in made["mvba"].items():
        _case(w, "mvba", f"{label}-view-0", "There is no view 0.", data[:1] + u32(0) + data[5:], "MALFORMED")
    mvba = made["mvba"]
    for label, stages in {"advance-2": (0, 1, 5), "vote-1": (0, 5), "doubt-1": (0, 5)}.items():
        for stage in stages:
            data = mvba[label][:5] + u8(stage) + mvba[label][6:]
            _case(w, "mvba", f"{label}-as-{stage}", "A stage out of range.", data, "MALFORMED")
    for stage in (0, 4):
        data = mvba["report"][:6] + u8(stage) + mvba["report"][7:]
        _case(w, "mvba", f"report-stage-{stage}", "A stage out of range.", data, "MALFORMED")
        at = 5 + 4 + len(VALUE) + 1 + 4
        data = mvba["promote-key"][:at] + u8(stage) + mvba["promote-key"][at + 1 :]
        _case(w, "mvba", f"key-stage-{stage}", "A stage out of range.", data, "MALFORMED")
    at = 5 + 4 + len(VALUE) + 1
    data = mvba["promote-key"][:at] + u32(0) + mvba["promote-key"][at + 4 :]
    _case(w, "mvba", "key-view-0", "A key of view 0.", data, "MALFORMED")
    _case(w, "mvba", "promote-too-long", "A value that is too long.", u8(1) + u32(1) + blob(bytes(2049)) + b"\0", "TOO_LARGE")
    _case(w, "mvba", "report-too-long", "A value that is too long.", mvba["report"][:7] + u32(2049) + bytes(2049), "TOO_LARGE")
    _case(w, "mvba", "promote-option-2", "An invalid option tag.", mvba["promote"][:-1] + u8(2), "MALFORMED")
    _case(w, "mvba", "report-option-2", "An invalid option tag.", mvba["report-none"][:-1] + u8(2), "MALFORMED")
    coins = parts.coins
    _case(w, "mvba", "decide-few", "Fewer than f + 1 coin shares.", parts.decide(coins[:-1]), "BELOW_QUORUM")
    more = [*coins, w.coin_share(w.setup.faulty + 1, 5, 1)]
    _case(w, "mvba", "decide-many", "More than f + 1 coin shares.", parts.decide(more), "TOO_LARGE")
    _case(w, "mvba", "decide-order", "Coin shares that do not ascend.", parts.decide(coins[::-1]), "DUPLICATE_SIGNER")
    _case(w, "mvba", "decide-repeated", "A member's coin share twice.", parts.decide([coins[0]] * len(coins)), "DUPLICATE_SIGNER")
    shard = made["rbc"]["echo"]
    _case(w, "rbc", "echo-changed", "A changed byte of the shard.", flip(shard, len(shard) - 1), "WRONG_CONTEXT")
    root_at = 1 + 3 + 2 + 2 + 4
    _case(w, "rbc", "echo-root", "Another root.", flip(shard, root_at), "WRONG_CONTEXT")
    _case(w, "rbc", "echo-shape", "A commitment of another shape.", flip(shard, 1 + 3), "WRONG_CONTEXT")
    long = shard[: root_at - 4] + u32(4097) + shard[root_at:]
    _case(w, "rbc", "echo-too-long", "A commitment to a message that is too long.", long, "TOO_LARGE")
    outsider = u16(w.n)
    _case(w, "acs", "sender-non-member", "A sender that is not a member.", u8(1) + outsider + made["prbc"]["share"], "UNKNOWN_SIGNER")
    decrypt = made["epoch"]["decrypt"]
    _case(w, "epoch", "proposer-non-member", "A proposer that is not a member.", u8(2) + outsider + decrypt[3:], "UNKNOWN_SIGNER")
    _case(w, "epoch", "share-not-an-element", "The share is no element.", decrypt[:5] + b"\xff" * 32 + decrypt[37:], "NON_CANONICAL")
    elect = mvba["elect"]
    _case(w, "mvba", "elect-no-element", "The coin share is no element.", elect[:-128] + bytes(32) + elect[-96:], "INFINITY")


def _refused_lists(w, parts, mvba):
    """Certificates of the scheme `list` that do not decode. The number of shares is not checked before verification."""
    head, first = u8(2) + u32(1) + u8(2), parts.certificate[4:70]
    _case(w, "mvba", "certificate-short", "A certificate of one share decodes.", head + u32(1) + first)
    _case(w, "mvba", "certificate-empty", "A certificate without shares decodes.", head + u32(0))
    _case(w, "mvba", "certificate-repeated", "One member's share twice.", head + u32(2) + first * 2, "DUPLICATE_SIGNER")
    swapped = parts.certificate[70:136] + first
    _case(w, "mvba", "certificate-order", "Shares that do not ascend.", head + u32(2) + swapped, "DUPLICATE_SIGNER")
    _case(w, "mvba", "certificate-too-many", "More shares than any committee has members.", head + u32(1025), "TOO_LARGE")
    vote = mvba["vote-1"]
    _case(w, "mvba", "vote-not-canonical", "The s of the signature is not below the group order.", vote[:-32] + b"\xff" * 32, "NON_CANONICAL")
