"""threshold.json: BLS shares, the journal, sealed files; threshold ECDSA in the file beside this."""

from .. import seal, shared_bls
from ..book import Book
from ..committee import SCHEMES
from ..field import R
from ..wire import blob, derive, u8, u16
from . import threshold_ecdsa
from .common import BLS_SUITES, CHAIN, NAMES, flip, secret
from .threshold_deal import COMMITTEE, EPOCH, FAULTY, MESSAGE, PARTIES, drawing


def book():
    b = Book("threshold", "Threshold signatures: ECDSA from presignatures, BLS, the spending journal, sealed files.")
    threshold_ecdsa.plans(b)
    for suite in threshold_ecdsa.GROUPS:
        threshold_ecdsa.Ecdsa(b, suite).add()
        threshold_ecdsa.decoding(b, suite)
    journal(b)
    seals(b)
    for suite in BLS_SUITES:
        bls(b, suite)
    return b


def journal(b):
    keys = [derive("quorate vectors: threshold key", u8(i)) for i in range(2)]
    digests = [derive("quorate vectors: digest", u8(i)) for i in range(2)]

    def step(do, key=0, epoch=EPOCH, index=0, digest=0):
        return {"do": do, "key": keys[key].hex(), "epoch": str(epoch), "index": index, "digest": digests[digest].hex()}

    def spend(**fields):
        return step("spend", **fields)

    for suite in (1, 3):
        def case(name, description, steps, records=(), expect="ok", member=1):
            return b.add(
                f"journal/{NAMES[suite]}/{name}",
                description,
                "spending.session",
                expect,
                suite=suite,
                secret=secret(suite, member).hex(),
                chain=CHAIN.hex(),
                records=list(records),
                steps=steps,
            )

        first = case("spend", "Once, again, and on another message.", [spend(), spend(), spend(digest=1), spend(index=1), spend(key=1, digest=1)])
        log = first["records"]
        case("restart", "A spent presignature stays spent.", [spend(), spend(digest=1), spend(index=2)], log)
        case("reversed", "In any order of the records.", [spend(digest=1), spend(key=1, digest=1)], log[::-1])
        case("other-key", "The records of another guard.", [], log, "WRONG_CONTEXT", member=2)
        twice = log[0][:-64] + digests[1].hex()
        case("twice", "One presignature with two digests.", [], [log[0], twice], "CONTRADICTION")
        unknown = log[0][:64] + "03" + log[0][66:]
        case("unknown", "An unknown kind of record.", [], [unknown], "MALFORMED")
        block = case(
            "block",
            "Without records in a block that is reserved and confirmed.",
            [
                spend(index=1024),
                step("reserve", index=2047),
                spend(index=1025),
                step("reserve-and-confirm", index=1500),
                spend(index=1026),
                spend(index=1026, digest=1),
                spend(index=1023),
                spend(index=2048),
                spend(index=1027, epoch=EPOCH + 1),
                spend(index=1027, key=1),
            ],
        )
        after = [spend(index=i) for i in (1024, 1025, 1026, 1027, 2047)] + [step("reserve", index=1024), step("reserve", index=2048)]
        case("burnt", "After a crash, the reserved block counts as spent.", after, block["records"])
        closing = [spend(), spend(epoch=EPOCH + 1), spend(key=1), step("reserve", index=5000), step("close"), spend(index=3)]
        closed = case("close", "A finished epoch.", closing + [step("close", epoch=1), spend(epoch=1), spend(epoch=EPOCH + 1, digest=1)])
        case("closed", "A finished epoch stays finished.", [spend(), spend(epoch=EPOCH + 1, index=9), spend(key=1, index=9)], closed["records"])
        old = first["records"][0]
        case("closed-first", "Records before the end of the epoch do not matter.", [spend(digest=1)], [*closed["records"], old])


