"""Committees (`spec/committee.md`)."""

from functools import cache

from . import wire
from .bls import MIN_PK, MIN_PK_COUNTED, MIN_SIG, MIN_SIG_COUNTED
from .ciphersuite import DEFAULT
from .ed25519 import ED25519
from .errors import Refused

SCHEMES = {scheme.suite: scheme for scheme in (MIN_SIG, MIN_PK, ED25519, MIN_SIG_COUNTED, MIN_PK_COUNTED)}
MAX_MEMBERS = 65_535
MAX_TOTAL_WEIGHT = 2**125


@cache
def decode_key(suite, key):
    """Cached, because a member's key is in many committees."""
    return SCHEMES[suite].decode_key(key)


def require_ciphersuite(scheme, ciphersuite):
    """Only suites 1 and 2 have ciphersuites other than the default."""
    if not scheme.has_ciphersuites and ciphersuite != DEFAULT:
        raise Refused("WRONG_CONTEXT")


def chain_id_from_name(name):
    return wire.derive(wire.CHAIN_NAME, name.encode())


class Committee:
    """Members are pairs (key as bytes, weight)."""

    def __init__(self, suite, chain, epoch, members, allow_repeats=False):
        self.scheme, self.chain, self.epoch = SCHEMES[suite], chain, epoch
        decoded = {key: decode_key(suite, key) for key in dict(members)}
        self.keys = [decoded[key] for key, _ in members]
        self.weights = [weight for _, weight in members]
        self._check(members, allow_repeats)
        self.total = sum(self.weights)
        self.quorum_weight = self.total * 2 // 3 + 1
        self.honest_weight = self.total // 3 + 1
        self.id = wire.derive(
            wire.COMMITTEE,
            wire.u8(suite)
            + chain
            + wire.u64(epoch)
            + wire.u16(len(members))
            + b"".join(key + wire.u128(weight) for key, weight in members),
        )

    def _check(self, members, allow_repeats):
        if not members or len(members) > MAX_MEMBERS or 0 in self.weights or sum(self.weights) > MAX_TOTAL_WEIGHT:
            raise Refused("BAD_COMMITTEE")
        if not allow_repeats:
            seen = set()
            for (encoded, _), key in zip(members, self.keys):
                if encoded in seen:
                    raise Refused("RELATED_KEYS")
                seen |= {encoded, self.scheme.encode_key(self.scheme.negated_key(key))}
        self.scheme.check_committee_keys(self.keys)

    @classmethod
    def new(cls, suite, chain, epoch, members):
        """Members are triples (key, possession, weight), all bytes but the weight; every proof is checked."""
        scheme = SCHEMES[suite]
        for key, possession, _ in members:
            scheme.verify_possession(scheme.decode_key(key), scheme.decode_signature(possession))
        return cls(suite, chain, epoch, [(key, weight) for key, _, weight in members])

    def __len__(self):
        return len(self.keys)

    def weight_of(self, members):
        return sum(self.weights[i] for i in members)

    def require_quorum(self, members):
        if self.weight_of(members) < self.quorum_weight:
            raise Refused("BELOW_QUORUM")

    # --- raw signer sets --------------------------------------------------------------------------------------

    def signers_from_indices(self, indices):
        seen = set()
        for index in indices:
            if index >= len(self):
                raise Refused("UNKNOWN_SIGNER")
            if index in seen:
                raise Refused("DUPLICATE_SIGNER")
            seen.add(index)
        return seen

    def signers_from_bitmap(self, data, msb_first=False):
        if len(data) != -(-len(self) // 8):
            raise Refused("MALFORMED")
        bits = {8 * i + b for i, byte in enumerate(data) for b in range(8) if byte >> (7 - b if msb_first else b) & 1}
        if bits and max(bits) >= len(self):
            raise Refused("NON_CANONICAL")
        return bits

    def signers_in_order(self, members):
        if any(a > b for a, b in zip(members, members[1:])):
            raise Refused("DUPLICATE_SIGNER")
        return self.signers_from_indices(members)

    def verify_raw(self, message, signers, proof, ciphersuite=DEFAULT):
        """The weight of the signers of `message`; `proof` is the encoded proof of a certificate."""
        return self._verify_raw([(message, signers)], signers, proof, ciphersuite)

    def verify_raw_each(self, signed, proof, ciphersuite=DEFAULT):
        """The weight of the members of `signed`, a list of (member, message) with one proof for all messages."""
        signers = self.signers_in_order([member for member, _ in signed])
        return self._verify_raw([(message, [member]) for member, message in signed], signers, proof, ciphersuite)

    def _verify_raw(self, claims, signers, proof, ciphersuite):
        proof = wire.whole(proof, lambda r: self.scheme.read_proof(r, signers))
        if not signers:
            raise Refused("BELOW_QUORUM")
        keyed = [(message, {i: self.keys[i] for i in members}) for message, members in claims]
        self.scheme.verify_claims(keyed, proof, ciphersuite)
        return self.weight_of(signers)
