"""Erasure coding with commitments (`spec/erasure.md`), by definition: matrices over small fields, and elimination."""

from . import wire
from .errors import Refused
from .merkle import Tree

TREE = Tree("quorate-v1-erasure-shard", "quorate-v1-erasure-node")
ID, TABLE = "quorate-v1-erasure-id", "quorate-v1-erasure-table"
MAX_MESSAGE, MAX_SHARDS, MAX_ROWS = 1 << 30, (1 << 31) - 1, 4096

# --- fields ---------------------------------------------------------------------------------------------------

# Suite 3's reduction polynomial for each word size. Suite 2's is that of 8 bits.
POLYNOMIALS = {
    2: 0x7,
    3: 0xB,
    4: 0x13,
    5: 0x25,
    6: 0x43,
    7: 0x89,
    8: 0x11D,
    9: 0x211,
    10: 0x409,
    11: 0x805,
    12: 0x1053,
    13: 0x201B,
    14: 0x4443,
    15: 0x8003,
    16: 0x1100B,
}


class Field:
    """GF(2^bits) with polynomials as elements."""

    def __init__(self, bits, polynomial):
        self.bits, self.polynomial = bits, polynomial

    def mul(self, a, b):
        out = 0
        while b:
            if b & 1:
                out ^= a
            a, b = a << 1, b >> 1
            if a >> self.bits:
                a ^= self.polynomial
        return out

    def inverse(self, a):
        """a to the power of 2^bits - 2."""
        out = 1
        for _ in range(self.bits - 1):
            a = self.mul(a, a)
            out = self.mul(out, a)
        return out


class CantorField(Field):
    """GF(2^16) with its elements as sums of a basis, each element of which is the next one's square plus it."""

    BASIS = (
        0x0001, 0xACCA, 0x3C0E, 0x163E, 0xC582, 0xED2E, 0x914C, 0x4012,
        0x6C98, 0x10D8, 0x6A72, 0xB900, 0xFDB8, 0xFB34, 0xFF38, 0x991E,
    )  # fmt: skip

    def __init__(self):
        super().__init__(16, 0x1002D)
        self.polynomials = [0]
        for element in self.BASIS:
            self.polynomials += [known ^ element for known in self.polynomials]
        self.sums = [0] * 65536
        for number, element in enumerate(self.polynomials):
            self.sums[element] = number
        for element, after in zip(self.BASIS, self.BASIS[1:]):
            assert super().mul(after, after) ^ after == element

    def mul(self, a, b):
        return self.sums[super().mul(self.polynomials[a], self.polynomials[b])]


# --- suites ---------------------------------------------------------------------------------------------------


class Leopard:
    """Suite 1."""

    number, unit, parameters = 1, 2, (0, 0)
    field = None

    def allow(self, data, parity):
        pass

    def matrix(self, data, parity):
        """Row j and column i: the factor of data shard i in parity shard j."""
        Leopard.field = Leopard.field or CantorField()
        f = self.field

        def power(n):
            return 1 << (n - 1).bit_length()

        def vanishing(size, x):
            """The polynomial whose zeros are the elements 0 to size - 1, at x."""
            out = 1
            for zero in range(size):
                out = f.mul(out, x ^ zero)
            return out

        def factor(size, high, low):
            """`high` is an element from `size` on, `low` one below."""
            return f.mul(vanishing(size, high), f.inverse(high ^ low))

        few = power(data) > power(parity) or (power(data) == power(parity) and data <= parity)
        if few:
            size = power(parity)
            return [[factor(size, size + i, j) for i in range(data)] for j in range(parity)]
        size = power(data)
        return [[factor(size, size + j, i) for i in range(data)] for j in range(parity)]

    def symbols(self, shard):
        out = []
        for start in range(0, len(shard), 64):
            block = shard[start : start + 64]
            half = len(block) // 2
            out += [low | high << 8 for low, high in zip(block[:half], block[half:])]
        return out

    def shard(self, symbols):
        out = b""
        for start in range(0, len(symbols), 32):
            block = symbols[start : start + 32]
            out += bytes(s & 0xFF for s in block) + bytes(s >> 8 for s in block)
        return out


class Gf8:
    """Suite 2."""

    number, unit, parameters = 2, 1, (0, 0)
    field = Field(8, POLYNOMIALS[8])

    def allow(self, data, parity):
        if data + parity > 256:
            raise Refused("BAD_SHAPE")

    def matrix(self, data, parity):
        return [[self.field.inverse(i ^ (data + j)) for i in range(data)] for j in range(parity)]

    def symbols(self, shard):
        return list(shard)

    def shard(self, symbols):
        return bytes(symbols)


