"""Cases of abft.json: blocks that follow from decisions, and the messages of the chain."""

from .. import jolteon
from ..abft_chain import Block, batches
from ..certificate import Certificate, Statement
from ..wire import u8, u16, u32, u64
from .abft_messages import Parts
from .world import EPOCH
from .world import World as Voters

PARENT, ROOT = bytes([0xDA] * 32), bytes([0xE0] * 32)
LONGEST = jolteon.MAX_BATCH_BYTES


def chain(w):
    blocks(w.book)
    messages(w)


def blocks(b):
    def case(label, description, decided, headers, height=9, recent=()):
        """`decided` are triples of proposer, transaction and number of zeros behind it; `headers` pairs of proposer and number
        of transactions."""
        listed = [{"proposer": proposer, "transaction": text.hex(), "zeros": zeros} for proposer, text, zeros in decided]
        fields = {"epoch": str(EPOCH), "height": str(height), "parent": (PARENT if height > 1 else bytes(32)).hex()}
        fields |= {"state_height": str(max(height - 2, 0)), "state_root": ROOT.hex(), "decided": listed}
        out = b.add(f"block/{label}", description, "abft.block", **fields, recent=[one.hex() for one in recent])
        assert [(one["author"], one["transactions"]) for one in out["batches"]] == headers, (label, out)

    def short(*pairs):
        return [(proposer, text, 0) for proposer, text in pairs]

    some = short((2, b"a"), (2, b"b"), (3, b"c"), (0, b"d"))
    case("first", "The parent of block 1 is zeros, and its state that before block 1.", some, [(2, 2), (3, 1), (0, 1)], height=1)
    case("second", "Its state is that before block 1, too.", some, [(2, 2), (3, 1), (0, 1)], height=2)
    case("some", "A batch of each proposer, in the order of the decision.", some, [(2, 2), (3, 1), (0, 1)])
    case("none", "No transactions.", [], [])
    case("recent", "Transactions of the 256 blocks before are left out, and batches without others.", some, [(2, 1), (0, 1)], recent=[b"b", b"c"])
    case("only-recent", "Nothing is left.", some[:1], [], recent=[b"a"])
    case("empty", "An empty transaction is one like others.", short((1, b""), (1, b"x")), [(1, 2)])
    case("put", "So is one that the application refuses from clients.", short((1, b"put x")), [(1, 1)])
    case("full", "A body of 2,097,152 bytes.", [(1, b"x", LONGEST - 5)], [(1, 1)])
    case("too-long", "One byte more.", [(1, b"x", LONGEST - 4), (2, b"y", 0)], [(2, 1)])
    large = [(1, b"x", LONGEST - 11), (1, b"y", 99), (1, b"z", 0)]
    case("later", "What fits after one that is left out is kept.", large, [(1, 2)])


def messages(w):
    b = w.book
    voters = Voters(b, 3, "chain", [1] * 4)
    parts = Parts(w)
    made = batches([(2, b"a"), (2, b"b"), (0, b"c")], 9, ())
    block = Block(EPOCH, 9, PARENT, 7, ROOT, [batch.header() for batch in made])
    statement = Statement(1, EPOCH, 9, block.digest())

    def certificate(*members):
        return Certificate.encode_parts(voters.c, statement, {i: voters.signature(i, statement) for i in members})

    vote = u8(3) + statement.encode() + u16(2) + voters.signature(2, statement)
    good = {
        "epoch": u8(1) + u64(9) + parts.epoch()["agree"],
        "vote": u8(2) + vote,
        "block": u8(3) + block.encode() + certificate(0, 1, 3),
        "block-empty": u8(3) + Block(EPOCH, 9, PARENT, 7, ROOT, []).encode() + certificate(0, 1, 2, 3),
        "status": u8(4) + u64(2**64 - 1),
        "batch": u8(5) + made[0].encode(),
        "end": u8(6) + u64(9) + u64(8),
        "pruned": u8(7) + u64(5) + u64(8),
    }

    def case(label, description, data, expect="ok"):
        fields = {"setup": w.name, "voters": voters.name, "message": data.hex()}
        b.add(f"chain/{label}", description, "abft.chain_message", expect, **fields)

    for label, data in good.items():
        case(label, "A message.", data)
        case(f"{label}-truncated", "Truncated.", data[:-1], "MALFORMED")
        case(f"{label}-extended", "A trailing byte.", data + b"\0", "MALFORMED")
    for tag in (0, 8, 255):
        case(f"tag-{tag}", "A tag of no message.", u8(tag) + good["end"][1:], "MALFORMED")
    case("nothing", "No bytes.", b"", "MALFORMED")
    case("vote-suite", "A vote of another suite.", u8(2) + u8(1) + vote[1:], "WRONG_CONTEXT")
    head = u8(3) + block.encode()
    case("block-few", "A certificate of fewer than a quorum.", head + certificate(0, 1), "BELOW_QUORUM")
    case("block-suite", "A certificate of another suite.", head + u8(1) + certificate(0, 1, 3)[1:], "WRONG_CONTEXT")
    at = 1 + 8 + 8 + 32 + 8 + 32
    case("block-count", "More batches than the bytes can hold.", head[:at] + u32(2**32 - 1) + head[at + 4 :], "TOO_LARGE")
    empty = head[: at + 4 + 10] + u32(0) + head[at + 4 + 14 :] + certificate(0, 1, 3)
    case("block-header", "A header of a batch without transactions.", empty, "MALFORMED")
