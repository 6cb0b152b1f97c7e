"""Haraka v2 (Kölbl, Lauridsen, Mendel, Rechberger: IACR ePrint 2016/098), on AES rounds after FIPS 197.

Blocks are lists of four columns, each a little-endian 32-bit word, in the order of their bytes.
"""

# The round constants as the paper prints them: each line one 128-bit constant, most significant byte first.
CONSTANTS = """
0684704ce620c00ab2c5fef075817b9d 8b66b4e188f3a06b640f6ba42f08f717 3402de2d53f28498cf029d609f029114
0ed6eae62e7b4f08bbf3bcaffd5b4f79 cbcfb0cb4872448b79eecd1cbe397044 7eeacdee6e9032b78d5335ed2b8a057b
67c28f435e2e7cd0e2412761da4fef1b 2924d9b0afcacc07675ffde21fc70b3b ab4d63f1e6867fe9ecdb8fcab9d465ee
1c30bf84d4b7cd645b2a404fad037e33 b2cc0bb9941723bf69028b2e8df69800 fa0478a6de6f55724aaa9ec85c9d2d8a
dfb49f2b6b772a120efa4f2e29129fd4 1ea10344f449a23632d611aebb6a12ee af0449884b0500845f9600c99ca8eca6
21025ed89d199c4f78a2c7e327e593ec bf3aaaf8a759c9b7b9282ecd82d40173 6260700d6186b01737f2efd910307d6b
5aca45c22130044381c29153f6fc9ac6 9223973c226b68bb2caf92e836d1943a d3bf9238225886eb6cbab958e51071b4
db863ce5aef0c677933dfddd24e1128d bb606268ffeba09c83e48de3cb2212b1 734bd3dce2e4d19c2db91a4ec72bf77d
43bb47c361301b434b1415c42cb3924e dba775a8e707eff603b231dd16eb6899 6df3614b3c7559778e5e23027eca472c
cda75a17d6de7d776d1be5b9b88617f9 ec6b43f06ba8e9aa9d6c069da946ee5d cb1e6950f957332ba25311593bf327c1
2cee0c7500da619ce4ed0353600ed0d9 f0b1a5a196e90cab80bbbabc63a4a350 ae3db1025e962988ab0dde30938dca39
17bb8f38d554a40b8814f3a82e75b442 34bb8a5b5f427fd7aeb6b779360a16f6 26f65241cbe5543843ce5918ffbaafde
4ce99a54b9f3026aa2ca9cf7839ec978 ae51a51a1bdff7be40c06e2822901235 a0c1613cba7ed22bc173bc0f48a659cf
756acc03022882884ad6bdfde9c59da1
""".split()


def _columns(data):
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


ROUND = [_columns(bytes.fromhex(constant)[::-1]) for constant in CONSTANTS]


def _double(a):
    return (a << 1) ^ (0x11B if a & 0x80 else 0)


def _sbox():
    """FIPS 197, section 5.1.1: the inverse in the field, then the affine map."""
    exp, log, x = [0] * 255, [0] * 256, 1
    for i in range(255):
        exp[i], log[x] = x, i
        x ^= _double(x)
    box = []
    for a in range(256):
        inverse = exp[-log[a] % 255] if a else 0
        box.append(0x63)
        for turn in range(5):
            box[a] ^= (inverse << turn | inverse >> (8 - turn)) & 0xFF
    return box


SBOX = _sbox()
# A byte of the state, substituted and multiplied by its column of MixColumns.
TABLES = [
    [
        int.from_bytes([(_double(s), s, s, _double(s) ^ s)[(row - position) % 4] for row in range(4)], "little")
        for s in SBOX
    ]
    for position in range(4)
]


def _aes(block, key):
    """One round: SubBytes, ShiftRows, MixColumns, AddRoundKey."""
    out = []
    for column in range(4):
        word = key[column]
        for row in range(4):
            word ^= TABLES[row][block[(column + row) % 4] >> 8 * row & 0xFF]
        out.append(word)
    return out


def _join(blocks):
    return b"".join(word.to_bytes(4, "little") for block in blocks for word in block)


def _xor(a, b):
    return [x ^ y for x, y in zip(a, b)]


def haraka256(data):
    assert len(data) == 32
    columns = _columns(data)
    start = a, b = columns[:4], columns[4:]
    for i in range(0, 20, 4):
        a, b = _aes(_aes(a, ROUND[i]), ROUND[i + 2]), _aes(_aes(b, ROUND[i + 1]), ROUND[i + 3])
        a, b = [a[0], b[0], a[1], b[1]], [a[2], b[2], a[3], b[3]]
    return _join([_xor(a, start[0]), _xor(b, start[1])])


def haraka512(data):
    assert len(data) == 64
    columns = _columns(data)
    state = start = [columns[i : i + 4] for i in range(0, 16, 4)]
    for i in range(0, 40, 8):
        a, b, c, d = [_aes(_aes(block, ROUND[i + j]), ROUND[i + 4 + j]) for j, block in enumerate(state)]
        state = [
            [a[3], c[3], b[3], d[3]],
            [c[0], a[0], d[0], b[0]],
            [c[1], a[1], d[1], b[1]],
            [a[2], c[2], b[2], d[2]],
        ]
    full = [_xor(block, first) for block, first in zip(state, start)]
    return _join([full[0][2:] + full[1][2:], full[2][:2] + full[3][:2]])
