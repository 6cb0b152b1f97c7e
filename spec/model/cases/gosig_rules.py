"""Cases of gosig.json: DecideBlock, and membership changes with the resulting committees."""

from itertools import product

from ..certificate import Certificate, Statement
from ..ed25519 import ED25519
from ..membership import MEMBERSHIP, PREFIX
from ..wire import blob, derive, u8, u32, u64, u128
from .common import flip, key_pair
from .gosig_chain import EPOCH, infinity, signed

A, B, C = (bytes([byte]) * 32 for byte in (0xAA, 0xBB, 0xCC))


def _z(score, block, certified):
    score = score if isinstance(score, bytes) else bytes([score] * 32)
    return {"score": score.hex(), "block": block.hex(), "certified": str(certified)}


def decisions(b):
    def run(label, description, lock, held):
        shown = lock and {"block": lock[0].hex(), "round": str(lock[1])}
        return b.add(f"decide-{label}", description, "gosig.decide", lock=shown, proposals=[_z(*z) for z in held])

    def case(label, description, lock, *held, expect):
        """Adds a case; `expect` has the prepared block and the lock afterwards."""
        prepared, after = expect
        after = after and {"block": after[0].hex(), "round": str(after[1])}
        assert run(label, description, lock, held) == {"prepares": prepared and prepared.hex(), "lock": after}, label

    lock = (A, 4)
    case("nothing", "Line 1.", None, expect=(None, None))
    case("nothing-locked", "Line 1: the lock stays.", lock, expect=(None, lock))
    case("free", "Line 3: the best score.", None, (5, A, 9), (3, B, 1), (4, C, 9), expect=(B, None))
    case("free-alone", "Line 3.", None, (9, A, 1), expect=(A, None))
    case("free-tie", "Of equal scores, the smaller digest.", None, (3, C, 1), (3, B, 1), expect=(B, None))
    low, high = bytes(31) + b"\x09", b"\x01" + bytes(31)
    case("scores", "Scores are ordered as byte strings.", None, (high, A, 1), (low, B, 1), expect=(B, None))
    case("release", "Line 4: another block with a newer certificate.", lock, (1, B, 5), expect=(B, None))
    case("release-much-newer", "Line 4.", lock, (1, B, 2**64 - 1), expect=(B, None))
    case("same-round", "Line 6: another block, of the lock's round.", lock, (1, B, 4), expect=(None, lock))
    case("older", "Line 6: another block, of an older round.", lock, (1, B, 3), expect=(None, lock))
    case("newer-not-best", "Line 6: the newer one does not have the best score.", lock, (1, B, 4), (2, C, 9), expect=(None, lock))
    case("again", "Line 5: the locked block again.", lock, (1, A, 4), expect=(A, lock))
    case("renewed", "Line 5, not 4: the locked block with a newer certificate.", lock, (1, A, 5), expect=(A, (A, 5)))
    case("again-older", "Line 6: with an older certificate.", lock, (1, A, 3), expect=(None, lock))
    case("again-worse", "Line 5, whatever its score.", lock, (1, B, 4), (9, A, 4), expect=(A, lock))
    newest = (1, B, 3), (9, A, 5), (8, A, 7), (7, A, 6)
    case("again-newest", "Line 5: with the newest.", lock, *newest, expect=(A, (A, 7)))
    case("best-releases", "Line 4 before line 5.", lock, (1, B, 5), (2, A, 9), expect=(B, None))
    case("best-is-locked", "Line 5: the other one does not have the best score.", lock, (1, A, 4), (2, B, 9), expect=(A, lock))
    case("best-is-old", "Line 5: the best one is old, another is not.", lock, (1, A, 2), (2, A, 4), expect=(A, lock))
    case("tie-releases", "Line 4: on a tie the smaller digest.", (B, 4), (1, B, 9), (1, A, 5), expect=(A, None))
    case("tie-keeps", "Line 5: on a tie the smaller digest.", (A, 4), (1, B, 5), (1, A, 4), expect=(A, lock))
    all_of_two = product(product((A, B, C), repeat=2), product((3, 4, 5), repeat=2))
    for number, ((first, second), (one, other)) in enumerate(all_of_two):
        run(f"two-{number}", "Two proposals and a lock.", lock, [(1, first, one), (2, second, other)])


