"""The committees of abft.json with all their secrets, and what their members send."""

from .. import abft, coin, ecdsa, erasure, presigned, seal, shared_bls, tdh2, wire
from ..committee import SCHEMES
from ..ed25519 import ED25519
from ..field import R
from ..operations.abfts import setup
from ..wire import u8, u16, u32
from .shares import deal, stream
from .threshold_deal import drawing

COMMITTEE = bytes([0xAB] * 32)
# The epoch for which member 0 has presignatures.
EPOCH = 5


class World:
    def __init__(self, book, name, members, faulty, scheme="list"):
        self.book, self.name, self.n, self.scheme, self.is_list = book, name, members, scheme, scheme == "list"
        agreed, unagreed = (self._deal(kind, members, faulty) for kind in (abft.AGREED, abft.UNAGREED))
        tosses, self.coins = deal(coin.PURPOSE, faulty + 1, members, COMMITTEE, name)
        encryption, self.decrypting = deal(tdh2.PURPOSE, faulty + 1, members, COMMITTEE, name)
        self.secrets = {abft.AGREED: agreed[1], abft.UNAGREED: unagreed[1]}
        self.entry = {
            "committee": COMMITTEE.hex(),
            "members": members,
            "faulty": faulty,
            "scheme": scheme,
            "code": "010000",
            "max_message": 4096,
            "max_value": 2048,
            "agreed": agreed[0],
            "unagreed": unagreed[0],
            "coin": tosses.encode().hex(),
            "encryption": encryption.encode().hex(),
            "secrets": [
                {
                    "agreed": agreed[1][member].hex(),
                    "unagreed": unagreed[1][member].hex(),
                    "coin": self.coins[member].encode().hex(),
                    "encryption": self.decrypting[member].encode().hex(),
                }
                for member in range(members)
            ],
        }
        if scheme == "presigned":
            self._deal_presignatures(members, faulty)
        book.setups[name] = self.entry
        self.setup = setup(self.entry)

    def _deal(self, kind, members, faulty):
        """The public keys as in the file, and each member's secret."""
        if self.is_list:
            secrets = [stream(f"{self.name} {kind} {member}", 32) for member in range(members)]
            return [ED25519.public_key(secret).hex() for secret in secrets], secrets
        draws = iter(range(members))

        def draw():
            return int.from_bytes(stream(f"{self.name} {kind} {next(draws)}"), "big") % R

        key, files = shared_bls.deal(SCHEMES[1], COMMITTEE, members, faulty, kind == abft.AGREED, draw)
        return key.encode().hex(), files

    def _deal_presignatures(self, members, faulty):
        """Of all members. The file has those of member 0."""
        draw = drawing(presigned.GROUP.math.ORDER, self.name)
        self.presignatures = ecdsa.deal(presigned.GROUP, COMMITTEE, members, faulty, EPOCH, presigned.plan(members), draw)
        mine, sealing = self.presignatures[0], stream(f"{self.name} sealing", 32)
        context = presigned.context(mine.key, EPOCH, 0)
        sealed = seal.seal(seal.public_key(sealing), context, mine.encode(), stream(f"{self.name} ephemeral", 32))
        self.entry |= {
            "chain": bytes([0xCA] * 32).hex(),
            "ecdsa": mine.key.encode().hex(),
            "presigned_epoch": str(EPOCH),
            "presignatures": sealed.hex(),
        }
        identity = stream(f"{self.name} identity", 32)
        self.entry["secrets"][0] |= {"identity": identity.hex(), "sealing": sealing.hex()}

    def add(self, name, description, operation, expect="ok", /, **inputs):
        return self.book.add(f"{self.name}/{name}", description, operation, expect, setup=self.name, **inputs)

    # --- statements and signatures, encoded -------------------------------------------------------------------

    def promotion(self, view, proposer, stage, value, epoch=5):
        return abft.promotion(COMMITTEE, epoch, view, proposer, stage, abft.digest(value))

    def delivery(self, epoch, sender, id):
        return abft.delivery(COMMITTEE, epoch, sender, id)

    def share(self, kind, member, statement):
        key = self.setup.key(kind)
        return key.write_share(key.sign(self.secrets[kind][member], member, statement))

    def wrong_share(self, kind, member, statement, other):
        """A share of `statement` with the signature of another one."""
        right, wrong = (self.share(kind, member, one) for one in (statement, other))
        # The member, and for BLS the suite before it and the digest after it, are those of the statement.
        head = 2 if self.is_list else (self.scheme == "presigned") + 1 + 2 + 32
        return right[:head] + wrong[head:]

    def signature(self, kind, statement, members=None):
        key = self.setup.key(kind)
        chosen = range(key.needed) if members is None else members
        shares = [key.sign(self.secrets[kind][member], member, statement) for member in chosen]
        return key.write(key.combine(statement, shares))

    def proof(self, epoch, sender, id):
        return u16(sender) + id + self.signature(abft.AGREED, self.delivery(epoch, sender, id))

    def coin_share(self, member, epoch, view):
        instance = coin.Name(abft.COIN_PROTOCOL, epoch, 0, view).toss(self.setup.coin)
        return self.coins[member].prove(instance, stream(f"coin {member} {epoch} {view}", 32))

    # --- values of members ------------------------------------------------------------------------------------

    def encrypt(self, epoch, proposer, plaintext, broken=False):
        random = stream(f"{self.name} encrypt {epoch} {proposer}", 160)
        payload = None
        if broken:
            # The last byte of the cipher's tag is wrong, and all else is right.
            sealed = tdh2.seal(random[:32], plaintext)
            payload = sealed[:-1] + bytes([sealed[-1] ^ 1])
        return tdh2.encrypt(self.setup.encryption, epoch, proposer, plaintext, random, payload).encode()

    def decryptions(self, epoch, values, proposers):
        """Decrypt of members 1 and 2 for each of the proposers."""
        sent = []
        for proposer in proposers:
            instance = tdh2.read(values[proposer]).check(self.setup.encryption, epoch, proposer)
            for member in (1, 2):
                share = self.decrypting[member].prove(instance, stream(f"open {member} {proposer}", 32))
                sent.append(self._sent(member, u8(2) + u16(proposer) + share.encode()))
        return sent

    # --- messages ---------------------------------------------------------------------------------------------

    @staticmethod
    def _sent(member, message):
        return {"from": member, "message": message.hex()}

    def epoch_messages(self, epoch, values, senders):
        """Echo and Ready of members 1 to 3 in the broadcasts of the senders, and a Decide of their set."""
        sent, proofs = [], []
        for sender in senders:
            commitment, shards = erasure.disperse(self.setup.coding, values[sender])
            id, head = commitment.identity(), u8(1) + u8(1) + u16(sender) + u8(1)
            for member in range(1, 4):
                sent.append(self._sent(member, head + u8(2) + shards[member]))
                sent.append(self._sent(member, head + u8(3) + id))
            proofs.append(self.proof(epoch, sender, id))
        value = u32(len(proofs)) + b"".join(proofs)
        return [*sent, self._sent(3, u8(1) + u8(2) + self.decide(epoch, 1, value))]

    def leader(self, epoch, view, shares):
        return abft.leader(self.setup, epoch, view, shares)

    def decide(self, epoch, view, value):
        shares = [self.coin_share(member, epoch, view) for member in range(self.setup.faulty + 1)]
        leader = self.leader(epoch, view, shares)
        certificate = self.signature(abft.UNAGREED, self.promotion(view, leader, 3, value, epoch))
        listed = u32(len(shares)) + b"".join(share.encode() for share in shares)
        return u8(8) + u32(view) + wire.blob(value) + certificate + listed