def seals(b):
    bob, eve, fresh = (derive("quorate vectors: sealing", u8(i)) for i in range(3))
    content, context = bytes(range(100)), b"epoch 7"
    good = seal.seal(seal.public_key(bob), context, content, fresh)

    def case(name, description, sealed=good, expect="WRONG_CONTEXT", secret=bob, context=context):
        b.add(f"seal/{name}", description, "seal.open", expect, secret=secret.hex(), context=context.hex(), sealed=sealed.hex())

    case("good", "Valid.", expect="ok")
    case("empty", "Nothing, sealed.", seal.seal(seal.public_key(bob), b"", b"", fresh), "ok", context=b"")
    case("other-recipient", "Sealed to another recipient.", secret=eve)
    case("other-context", "Sealed for another purpose.", context=b"epoch 8")
    case("other-key", "The ephemeral key changed.", flip(good, 0))
    case("top-bit", "The bit of the ephemeral key that X25519 ignores.", flip(good, 31, 0x80))
    case("other-content", "The content changed.", flip(good, 40))
    case("other-tag", "The tag changed.", flip(good, len(good) - 1))
    case("small-order", "An ephemeral key of small order.", bytes(32) + good[32:], "INFINITY")
    case("truncated", "Truncated.", good[:47], "MALFORMED")
    case("no-tag", "The last byte is missing.", good[:-1])


def bls(b, suite):
    scheme, name = SCHEMES[suite], NAMES[suite]
    key, files = shared_bls.deal(scheme, COMMITTEE, PARTIES, FAULTY, True, drawing(R, name))

    def case(label, description, operation, expect="ok", **inputs):
        operation = f"shared_bls.{operation}"
        return b.add(f"{name}/{label}", description, operation, expect, suite=suite, **inputs)

    file = files[2]
    case("file", "The file of a party.", "file", file=file.hex())
    for label, other, expect in (
        ("other-suite", flip(file, 0), "WRONG_CONTEXT"),
        ("no-class", file[:37] + u8(3) + file[38:], "MALFORMED"),
        ("other-member", file[:-34] + u16(1) + file[-32:], "WRONG_CONTEXT"),
        ("non-member", file[:-34] + u16(4) + file[-32:], "UNKNOWN_SIGNER"),
        ("zero", file[:-32] + bytes(32), "MALFORMED"),
        ("truncated", file[:-1], "MALFORMED"),
        ("extended", file + b"\0", "MALFORMED"),
    ):
        case(f"file-{label}", "Not a party's file.", "file", expect, file=other.hex())
    shares = []
    for member, file in enumerate(files[:3]):
        made = case(f"sign-{member}", "The share of a party.", "sign", file=file.hex(), message=MESSAGE.hex())
        shares.append(bytes.fromhex(made["share"]))

    def combine(label, description, shares, expect="ok", message=MESSAGE):
        shares = [share.hex() for share in shares]
        inputs = {"key": key.encode().hex(), "message": message.hex(), "shares": shares}
        return case(f"combine-{label}", description, "combine", expect, **inputs)

    first = combine("first", "Two shares.", shares[:2])
    assert first == combine("last", "Any two shares give the same signature.", shares[1:])
    combine("too-few", "One share.", shares[:1], "BELOW_QUORUM")
    combine("twice", "A repeated share.", [shares[0]] * 2, "DUPLICATE_SIGNER")
    combine("other-message", "Shares for another message.", shares[:2], "WRONG_CONTEXT", b"x")

    def evidence(label, description, share, expect="ok", message=MESSAGE):
        data = blob(message) + share
        inputs = {"key": key.encode().hex(), "evidence": data.hex()}
        case(f"evidence-{label}", description, "evidence", expect, **inputs)

    swapped = shares[0][:35] + shares[1][35:]
    evidence("swapped", "Another party's signature.", swapped)
    evidence("right", "A valid share.", shares[0], "NOT_EVIDENCE")
    evidence("other-message", "For another message.", swapped, "WRONG_CONTEXT", b"x")
    evidence("non-member", "The index of no member.", shares[0][:1] + u16(4) + shares[0][3:], "UNKNOWN_SIGNER")