class Members:
    """Builds membership changes for one epoch of a chain."""

    def __init__(self, chain):
        self.chain, self.scheme, self.c = chain, chain.scheme, chain.c

    def key(self, number):
        return key_pair(3, number)[2]

    def leave(self, number):
        return u8(0) + self.key(number)

    def join(self, number, *, weight=1, contact=b"127.0.0.1:7000", possession=None, identity=None, voting=None):
        """Returns a join with the keys of this number, unless others are given."""
        _, secret, key = key_pair(self.chain.suite, number if voting is None else voting)
        if possession is None:
            possession = self.scheme.encode_signature(self.scheme.prove_possession(secret))
        _, secret, identity_key = key_pair(3, number if identity is None else identity)
        voter, identity = key + possession, identity_key + ED25519.prove_possession(secret)
        return u8(1) + voter + identity + u128(weight) + blob(contact)

    def statement(self, change, **changes):
        digest = derive("quorate-v1-gosig-membership", change)
        return Statement(**{"kind": MEMBERSHIP, "epoch": EPOCH, "view": 0, "digest": digest, **changes})

    def allow(self, change, numbers=(0, 1, 2), **changes):
        """Returns the certificate."""
        c, statement = self.c.identities, self.statement(change, **changes)
        message = statement.signed_bytes(c.id)
        return Certificate.encode_parts(c, statement, {i: signed(3, key_pair(3, i)[1], message) for i in numbers})

    def transaction(self, change, certificate=None, epoch=EPOCH):
        return PREFIX + u64(epoch) + change + (self.allow(change) if certificate is None else certificate)


def changes(chain):
    m = Members(chain)
    _encodings(chain, m)
    _epochs(chain, m)
    _not_allowed(chain, m)


def _encodings(chain, m):
    def case(label, description, change, expect="ok"):
        chain.case("change", f"change-{label}", description, expect, change=change)

    join, leave = m.join(7), m.leave(1)
    case("leave", "Member 1 leaves.", leave)
    case("join", "A member joins.", join)
    case("join-no-contact", "Without a contact.", m.join(7, contact=b""))
    case("join-longest-contact", "With the longest contact.", m.join(7, contact=b"c" * 512))
    case("join-heavy", "With the largest weight.", m.join(7, weight=2**128 - 1))
    head = join[: -len(b"127.0.0.1:7000") - 4]
    case("contact-too-long", "A contact that is too long.", head + u32(513), "TOO_LARGE")
    case("kind-2", "Neither a join nor a leave.", flip(leave, 0, 2), "MALFORMED")
    case("leave-not-a-key", "A key of small order.", u8(0) + u8(1) + bytes(31), "INFINITY")
    key_len, sig_len = chain.scheme.key_len, chain.scheme.sig_len
    voting, proof = 1 + key_len, 1 + key_len + sig_len
    case("join-no-key", "Infinity as voting key.", u8(1) + infinity(key_len) + join[voting:], "INFINITY")
    unproved = join[:voting] + infinity(sig_len) + join[proof:]
    case("join-no-possession", "Infinity as its possession proof.", unproved, "INFINITY")
    for cut in (0, 1, voting - 1, voting, proof, proof + 32, proof + 96, len(join) - 1):
        case(f"join-truncated-{cut}", "Truncated.", join[:cut], "MALFORMED")
    for label, change in (("leave", leave), ("join", join)):
        case(f"{label}-extended", "A trailing byte.", change + b"\0", "MALFORMED")
        made = chain.case(
            "change_transaction",
            f"change-transaction-{label}",
            "The transaction of the change.",
            change=change,
            certificate=m.allow(change),
        )
        assert made == {"transaction": m.transaction(change).hex()}


def _next(chain, label, description, transactions, members):
    """Adds a case; `members` has the numbers of the next epoch's members, None if the epoch continues."""
    made = chain.case("next_epoch", f"epoch-{label}", description, transactions=[one.hex() for one in transactions])["next"]
    found = made and [member["identity"] for member in made["members"]]
    assert found == (members and [key_pair(3, i)[2].hex() for i in members]), label
    return made