class Jerasure:
    """Suite 3."""

    number = 3

    def __init__(self, word, log2_packet):
        if not 2 <= word <= 16 or log2_packet > 16:
            raise Refused("BAD_SHAPE")
        self.word, self.packet, self.parameters = word, 1 << log2_packet, (word, log2_packet)
        self.unit, self.field = word * self.packet, Field(word, POLYNOMIALS[word])

    def allow(self, data, parity):
        if data + parity > 1 << self.word or max(data, parity) * self.word > 1024:
            raise Refused("BAD_SHAPE")

    def _ones(self, row):
        """Ones in the matrices of bits of a row's elements."""
        return sum(bin(self.field.mul(e, 1 << x)).count("1") for e in row for x in range(self.word))

    def matrix(self, data, parity):
        f = self.field
        rows = [[f.inverse(j ^ (parity + i)) for i in range(data)] for j in range(parity)]
        if not rows:
            return rows
        columns = [f.inverse(e) for e in rows[0]]
        rows = [[f.mul(e, c) for e, c in zip(row, columns)] for row in rows]
        for j in range(1, parity):
            # The first of the quotients that have the fewest ones, if that is fewer than it has.
            quotients = [[f.mul(e, f.inverse(by)) for e in rows[j]] for by in rows[j]]
            rows[j] = min([rows[j]] + quotients, key=self._ones)
        return rows

    def symbols(self, shard):
        out = []
        for start in range(0, len(shard), self.unit):
            packets = [
                int.from_bytes(shard[start + b * self.packet :][: self.packet], "little") for b in range(self.word)
            ]
            for t in range(8 * self.packet):
                out.append(sum((packet >> t & 1) << b for b, packet in enumerate(packets)))
        return out

    def shard(self, symbols):
        out = b""
        for start in range(0, len(symbols), 8 * self.packet):
            block = symbols[start : start + 8 * self.packet]
            for b in range(self.word):
                out += sum((s >> b & 1) << t for t, s in enumerate(block)).to_bytes(self.packet, "little")
        return out


def read_suite(r):
    number, *parameters = r.raw(3)
    if number in (1, 2):
        if parameters != [0, 0]:
            raise Refused("NON_CANONICAL")
        return Leopard() if number == 1 else Gf8()
    if number != 3:
        raise Refused("MALFORMED")
    return Jerasure(*parameters)


def write_suite(suite):
    return bytes((suite.number, *suite.parameters))


# --- agreed parameters ----------------------------------------------------------------------------------------


def check_shape(data, parity):
    if data == 0 or data + parity > 32768:
        raise Refused("BAD_SHAPE")


