"""ChaCha20-Poly1305 (RFC 8439)."""


def _quarter(s, a, b, c, d):
    for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] = s[x] + s[y] & 0xFFFFFFFF
        mixed = s[z] ^ s[x]
        s[z] = (mixed << turn | mixed >> 32 - turn) & 0xFFFFFFFF


def block(key, counter, nonce):
    """64 bytes of key stream (section 2.3)."""
    start = b"expand 32-byte k" + key + counter.to_bytes(4, "little") + nonce
    words = [int.from_bytes(start[i : i + 4], "little") for i in range(0, 64, 4)]
    state = list(words)
    for _ in range(10):
        for column in range(4):
            _quarter(state, column, 4 + column, 8 + column, 12 + column)
        for i in range(4):
            _quarter(state, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return b"".join((a + b & 0xFFFFFFFF).to_bytes(4, "little") for a, b in zip(state, words))


def cipher(key, nonce, data):
    out = bytearray()
    for i in range(0, len(data), 64):
        out += bytes(a ^ b for a, b in zip(data[i : i + 64], block(key, 1 + i // 64, nonce)))
    return bytes(out)


def poly1305(key, data):
    """Section 2.5."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for i in range(0, len(data), 16):
        total = (total + int.from_bytes(data[i : i + 16] + b"\x01", "little")) * r % (2**130 - 5)
    return (total + int.from_bytes(key[16:], "little") & 2**128 - 1).to_bytes(16, "little")


def _padded(data):
    return data + bytes(-len(data) % 16)


def tag(key, nonce, aad, ciphertext):
    lengths = len(aad).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
    return poly1305(block(key, 0, nonce)[:32], _padded(aad) + _padded(ciphertext) + lengths)


def encrypt(key, nonce, aad, plaintext):
    """The ciphertext, 16 bytes longer."""
    ciphertext = cipher(key, nonce, plaintext)
    return ciphertext + tag(key, nonce, aad, ciphertext)


def decrypt(key, nonce, aad, data):
    """The plaintext, or None."""
    ciphertext, given = data[:-16], data[-16:]
    return cipher(key, nonce, ciphertext) if tag(key, nonce, aad, ciphertext) == given else None
