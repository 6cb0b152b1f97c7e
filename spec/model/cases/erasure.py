"""erasure.json and jerasure.json: codes, commitments, valid and invalid shards, malicious senders, parameter tables."""

from .. import erasure as e
from ..book import Book
from ..wire import derive, u16, u32
from .common import flip

LEOPARD, GF8 = "010000", "020000"
# Every relation of the two numbers and their next powers of two.
SHAPES = ((1, 1), (1, 5), (5, 1), (2, 2), (3, 2), (2, 3), (4, 3), (3, 4), (5, 8), (8, 5), (7, 6), (6, 7))
SHAPES += ((9, 20), (20, 9))


def suite_of(text):
    from ..wire import Reader

    return e.read_suite(Reader(bytes.fromhex(text)))


def message(length):
    out = b""
    while len(out) < length:
        out += derive("quorate vectors: message", u32(len(out)))
    return out[:length]


class Maker:
    """Adds the cases of one coding."""

    def __init__(self, b, label, suite, data, parity, max_message=4096):
        self.b, self.label = b, label
        self.fields = {"suite": suite, "data": data, "parity": parity, "max_message": max_message}
        self.coding = e.Coding(suite_of(suite), data, parity, max_message)

    def add(self, name, description, operation, expect="ok", **inputs):
        return self.b.add(f"{self.label}/{name}", description, f"erasure.{operation}", expect, **self.fields, **inputs)

    def disperse(self, length, indices):
        text = message(length).hex()
        self.add(f"disperse-{length}", f"{length} bytes.", "disperse", message=text, indices=list(indices))

    def shard(self, name, description, data, expect="ok"):
        self.add(name, description, "shard", expect, shard=data.hex())

    def decode(self, name, description, shards, expect="ok"):
        self.add(name, description, "decode", expect, shards=[shard.hex() for shard in shards])


def book():
    b = Book("erasure", "Erasure coding: suites 1 and 2, commitments, shards, and parameter tables.")
    codings(b)
    for name, suite in (("leopard", LEOPARD), ("gf8", GF8)):
        for data, parity in SHAPES:
            made = Maker(b, f"{name}/{data}+{parity}", suite, data, parity)
            made.disperse(21 * data + 3, (0, data - 1, data, data + parity - 1))
        ends(b, name, suite)
    for suite, shape, length in ((LEOPARD, (34, 66), 2000), (LEOPARD, (50, 50), 6500), (GF8, (34, 66), 2000)):
        label = f"{'leopard' if suite == LEOPARD else 'gf8'}/{shape[0]}+{shape[1]}"
        made = Maker(b, label, suite, *shape, 8192)
        made.disperse(length, (0, sum(shape) - 1))
        _, sent = e.disperse(made.coding, message(length))
        taken = [sent[37 * i % sum(shape)] for i in range(shape[0] + 1)]
        few = taken[: shape[0] - 1]
        made.decode("decode-parts-of-both", "Data and parity shards, unordered.", taken)
        made.decode("decode-one-too-few", "A missing shard.", few, "BELOW_QUORUM")
    refusals(Maker(b, "refused", LEOPARD, 3, 4))
    cheats(Maker(b, "cheat/leopard", LEOPARD, 3, 4))
    cheats(Maker(b, "cheat/gf8", GF8, 3, 4))
    tables(b)
    return b


def jerasure():
    """Returns the cases that need Jerasure, which only native builds have."""
    b = Book("jerasure", "Erasure coding with suite 3, which is optional in builds.")
    shapes = ((2, 0, 1, 2), (3, 3, 4, 4), (4, 1, 8, 3), (5, 2, 3, 9), (6, 0, 5, 5), (7, 4, 50, 50), (7, 0, 34, 66))
    shapes += ((8, 0, 4, 2), (9, 1, 3, 2), (10, 0, 2, 5), (11, 0, 2, 2), (12, 0, 3, 3), (13, 2, 2, 2), (14, 0, 2, 3))
    shapes += ((15, 0, 3, 2), (16, 3, 2, 2))
    for word, log2, data, parity in shapes:
        suite = f"03{word:02x}{log2:02x}"
        made = Maker(b, f"w{word}-p{1 << log2}/{data}+{parity}", suite, data, parity, 16384)
        length = 2 * data * word * (1 << log2) - 5 if data < 30 else 1000
        made.disperse(length, (0, data, data + parity - 1))
        _, sent = e.disperse(made.coding, message(length))
        made.decode("decode-from-the-end", "The maximum number of parity shards.", sent[::-1][:data])
    ends(b, "w3-p2", "030301")
    cheats(Maker(b, "cheat", "030302", 3, 4))
    return b


