"""BLS signatures in both variants, under the ciphersuite with proofs of possession and under other chains'
(`spec/bls.md`)."""

from . import counts as block
from .ciphersuite import AUGMENTATION, DEFAULT
from .curve import G1, G2
from .errors import Refused
from .field import R
from .hash_to_curve import hash_to_curve
from .pairing import product_is_one


class Variant:
    """The operations of a suite, with the same names as in `ed25519.Ed25519`. Keys and signatures are points."""

    has_ciphersuites = True

    def __init__(self, suite, name, key_group, sig_group):
        self.suite, self.name, self.keys, self.sigs = suite, name, key_group, sig_group
        self.sign_tag = DEFAULT.tag(sig_group.name)
        self.pop_tag = f"BLS_POP_BLS12381{sig_group.name}_XMD:SHA-256_SSWU_RO_POP_".encode()
        self.key_len, self.sig_len, self.link_len = key_group.compressed, sig_group.compressed, sig_group.uncompressed

    # --- keys and signatures as bytes -------------------------------------------------------------------------

    def secret(self, data):
        scalar = int.from_bytes(data, "big")
        if len(data) != 32 or not 0 < scalar < R:
            raise Refused("MALFORMED")
        return scalar

    def decode_key(self, data):
        point = self.keys.decode(data)
        if point is None:
            raise Refused("INFINITY")
        if not self.keys.in_subgroup(point):
            raise Refused("NOT_IN_SUBGROUP")
        return point

    def encode_key(self, key):
        return self.keys.encode(key)

    def decode_signature(self, data):
        return self._finite(self.sigs.decode(data))

    def decode_link_signature(self, data):
        return self._finite(self.sigs.decode_uncompressed(data))

    def encode_signature(self, signature):
        return self.sigs.encode(signature)

    def encode_link_signature(self, signature):
        return self.sigs.encode_uncompressed(signature)

    @staticmethod
    def _finite(point):
        if point is None:
            raise Refused("INFINITY")
        return point

    # --- the raw API ------------------------------------------------------------------------------------------

    def public_key(self, secret):
        return self.keys.mul(self.keys.generator, secret)

    def sign(self, secret, message):
        return self.sigs.mul(hash_to_curve(self.sigs.name, message, self.sign_tag), secret)

    def verify(self, key, message, signature):
        self.aggregate_verify([(key, message)], signature)

    def sign_with(self, ciphersuite, secret, message):
        signed = ciphersuite.signed_bytes(self.encode_key(self.public_key(secret)), message)
        return self.sigs.mul(hash_to_curve(self.sigs.name, signed, ciphersuite.tag(self.sigs.name)), secret)

    def verify_with(self, ciphersuite, key, message, signature):
        signed = ciphersuite.signed_bytes(self.encode_key(key), message)
        self._equation([(key, signed)], signature, ciphersuite.tag(self.sigs.name))

    def prove_possession(self, secret):
        key = self.encode_key(self.public_key(secret))
        return self.sigs.mul(hash_to_curve(self.sigs.name, key, self.pop_tag), secret)

    def verify_possession(self, key, possession):
        try:
            self._equation([(key, self.encode_key(key))], possession, self.pop_tag)
        except Refused:
            raise Refused("BAD_POSSESSION") from None

    def aggregate(self, signatures):
        return self._finite(self.sigs.sum(signatures))

    def fast_aggregate_verify(self, keys, message, signature):
        self.aggregate_verify([(self.keys.sum(keys), message)], signature)

    def aggregate_verify(self, signed, signature):
        """Checks the aggregate `signature` of all pairs (key, message)."""
        if not signed:
            raise Refused("INFINITY")
        self._equation(signed, signature, self.sign_tag)

    def _equation(self, signed, signature, tag):
        if signature is None or any(key is None for key, _ in signed):
            raise Refused("INFINITY")
        if not self.sigs.in_subgroup(signature):
            raise Refused("NOT_IN_SUBGROUP")
        terms = [(key, hash_to_curve(self.sigs.name, message, tag)) for key, message in signed]
        terms.append((self.keys.neg(self.keys.generator), signature))
        if self.keys is G2:
            terms = [(sig, key) for key, sig in terms]
        if not product_is_one(terms):
            raise Refused("BAD_SIGNATURE")

    # --- certificates ---------------------------------------------------------------------------------------

    def check_committee_keys(self, keys):
        if self.keys.sum(keys) is None:
            raise Refused("INFINITY")

    def negated_key(self, key):
        return self.keys.neg(key)

    def encode_proof(self, signatures):
        """Signatures as a dictionary from member to point."""
        return self.encode_signature(self.sigs.sum(signatures.values()))

    def read_proof(self, reader, signers):
        return self.decode_signature(reader.raw(self.sig_len))

    def verify_claims(self, claims, proof, ciphersuite=DEFAULT):
        """`claims` is a list of (message, {member: key}). Keys that cancel contribute a factor of 1 among other claims.
        Under message augmentation no two members sign the same bytes, so each key is paired with a hash of its own."""
        if ciphersuite.number == AUGMENTATION:
            signed = [(key, message) for message, keys in claims for key in keys.values()]
            terms = [(key, ciphersuite.signed_bytes(self.encode_key(key), message)) for key, message in signed]
        else:
            sums = [(self.keys.sum(keys.values()), message) for message, keys in claims]
            terms = [(key, message) for key, message in sums if key is not None]
        if not terms:
            raise Refused("INFINITY")
        self._equation(terms, proof, ciphersuite.tag(self.sigs.name))


class Counted(Variant):
    """The same signatures, but a certificate states how often each signer's is in the sum: it has a pair of
    {member: count} and the sum (`spec/gossip.md`)."""

    has_ciphersuites = False

    def encode_proof(self, signatures):
        return self.encode_counted(dict.fromkeys(signatures, 1), self.sigs.sum(signatures.values()))

    def encode_counted(self, counts, signature):
        return block.encode([counts[i] for i in sorted(counts)]) + self.encode_signature(signature)

    def read_proof(self, reader, signers):
        counts = dict(zip(sorted(signers), block.read(reader, len(signers))))
        return counts, self.decode_signature(reader.raw(self.sig_len))

    def verify_claims(self, claims, proof, ciphersuite=DEFAULT):
        assert ciphersuite == DEFAULT
        counts, signature = proof
        weighed = [(m, {i: self.keys.mul(key, counts[i]) for i, key in keys.items()}) for m, keys in claims]
        super().verify_claims(weighed, signature)


MIN_SIG = Variant(1, "bls-min-sig", G2, G1)
MIN_PK = Variant(2, "bls-min-pk", G1, G2)
MIN_SIG_COUNTED = Counted(4, "bls-min-sig-counted", G2, G1)
MIN_PK_COUNTED = Counted(5, "bls-min-pk-counted", G1, G2)
