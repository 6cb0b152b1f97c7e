"""wire.json"""

from .. import wire as w
from ..book import Book


def book():
    b = Book("wire", "Integers, varints, byte strings, lists, options, and hashes under domain strings.")
    for width in (1, 2, 4, 8, 16):
        data = bytes(range(1, width + 1))
        b.add(f"u{8 * width}", "Little endian, fixed width.", "wire.uint", bytes=data.hex(), width=width)
        b.add(f"u{8 * width}-max", "All bits set.", "wire.uint", bytes="ff" * width, width=width)
        b.add(f"u{8 * width}-short", "A missing byte.", "wire.uint", "MALFORMED", bytes=data[1:].hex(), width=width)
        b.add(
            f"u{8 * width}-long", "A trailing byte.", "wire.uint", "MALFORMED", bytes="00" + data.hex(), width=width
        )
    varints(b)
    strings_and_lists(b)
    hashes(b)
    return b


def varints(b):
    for value in (0, 1, 127, 128, 300, 16383, 16384, 2097151, 2097152, 268435455, 268435456, 2**32 - 1):
        b.add(f"varint-{value}", "LEB128 in the shortest form.", "wire.varint", bytes=w.varint(value).hex())
    b.add("varint-empty", "No bytes.", "wire.varint", "MALFORMED", bytes="")
    b.add("varint-unfinished", "The last byte announces another.", "wire.varint", "MALFORMED", bytes="80")
    b.add("varint-padded-zero", "Zero in two bytes.", "wire.varint", "NON_CANONICAL", bytes="8000")
    b.add("varint-padded-one", "One in three bytes.", "wire.varint", "NON_CANONICAL", bytes="818000")
    b.add("varint-padded-five", "127 in five bytes.", "wire.varint", "NON_CANONICAL", bytes="ff80808000")
    b.add("varint-too-large", "A value of 2^32 or more.", "wire.varint", "MALFORMED", bytes="8080808010")
    b.add("varint-six-bytes", "A fifth byte that announces a sixth.", "wire.varint", "MALFORMED", bytes="808080808001")
    b.add("varint-trailing", "A trailing byte.", "wire.varint", "MALFORMED", bytes="0000")


def strings_and_lists(b):
    b.add("bytes-empty", "Length zero.", "wire.bytes", bytes="00000000", cap=0)
    b.add("bytes-at-cap", "As long as allowed.", "wire.bytes", bytes=w.blob(b"quorate").hex(), cap=7)
    b.add(
        "bytes-above-cap",
        "One byte longer than allowed.",
        "wire.bytes",
        "TOO_LARGE",
        bytes=w.blob(b"quorate").hex(),
        cap=6,
    )
    b.add(
        "bytes-huge",
        "The maximum length is checked before missing bytes.",
        "wire.bytes",
        "TOO_LARGE",
        bytes="ffffffff",
        cap=6,
    )
    b.add("bytes-truncated", "Fewer bytes than announced.", "wire.bytes", "MALFORMED", bytes="0700000071", cap=7)
    b.add("bytes-no-length", "A truncated length.", "wire.bytes", "MALFORMED", bytes="000000", cap=7)
    b.add("bytes-trailing", "A trailing byte.", "wire.bytes", "MALFORMED", bytes="0000000000", cap=7)
    numbers = w.u32(3) + b"".join(map(w.u64, (7, 0, 2**64 - 1)))
    b.add("list-empty", "Count zero.", "wire.list", bytes="00000000", cap=0)
    b.add("list", "Three numbers of eight bytes.", "wire.list", bytes=numbers.hex(), cap=3)
    b.add("list-above-cap", "One item more than allowed.", "wire.list", "TOO_LARGE", bytes=numbers.hex(), cap=2)
    b.add("list-huge", "A count of 4 × 10⁹ without items.", "wire.list", "TOO_LARGE", bytes="ffffffff", cap=1000)
    b.add("list-truncated", "The last item is truncated.", "wire.list", "MALFORMED", bytes=numbers[:-1].hex(), cap=3)
    b.add(
        "list-trailing",
        "More items than announced.",
        "wire.list",
        "MALFORMED",
        bytes=(numbers + w.u64(1)).hex(),
        cap=3,
    )
    b.add("option-none", "An absent value.", "wire.option", bytes="00")
    b.add("option-some", "A number.", "wire.option", bytes="01" + w.u64(7).hex())
    b.add("option-tag", "The tag is neither 0 nor 1.", "wire.option", "MALFORMED", bytes="02" + w.u64(7).hex())
    b.add(
        "option-none-trailing", "Bytes after an absent value.", "wire.option", "MALFORMED", bytes="00" + w.u64(7).hex()
    )


def hashes(b):
    pattern = bytes(i % 251 for i in range(2049))
    for length in (0, 1, 64, 1024, 1025, 2049):
        b.add(
            f"hash-{length}",
            "BLAKE3 derive_key under a domain string; the lengths are at the edges of its blocks and chunks.",
            "wire.hash",
            domain=w.STATEMENT,
            bytes=pattern[:length].hex(),
        )
    for domain in (w.COMMITTEE, w.CHAIN_NAME):
        b.add(f"hash-under-{domain}", "Another domain changes the hash.", "wire.hash", domain=domain, bytes="")