def codings(b):
    def case(label, description, suite, data, parity, longest, expect="ok"):
        fields = {"suite": suite, "data": data, "parity": parity, "max_message": longest}
        b.add(f"coding/{label}", description, "erasure.coding", expect, **fields)

    case("leopard", "A hundred members, 25 of them faulty.", LEOPARD, 50, 50, 25_000_000)
    case("gf8", "The same numbers with suite 2.", GF8, 50, 50, 25_000_000)
    case("jerasure", "The same, with words of 7 bits and packets of 8,192 bytes.", "03070d", 50, 50, 25_000_000)
    case("no-parity", "Data shards without parity.", LEOPARD, 4, 0, 100)
    case("one", "One shard.", GF8, 1, 0, 0)
    case("most-leopard", "The maximum number of shards of suite 1.", LEOPARD, 16_384, 16_384, 1000)
    case("most-gf8", "The maximum number of shards of suite 2.", GF8, 255, 1, 1000)
    case("most-jerasure", "One shard per value of a 4-bit word.", "030400", 8, 8, 1000)
    case("longest", "The longest message.", LEOPARD, 2, 1, 1 << 30)
    for label, suite in (("leopard", LEOPARD), ("gf8", GF8), ("jerasure", "030800")):
        case(f"{label}-no-data", "No data shards.", suite, 0, 4, 100, "BAD_SHAPE")
        case(f"{label}-nothing", "No shards.", suite, 0, 0, 100, "BAD_SHAPE")
        case(f"{label}-too-many", "More shards than any code supports.", suite, 32_768, 1, 100, "BAD_SHAPE")
        case(f"{label}-far-too-many", "The largest numbers.", suite, 65_535, 65_535, 100, "BAD_SHAPE")
        case(f"{label}-message", "A message above the general limit.", suite, 2, 1, (1 << 30) + 1, "TOO_LARGE")
        case(f"{label}-shards", "Shards above the limit of their total size.", suite, 1, 60, 1 << 26, "TOO_LARGE")
    case("gf8-257", "More shards than the field has elements.", GF8, 200, 57, 100, "BAD_SHAPE")
    case("jerasure-17", "More shards than values of a word.", "030400", 8, 9, 100, "BAD_SHAPE")
    case("jerasure-bits", "A bit matrix that is too large.", "031000", 65, 1, 100, "BAD_SHAPE")
    case("jerasure-parity-bits", "The same, for the parity shards.", "031000", 1, 65, 100, "BAD_SHAPE")
    case("word-1", "A word of one bit.", "030100", 1, 1, 100, "BAD_SHAPE")
    case("word-33", "A word of 33 bits.", "032100", 1, 1, 100, "BAD_SHAPE")
    case("packet", "A packet of 128 KiB.", "030811", 1, 1, 100, "BAD_SHAPE")
    case("suite-0", "Suite 0, which does not exist.", "000000", 2, 2, 100, "MALFORMED")
    case("suite-4", "A suite that is not assigned.", "040000", 2, 2, 100, "MALFORMED")
    case("parameters-1", "Suite 1 has no parameters.", "010800", 2, 2, 100, "NON_CANONICAL")
    case("parameters-2", "Suite 2 has no parameters.", "020001", 2, 2, 100, "NON_CANONICAL")


def ends(b, name, suite):
    """Returns lengths at the boundaries of the code."""
    made = Maker(b, f"{name}/ends", suite, 3, 2, 400)
    for length in (0, 1, 3, 6, 7, 191, 192, 193, 400):
        made.disperse(length, (2, 3))
        _, sent = e.disperse(made.coding, message(length))
        made.decode(f"decode-{length}", f"{length} bytes.", [sent[4], sent[0], sent[3]])
    text = message(401).hex()
    made.add("too-long", "A byte above the agreed length.", "disperse", "TOO_LARGE", message=text, indices=[])


