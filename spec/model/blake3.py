"""BLAKE3 in key-derivation mode, from the BLAKE3 paper (sections 2.1 to 2.6). Output of 32 bytes only."""

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL = 32, 64
MASK = 0xFFFFFFFF


def _mix(v, a, b, c, d, x, y):
    v[a] = (v[a] + v[b] + x) & MASK
    v[d] = _rotate(v[d] ^ v[a], 16)
    v[c] = (v[c] + v[d]) & MASK
    v[b] = _rotate(v[b] ^ v[c], 12)
    v[a] = (v[a] + v[b] + y) & MASK
    v[d] = _rotate(v[d] ^ v[a], 8)
    v[c] = (v[c] + v[d]) & MASK
    v[b] = _rotate(v[b] ^ v[c], 7)


def _rotate(word, by):
    return (word >> by) | (word << (32 - by)) & MASK


def _compress(chaining, block, counter, length, flags):
    m = [int.from_bytes(block[i : i + 4], "little") for i in range(0, 64, 4)]
    v = list(chaining) + list(IV[:4]) + [counter & MASK, counter >> 32, length, flags]
    for _ in range(7):
        for column in range(4):
            _mix(v, column, 4 + column, 8 + column, 12 + column, m[2 * column], m[2 * column + 1])
        for i in range(4):
            _mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i])
        m = [m[i] for i in PERMUTATION]
    return [v[i] ^ v[i + 8] for i in range(8)]


def _chunk(key, data, counter, flags, root):
    """Chaining value of one chunk of at most 1,024 bytes."""
    value, blocks = key, [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
    for i, block in enumerate(blocks):
        f = flags | (CHUNK_START if i == 0 else 0)
        if i == len(blocks) - 1:
            f |= CHUNK_END | (ROOT if root else 0)
        value = _compress(value, block.ljust(64, b"\0"), counter, len(block), f)
    return value


def _tree(key, data, counter, flags, root):
    """Chaining value of a subtree whose first chunk has the number `counter`."""
    if len(data) <= 1024:
        return _chunk(key, data, counter, flags, root)
    left_chunks = 1
    while 2048 * left_chunks < len(data):
        left_chunks *= 2
    left = _tree(key, data[: 1024 * left_chunks], counter, flags, False)
    right = _tree(key, data[1024 * left_chunks :], counter + left_chunks, flags, False)
    block = b"".join(word.to_bytes(4, "little") for word in left + right)
    return _compress(key, block, 0, 64, flags | PARENT | (ROOT if root else 0))


def _bytes(words):
    return b"".join(word.to_bytes(4, "little") for word in words)


def hash(data: bytes) -> bytes:
    """Plain BLAKE3."""
    return _bytes(_tree(IV, data, 0, 0, True))


def derive_key(context: str, material: bytes) -> bytes:
    """BLAKE3 `derive_key`: what this project calls the hash of `material` under a domain string."""
    key = _tree(IV, context.encode(), 0, DERIVE_KEY_CONTEXT, True)
    return _bytes(_tree(key, material, 0, DERIVE_KEY_MATERIAL, True))