class Coding:
    def __init__(self, suite, data, parity, max_message):
        check_shape(data, parity)
        suite.allow(data, parity)
        self.suite, self.data, self.parity, self.max_message = suite, data, parity, max_message
        self.count = data + parity
        if max_message > MAX_MESSAGE or self.shard_len(max_message) * self.count > MAX_SHARDS:
            raise Refused("TOO_LARGE")

    def shard_len(self, message_len):
        part = max(1, -(-message_len // self.data))
        return -(-part // self.suite.unit) * self.suite.unit

    def max_encoded_len(self):
        return 43 + 8 + 32 * (self.count - 1).bit_length() + self.shard_len(self.max_message)


# --- coding ---------------------------------------------------------------------------------------------------

_matrices = {}


def matrix(coding):
    """Made once."""
    key = write_suite(coding.suite), coding.data, coding.parity
    if key not in _matrices:
        _matrices[key] = coding.suite.matrix(coding.data, coding.parity)
    return _matrices[key]


def encode(coding, data_shards):
    """All shards."""
    suite, rows = coding.suite, matrix(coding)
    f, symbols, out = suite.field, [suite.symbols(shard) for shard in data_shards], list(data_shards)
    for row in rows:
        sums = [0] * len(symbols[0])
        for factor, column in zip(row, symbols):
            if factor:
                sums = [s ^ f.mul(factor, c) for s, c in zip(sums, column)]
        out.append(suite.shard(sums))
    return out


def restore(coding, shards):
    """The data shards from exactly as many shards, by index."""
    suite, k, parity = coding.suite, coding.data, matrix(coding)
    f, rows = suite.field, []
    for index in sorted(shards):
        factors = [int(i == index) for i in range(k)] if index < k else list(parity[index - k])
        rows.append((factors, suite.symbols(shards[index])))
    for column in range(k):
        pivot = next(r for r in range(column, k) if rows[r][0][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        factors, values = rows[column]
        by = f.inverse(factors[column]) if factors[column] != 1 else 1
        if by != 1:
            factors, values = [f.mul(by, e) for e in factors], [f.mul(by, e) for e in values]
        rows[column] = factors, values
        for r in range(k):
            times = rows[r][0][column]
            if r != column and times:
                rows[r] = tuple([a ^ f.mul(times, b) for a, b in zip(x, y)] for x, y in zip(rows[r], rows[column]))
    return [suite.shard(values) for _, values in rows]


# --- messages, commitments, shards ----------------------------------------------------------------------------


class Commitment:
    def __init__(self, suite, data, parity, message_len, root):
        self.suite, self.data, self.parity, self.message_len, self.root = suite, data, parity, message_len, root

    def encode(self):
        return (
            write_suite(self.suite)
            + wire.u16(self.data)
            + wire.u16(self.parity)
            + wire.u32(self.message_len)
            + self.root
        )

    def identity(self):
        return wire.derive(ID, self.encode())

    @staticmethod
    def read(r, coding):
        suite, data, parity = read_suite(r), r.uint(2), r.uint(2)
        check_shape(data, parity)
        suite.allow(data, parity)
        read = Commitment(suite, data, parity, r.uint(4), r.raw(32))
        read.fits(coding)
        return read

    def fits(self, coding):
        mine = write_suite(self.suite), self.data, self.parity
        if mine != (write_suite(coding.suite), coding.data, coding.parity):
            raise Refused("WRONG_CONTEXT")
        if self.message_len > coding.max_message:
            raise Refused("TOO_LARGE")


def commit(coding, message_len, shards):
    """A commitment to arbitrary shards, and the encoded shards."""
    leaves = [TREE.leaf(shard) for shard in shards]
    commitment = Commitment(coding.suite, coding.data, coding.parity, message_len, TREE.root(leaves))
    sent = [commitment.encode() + TREE.path(leaves, index) + shard for index, shard in enumerate(shards)]
    return commitment, sent


def split(coding, message):
    length = coding.shard_len(len(message))
    padded = message + bytes(length * coding.data - len(message))
    return [padded[i * length : (i + 1) * length] for i in range(coding.data)]


def disperse(coding, message):
    if len(message) > coding.max_message:
        raise Refused("TOO_LARGE")
    return commit(coding, len(message), encode(coding, split(coding, message)))


def read_shard(data, coding):
    return wire.whole(data, lambda r: take_shard(r, coding))


def take_shard(r, coding):
    """Commitment, index and bytes of a shard whose path leads to the root."""
    commitment = Commitment.read(r, coding)
    index, count = r.uint(4), r.uint(4)
    if index >= count:
        raise Refused("MALFORMED")
    siblings = r.raw(32 * TREE._depth(index, count))
    if count != coding.count:
        raise Refused("MALFORMED")
    shard = r.raw(coding.shard_len(commitment.message_len))
    path = wire.u32(index) + wire.u32(count) + siblings
    TREE.verify(commitment.root, TREE.leaf(shard), path)
    return commitment, index, shard


def decode(coding, read):
    """The message of decoded shards."""
    if not read:
        raise Refused("BELOW_QUORUM")
    commitment, known = read[0][0], {}
    for of, index, shard in read:
        if of.encode() != commitment.encode():
            raise Refused("WRONG_CONTEXT")
        if index in known:
            raise Refused("DUPLICATE_SIGNER")
        known[index] = shard
    if len(known) < coding.data:
        raise Refused("BELOW_QUORUM")
    data = restore(coding, {index: known[index] for index in sorted(known)[: coding.data]})
    message, padding = b"".join(data)[: commitment.message_len], b"".join(data)[commitment.message_len :]
    if any(padding) or disperse(coding, message)[0].encode() != commitment.encode():
        raise Refused("BAD_ENCODING")
    return message


# --- tables of parameters -------------------------------------------------------------------------------------


def read_table(data):
    """The rows: data, parity, message length, suite, cost."""
    r, rows = wire.Reader(data), []
    for _ in range(r.count(MAX_ROWS)):
        shape = r.uint(2), r.uint(2)
        check_shape(*shape)
        message, suite, cost = r.uint(4), read_suite(r), r.uint(8)
        Coding(suite, *shape, message)
        rows.append((*shape, message, suite, cost))
    keys = [(*row[:3], row[3].number) for row in rows]
    if any(a >= b for a, b in zip(keys, keys[1:])):
        raise Refused("NON_CANONICAL")
    body = data[: len(data) - len(r.rest)]
    if r.raw(32) != wire.derive(TABLE, body):
        raise Refused("MALFORMED")
    r.end()
    return rows


def write_table(rows):
    body = wire.u32(len(rows))
    for data, parity, message, suite, cost in rows:
        body += wire.u16(data) + wire.u16(parity) + wire.u32(message) + write_suite(suite) + wire.u64(cost)
    return body + wire.derive(TABLE, body)


def best(rows, data, parity, message, numbers):
    """The row to use, or none."""
    from fractions import Fraction

    message = max(message, 1)

    def distance(row):
        length = max(row[2], 1)
        return Fraction(max(length, message), min(length, message)), row[2], row[4], row[3].number

    candidates = [row for row in rows if row[:2] == (data, parity) and row[3].number in numbers]
    return min(candidates, key=distance, default=None)