def refusals(m):
    text = message(100)
    commitment, sent = e.disperse(m.coding, text)
    good, length = sent[2], m.coding.shard_len(100)
    m.shard("good", "Valid.", good)
    m.shard("commitment-suite", "A commitment with another suite byte.", b"\x02" + good[1:], "WRONG_CONTEXT")
    m.shard("commitment-no-suite", "A commitment with an unknown suite byte.", b"\x04" + good[1:], "MALFORMED")
    m.shard("commitment-parameter", "A parameter that suite 1 does not have.", flip(good, 1), "NON_CANONICAL")
    m.shard("commitment-shape", "A commitment to other shards.", good[:3] + u16(4) + u16(3) + good[7:], "WRONG_CONTEXT")
    m.shard("commitment-no-data", "A commitment without data shards.", good[:3] + u16(0) + good[5:], "BAD_SHAPE")
    m.shard("commitment-long", "A message that is too long.", good[:7] + u32(4097) + good[11:], "TOO_LARGE")
    m.shard("commitment-longer", "A length with other shards.", good[:7] + u32(200) + good[11:], "MALFORMED")
    m.shard("commitment-shorter", "A length with shorter shards.", good[:7] + u32(20) + good[11:], "WRONG_CONTEXT")
    m.shard("other-root", "Another root.", flip(good, 11), "WRONG_CONTEXT")
    m.shard("other-index", "The index of the next shard.", good[:43] + u32(3) + good[47:], "WRONG_CONTEXT")
    m.shard("index-past-end", "An index past the shards.", good[:43] + u32(7) + good[47:], "MALFORMED")
    m.shard("other-count", "A path in a tree of eight shards.", good[:47] + u32(8) + good[51:], "MALFORMED")
    m.shard("count-zero", "A commitment to no shards.", good[:47] + u32(0) + good[51:], "MALFORMED")
    m.shard("other-sibling", "A sibling changed.", flip(good, 60), "WRONG_CONTEXT")
    m.shard("other-first-byte", "The first byte changed.", flip(good, len(good) - length), "WRONG_CONTEXT")
    m.shard("other-last-byte", "The last byte changed.", flip(good, len(good) - 1, 0x80), "WRONG_CONTEXT")
    m.shard("truncated", "A byte is missing.", good[:-1], "MALFORMED")
    m.shard("extended", "An additional byte.", good + b"\0", "MALFORMED")
    m.shard("empty", "No bytes.", b"", "MALFORMED")
    m.shard("commitment-alone", "A commitment without a shard.", good[:43], "MALFORMED")

    _, others = e.disperse(m.coding, message(99))
    m.decode("none", "No shards.", [], "BELOW_QUORUM")
    m.decode("two", "One shard too few.", sent[:2], "BELOW_QUORUM")
    m.decode("twice", "A repeated shard.", [sent[1], sent[5], sent[1]], "DUPLICATE_SIGNER")
    m.decode("twice-and-enough", "A sufficient number, but one is repeated.", [sent[1], sent[5], sent[0], sent[1]], "DUPLICATE_SIGNER")
    m.decode("mixed", "A shard of another message.", [sent[1], others[5], sent[0]], "WRONG_CONTEXT")
    m.decode("bad-one", "An invalid shard.", [sent[1], flip(sent[5], -1), sent[0]], "WRONG_CONTEXT")
    m.decode("all", "All shards.", sent)