def _epochs(chain, m):
    def case(label, description, changes, members):
        return _next(chain, label, description, [b"pay", *map(m.transaction, changes), b"me"], members)

    four = [0, 1, 2, 3]
    join, leave = m.join(7, weight=2), m.leave
    case("none", "No change.", [], None)
    case("join", "A joiner gets the last index.", [join], [*four, 7])
    case("leave", "Indices shift.", [leave(1)], [0, 2, 3])
    case("join-and-leave", "A join and a leave.", [join, leave(1)], [0, 2, 3, 7])
    case("leave-and-join", "In the other order.", [leave(1), join], [0, 2, 3, 7])
    case("two-join", "Two joins in the order of the block.", [m.join(8), join], [*four, 8, 7])
    case("join-twice", "A repeated join is skipped.", [join, join], [*four, 7])
    made = case("come-and-go", "A join and a leave of one member cancel out; the epoch ends.", [join, leave(7)], four)
    assert made["contacts"] == [] and made["voters"] != chain.c.voters.id.hex()
    case("leave-and-return", "A member leaves and joins again.", [leave(2), m.join(2)], [0, 1, 3, 2])
    case("leave-twice", "A repeated leave is skipped.", [leave(2), leave(2)], [0, 1, 3])
    case("leave-unknown", "A leave of an unknown member is skipped.", [leave(9)], None)
    case("join-member", "A join of a member is skipped.", [m.join(2)], None)
    case("join-voting-key-twice", "A voting key of a member.", [m.join(8, voting=2)], None)
    case("join-identity-twice", "An identity of a member.", [m.join(8, identity=2)], None)
    case("join-weightless", "A weight of zero.", [m.join(8, weight=0)], None)
    case("join-too-heavy", "More weight than a committee can have.", [m.join(8, weight=2**125)], None)
    case("skipped", "An invalid change is skipped, the next one is applied.", [leave(9), m.join(2), leave(3)], [0, 1, 2])
    case("last-stays", "The last member cannot leave.", [leave(i) for i in four], [3])


def _not_allowed(chain, m):
    def case(label, description, transaction, members=None):
        _next(chain, f"not-{label}", description, [transaction], members)

    change = m.leave(1)
    good = m.transaction(change)
    case("extended", "A trailing byte.", good + b"\0")
    case("truncated", "Truncated.", good[:-1])
    case("prefix-alone", "The first bytes alone.", PREFIX)
    case("other-prefix", "Other first bytes.", flip(good, 21))
    case("without", "Without a certificate.", PREFIX + u64(EPOCH) + change)
    for epoch in (EPOCH - 1, EPOCH + 1):
        case(f"epoch-{epoch}", "For another epoch.", m.transaction(change, epoch=epoch))
    case("other-change", "A certificate for another change.", m.transaction(change, m.allow(m.leave(2))))
    case("other-kind", "A certificate of another kind.", m.transaction(change, m.allow(change, kind=4)))
    case("other-view", "A certificate for another view.", m.transaction(change, m.allow(change, view=1)))
    few = m.allow(change, (0, 1))
    case("below-quorum", "A certificate of two of four members.", m.transaction(change, few))
    forged = m.allow(change)
    case("forged", "A signature of another member.", m.transaction(change, forged[:-64] + forged[-128:-64]))
    other = m.join(7, contact=b"elsewhere")
    case("other-contact", "A certificate for another contact.", m.transaction(other, m.allow(m.join(7))))
    stolen = m.join(7, possession=m.join(8)[1 + chain.scheme.key_len :][: chain.scheme.sig_len])
    case("unproved-key", "A voting key without a valid possession proof.", m.transaction(stolen))
    join = m.join(7)
    at = 1 + chain.scheme.key_len + chain.scheme.sig_len
    proof = m.join(8)[at + 32 : at + 96]
    unproved = join[: at + 32] + proof + join[at + 96 :]
    case("unproved-identity", "An identity without a valid proof.", m.transaction(unproved))


def weighted_changes(chain):
    """Adds a case of a committee whose first member has weight five and the others one each."""
    m = Members(chain)

    def case(label, description, change, allowed, members):
        transaction = m.transaction(change, m.allow(change, allowed))
        return _next(chain, label, description, [transaction], members)

    case("two", "Two of four, with six of eight.", m.leave(3), (0, 3), [0, 1, 2])
    case("three", "All but the heaviest.", m.leave(0), (1, 2, 3), None)
    made = case("join", "Weights do not change.", m.join(7, weight=9), (0, 1), [0, 1, 2, 3, 7])
    assert [member["weight"] for member in made["members"]] == ["5", "1", "1", "1", "9"]
