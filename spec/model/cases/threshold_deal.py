"""Cases of threshold.json: the group of parties and the scalars of its deals."""

from ..wire import derive, u32

COMMITTEE = derive("quorate vectors: committee", b"threshold")
PARTIES, FAULTY, EPOCH = 4, 1, 7
MESSAGE = b"pay 5 to Bob"


def drawing(order, label):
    """Returns a scalar that is the hash of its number."""
    count = 0

    def draw():
        nonlocal count
        count += 1
        seed = derive("quorate vectors: dealt", label.encode() + u32(count))
        return int.from_bytes(seed, "big") % (order - 1) + 1

    return draw