def cheats(m):
    """Adds cases of a sender that commits to inconsistent shards: every choice of shards must detect it."""
    text = message(50)
    honest = e.encode(m.coding, e.split(m.coding, text))

    def case(label, description, shards, length, expect="BAD_ENCODING"):
        _, sent = e.commit(m.coding, length, shards)
        for number, taken in enumerate(((0, 1, 2), (4, 5, 6), (6, 2, 3), tuple(range(7)))):
            m.decode(f"{label}-{number}", description, [sent[i] for i in taken], expect)

    case("honest", "Valid.", honest, 50, "ok")
    for place in (0, 3, 6):
        shards = [flip(shard, 0) if i == place else shard for i, shard in enumerate(honest)]
        case(f"shard-{place}", "One shard is replaced.", shards, 50)
    case("swapped", "Two shards are swapped.", honest[:5] + [honest[6], honest[5]], 50)
    other = e.encode(m.coding, e.split(m.coding, message(49) + b"?"))
    case("two-messages", "Data shards of one message, parity of another.", honest[:3] + other[3:], 50)
    # Data shards whose padding is not zero, with parity that fits them.
    data = e.split(m.coding, text)
    padded = data[:2] + [flip(data[2], -1)]
    case("padding", "Padding that is not zero.", e.encode(m.coding, padded), 50)
    case("shorter", "A shorter length over the same shards.", honest, 49)


def tables(b):
    def row(data, parity, length, suite, cost):
        return data, parity, length, suite_of(suite), cost

    rows = [
        row(2, 2, 250, GF8, 900),
        row(50, 50, 25_000, LEOPARD, 7_000),
        row(50, 50, 25_000, GF8, 7_000),
        row(50, 50, 25_000, "030704", 400_000),
        row(50, 50, 25_000_000, LEOPARD, 90_000_000),
        row(50, 50, 25_000_000, GF8, 40_000_000),
        row(50, 50, 25_000_000, "03070c", 200_000_000),
    ]
    good = e.write_table(rows)

    def read(label, description, data, expect="ok"):
        b.add(f"table/{label}", description, "erasure.table", expect, table=data.hex())

    def broken(rows):
        return e.write_table(rows)

    read("good", "A table.", good)
    read("empty", "A table without rows.", e.write_table([]))
    read("backwards", "Rows in another order.", broken(rows[::-1]), "NON_CANONICAL")
    read("twice", "A repeated row.", broken(rows[:1] * 2), "NON_CANONICAL")
    both = [rows[3], row(50, 50, 25_000, "030705", 1)]
    read("same-suite", "Two rows of suite 3 for one length.", broken(both), "NON_CANONICAL")
    read("checksum", "Another checksum.", flip(good, len(good) - 1), "MALFORMED")
    read("cost", "A changed cost.", flip(good, 4 + 11), "MALFORMED")
    read("truncated", "A byte is missing.", good[:-1], "MALFORMED")
    read("extended", "An additional byte.", good + b"\0", "MALFORMED")
    read("too-many", "More rows than the maximum.", u32(4097), "TOO_LARGE")
    read("fewer-than-said", "Fewer rows than its count.", u32(8) + good[4:], "MALFORMED")
    bad = bytearray(good)
    bad[4:6] = u16(0)
    read("no-data", "A row without data shards.", bytes(bad), "BAD_SHAPE")
    bad = bytearray(good)
    bad[4:8] = u16(255) + u16(2)
    read("impossible", "A row with parameters that its suite does not support.", bytes(bad), "BAD_SHAPE")
    bad = bytearray(good)
    bad[8:12] = u32((1 << 30) + 1)
    read("too-long", "A row for messages above the maximum length.", bytes(bad), "TOO_LARGE")

    def look(label, description, shape, length, suites=(1, 2, 3)):
        b.add(
            f"lookup/{label}",
            description,
            "erasure.lookup",
            table=good.hex(),
            data=shape[0],
            parity=shape[1],
            message=str(length),
            suites=list(suites),
        )

    look("exact", "A length of the table: for equal costs the suite with the lower number.", (50, 50), 25_000)
    look("long", "A message longer than all rows.", (50, 50), 10**12)
    look("empty", "An empty message.", (50, 50), 0)
    # The geometric mean of the two lengths is between these.
    look("nearer-to-the-shorter", "Nearer to the shorter, as a ratio.", (50, 50), 790_569, (2, 3))
    look("nearer-to-the-longer", "Nearer to the longer.", (50, 50), 790_570, (2, 3))
    look("jerasure", "Suite 3 only.", (50, 50), 30_000, (3,))
    look("other-shape", "The table has no row for this shape.", (50, 49), 25_000)
    look("no-suite", "No suite is allowed.", (50, 50), 25_000, ())
