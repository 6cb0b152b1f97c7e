"""BLAKE3 in key-derivation mode, from the BLAKE3 paper (sections 2.1 to 2.6)."""

from functools import cache

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL = 32, 64
MASK = 0xFFFFFFFF


def _mix(v, a, b, c, d, x, y):
    """The function G. Without a function for the rotations, which would take most of the model's time."""
    p, q, r, s = v[a], v[b], v[c], v[d]
    p = (p + q + x) & MASK
    s ^= p
    s = (s >> 16) | (s << 16) & MASK
    r = (r + s) & MASK
    q ^= r
    q = (q >> 12) | (q << 20) & MASK
    p = (p + q + y) & MASK
    s ^= p
    s = (s >> 8) | (s << 24) & MASK
    r = (r + s) & MASK
    q ^= r
    v[a], v[b], v[c], v[d] = p, (q >> 7) | (q << 25) & MASK, r, s


def _compress(chaining, block, counter, length, flags):
    m = [int.from_bytes(block[i : i + 4], "little") for i in range(0, 64, 4)]
    v = list(chaining) + list(IV[:4]) + [counter & MASK, counter >> 32, length, flags]
    for _ in range(7):
        for column in range(4):
            _mix(v, column, 4 + column, 8 + column, 12 + column, m[2 * column], m[2 * column + 1])
        for i in range(4):
            _mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i])
        m = [m[i] for i in PERMUTATION]
    return [v[i] ^ v[i + 8] for i in range(8)] + [v[i + 8] ^ chaining[i] for i in range(8)]


def _chunk(key, data, counter, flags):
    """The last compression of one chunk of at most 1,024 bytes, without its counter."""
    value, blocks = key, [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
    for i, block in enumerate(blocks):
        f = flags | (CHUNK_START if i == 0 else 0)
        if i == len(blocks) - 1:
            return value, block.ljust(64, b"\0"), len(block), f | CHUNK_END
        value = _compress(value, block, counter, len(block), f)[:8]
    raise AssertionError


def _tree(key, data, counter, flags):
    """The last compression of a subtree whose first chunk has the number `counter`: chaining value, block, length
    and flags."""
    if len(data) <= 1024:
        return _chunk(key, data, counter, flags)
    left_chunks = 1
    while 2048 * left_chunks < len(data):
        left_chunks *= 2
    left = _value(key, data[: 1024 * left_chunks], counter, flags)
    right = _value(key, data[1024 * left_chunks :], counter + left_chunks, flags)
    return key, _bytes(left + right), 64, flags | PARENT


def _value(key, data, counter, flags):
    """Chaining value of a subtree."""
    value, block, length, f = _tree(key, data, counter, flags)
    return _compress(value, block, 0 if f & PARENT else counter, length, f)[:8]


def _output(key, data, flags, length):
    """The root's output, of any length."""
    value, block, count, f = _tree(key, data, 0, flags)
    parts = [_bytes(_compress(value, block, i, count, f | ROOT)) for i in range((length + 63) // 64)]
    return b"".join(parts)[:length]


def _bytes(words):
    return b"".join(word.to_bytes(4, "little") for word in words)


def hash(data: bytes) -> bytes:
    """Plain BLAKE3."""
    return _output(IV, data, 0, 32)


@cache
def _context(context):
    return [int.from_bytes(word, "little") for word in _words(_output(IV, context.encode(), DERIVE_KEY_CONTEXT, 32))]


def _words(data):
    return [data[i : i + 4] for i in range(0, len(data), 4)]


def derive_key(context: str, material: bytes, length: int = 32) -> bytes:
    """BLAKE3 `derive_key`: the hash of `material` under a domain string."""
    return _output(_context(context), material, DERIVE_KEY_MATERIAL, length)
