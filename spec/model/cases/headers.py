"""The untrusted header in certificate.json: the first 18 bytes of an encoding."""

from ..certificate import Certificate, Statement, Vote
from ..evidence import Equivocation
from ..operations import committee
from ..timeout import TimeoutCertificate, TimeoutVote
from ..wire import u8, u64
from .common import NAMES, key_pair

EPOCH = 7
STATEMENT = Statement(1, EPOCH, 42, bytes(range(32)))


def cases(b):
    suite = 3
    c, other = committee(b.committees[f"{NAMES[suite]}/four"]), Statement(1, EPOCH, 42, bytes(32))
    keys = [key_pair(suite, i)[1] for i in range(4)]
    votes = [[Vote.sign(key, c, i, s) for i, key in enumerate(keys)] for s in (STATEMENT, other)]
    first, second = (Certificate.encode_parts(c, one[0].statement, {v.signer: v.signature for v in one}) for one in votes)
    timeouts = [TimeoutVote.sign(key, c, i, 2, 43, 41) for i, key in enumerate(keys)]
    timeout = TimeoutCertificate.encode_parts(c, 2, 43, {i: (41, t.vote.signature) for i, t in enumerate(timeouts)})

    def case(label, description, data, expect="ok"):
        return b.add(f"header/{label}", description, "header.peek", expect, bytes=data.hex())

    for label, data, kind, view in (
        ("vote", votes[0][3].encode(), 1, 42),
        ("vote-link", votes[0][3].encode_link(), 1, 42),
        ("certificate", first, 1, 42),
        ("timeout-vote", timeouts[0].encode(), 2, 43),
        ("timeout-certificate", timeout, 2, 43),
        ("equivocation", Equivocation.new(votes[0][0], votes[1][0]).encode(), 1, 42),
        ("conflict", second + first, 1, 42),
    ):
        made = case(label, "The header of an encoding.", data)
        assert made == {"suite": suite, "kind": kind, "epoch": str(EPOCH), "view": str(view)}
    case("alone", "18 bytes.", first[:18])
    case("zeros", "18 bytes of zeros.", bytes(18))
    case("unknown-suite", "The suite is not checked; all numbers are at their maximum.", b"\xff" * 18)
    case("byte-order", "Integers are little endian.", u8(1) + u8(2) + u64(3) + u64(4))
    case("garbage", "The bytes after the header are not checked.", first[:18] + b"garbage")
    for cut in (0, 1, 2, 9, 17):
        case(f"truncated-{cut}", "Truncated.", first[:cut], "MALFORMED")
