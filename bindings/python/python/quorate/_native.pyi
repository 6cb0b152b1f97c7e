"""
The native part of quorate; import `quorate` instead.
"""

from collections.abc import Callable, Coroutine, Iterable
from datetime import timedelta
from quorate.ciphersuite import Ciphersuite as Ciphersuite
from quorate.dsig import Announced
from quorate.errors import QuorateError
from quorate.faults import Collected, VoteFault
from quorate.gossip import Checked as GossipChecked, Received, Send
from quorate.header import UntrustedHeader as UntrustedHeader
from quorate.merkle import Merkle as Merkle, Path as Path
from quorate.suite import Suite
from quorate.threshold.coin import ShareFault as CoinShareFault
from quorate.threshold.ecdsa import Signed
from quorate.threshold.kinds import Agreement, Group
from quorate.threshold.results import Checked, Collected as SharesCollected, Counts, Outcome
from quorate.threshold.tdh2 import Collected as DecryptionCollected, Label, ShareFault as Tdh2ShareFault
from typing import Any, Final, SupportsIndex, TypeAlias, final
from typing_extensions import Buffer

# `Reader`, `Writer` and `CheckedShard` have members of that name.
_Bytes: TypeAlias = bytes

__all__ = ["DEFAULT_BATCH_THRESHOLD", "EXPECTED_WINNERS", "MAX_MEMBERS", "MAX_MESSAGE", "MAX_PARTIES", "MAX_POOL", "MAX_SHARDS", "MAX_STACK", "MAX_TIMEOUT_GROUPS", "MAX_TOTAL_WEIGHT", "SEAL_MAX_CONTENT", "SEAL_OVERHEAD", "TDH2_MAX_PLAINTEXT", "TDH2_OVERHEAD", "VERSION", "Aggregate", "Auditor", "BlsCombiner", "BlsGroupKey", "BlsKeyShare", "BlsShareFault", "BlsSignatureShare", "Cache", "Certificate", "ChainId", "CheckedShard", "Ciphersuite", "Ciphertext", "Coder", "Coding", "Coin", "CoinCombiner", "CoinKeyShare", "CoinName", "CoinPublicKeys", "CoinShare", "CoinValue", "CoinVerifiedShare", "CoinWrongShare", "Commitment", "Committee", "CommitteeId", "Conflict", "Deal", "Decryption", "DecryptionShare", "Dispersal", "EcdsaCombiner", "EcdsaGroupKey", "EcdsaShareFault", "EcdsaSignature", "EcdsaSignatureShare", "EncryptionKey", "Equivocation", "ErasureSuite", "Gossip", "Guard", "GuardRecord", "Lottery", "Members", "Merkle", "Opener", "Opening", "Packets", "Parameters", "Path", "Peers", "Plan", "Pool", "Presignature", "Presignatures", "PublicKey", "Reader", "Row", "Score", "SealingKey", "SealingPublicKey", "SecretKey", "Seed", "SeedProof", "Shape", "Signature", "Signer", "SignerSet", "Signing", "Statement", "Suspects", "Table", "Tag", "Tdh2KeyShare", "Tdh2PublicKeys", "Tdh2VerifiedShare", "Tdh2WrongShare", "Threshold", "Ticket", "TimeoutCertificate", "TimeoutCollector", "TimeoutVote", "Tolerance", "TrustedDealer", "UntrustedHeader", "UnverifiedKey", "ValidCiphertext", "VerifiedAggregate", "VerifiedCertificate", "VerifiedConflict", "VerifiedEquivocation", "VerifiedKey", "VerifiedTicket", "VerifiedTimeoutCertificate", "VerifiedTimeoutVote", "VerifiedVote", "Verifier", "Vote", "VoteCollector", "Writer", "aggregate", "aggregate_verify", "aggregate_verify_async", "bls_beacon", "bls_deal", "core_codes", "domains", "dsig_suites", "fast_aggregate_verify", "fast_aggregate_verify_async", "hash", "reuse", "verify", "verify_all", "verify_all_async", "verify_reuse"]

DEFAULT_BATCH_THRESHOLD: Final[int]
EXPECTED_WINNERS: Final[int]
MAX_MEMBERS: Final[int]
MAX_MESSAGE: Final[int]
MAX_PARTIES: Final[int]
MAX_POOL: Final[int]
MAX_SHARDS: Final[int]
MAX_STACK: Final[int]
MAX_TIMEOUT_GROUPS: Final[int]
MAX_TOTAL_WEIGHT: Final[int]
SEAL_MAX_CONTENT: Final[int]
SEAL_OVERHEAD: Final[int]
TDH2_MAX_PLAINTEXT: Final[int]
TDH2_OVERHEAD: Final[int]
VERSION: Final[str]

@final
class Aggregate:
    """
    Signatures of some members on one statement, summed in any order: the signers, and how often each signature is in
    the sum. A quorum is not required. A decoded aggregate is canonical and has the committee's epoch; its sum is not
    verified yet. Only the suites `bls-min-sig-counted` and `bls-min-pk-counted` have aggregates.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __copy__(self, /) -> Aggregate: ...
    def __deepcopy__(self, memo: Any, /) -> Aggregate: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: decoding needs the committee.
        """
    def __repr__(self, /) -> str: ...
    def count(self, /, member: SupportsIndex) -> int:
        """
        Count of a member's signature in the sum: 0 for a non-signer.
        """
    @property
    def counts(self, /) -> list[int]:
        """
        Count of each signer's signature in the sum, in ascending order of the signers.
        """
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> Aggregate:
        """
        Decodes an aggregate of that committee: checks its form and epoch, not its sum.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encoded_len(self, /) -> int:
        """
        Length of the encoding in bytes.
        """
    @staticmethod
    def from_certificate(certificate: VerifiedCertificate) -> VerifiedAggregate:
        """
        Returns the aggregate of a certificate.
        """
    @staticmethod
    def from_vote(vote: VerifiedVote, committee: Committee) -> VerifiedAggregate:
        """
        Returns the aggregate of one verified vote.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The sum.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        A new set of the signers.
        """
    @property
    def statement(self, /) -> Statement:
        """
        The signed statement.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedAggregate:
        """
        Verifies the sum. Cost: two pairings, one hash to the curve, one subgroup check, and one addition for each
        signer, or for each absent member if all counts are 1.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedAggregate]:
        """
        As `verify`, on another thread.
        """
    @staticmethod
    def verify_batch(committee: Committee, aggregates: Iterable[Aggregate]) -> list[VerifiedAggregate | QuorateError]:
        """
        Verifies several by a random linear combination and returns a verdict for each, in input order: the verified
        aggregate, or the exception that `verify` would have raised.
        """
    @staticmethod
    def verify_batch_async(committee: Committee, aggregates: Iterable[Aggregate]) -> Coroutine[Any, Any, list[VerifiedAggregate | QuorateError]]:
        """
        As `verify_batch`, on another thread.
        """
    @staticmethod
    def verify_batch_derived(committee: Committee, aggregates: Iterable[Aggregate]) -> list[VerifiedAggregate | QuorateError]:
        """
        As `verify_batch`, with coefficients derived by hashing the whole input, so that all nodes compute the same.
        """
    @staticmethod
    def verify_batch_derived_async(committee: Committee, aggregates: Iterable[Aggregate]) -> Coroutine[Any, Any, list[VerifiedAggregate | QuorateError]]:
        """
        As `verify_batch_derived`, on another thread.
        """

@final
class Auditor:
    """
    Verifies a log, one signature after the other, without prior knowledge and with one Ed25519 verification per batch
    of keys. It has no list of signers: the caller decides which to trust. Threads may share an auditor.
    """
    def __new__(cls, /, suite: str = "wots-blake3", *, roots: SupportsIndex = 1024) -> Auditor:
        """
        An auditor that remembers up to `roots` batches of keys, at least one; the oldest are evicted, and each takes
        about 12 kB.
        """
    def __repr__(self, /) -> str: ...
    def check(self, /, signer: PublicKey, message: Buffer, signature: Buffer) -> None:
        """
        Verifies the next signature of a log. Raises `BadSignatureError`, or `OneTimeReuseError` if its key signed
        another message before, in a batch that is remembered.
        """
    @property
    def suite(self, /) -> str:
        """
        The name of the suite.
        """

@final
class BlsCombiner:
    """
    Combines shares into a signature: optimistically at first; only if that fails, it checks each share and identifies
    the wrong ones. Threads may share it.
    """
    def __new__(cls, /, key: BlsGroupKey, message: Buffer, cache: Cache | None = None) -> BlsCombiner:
        """
        A combiner for a message, which is signed without any framing: it must contain everything that the signature is
        to bind. Combiners that share a `cache` reuse the Lagrange coefficients of recent sets of members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, sender: SupportsIndex, share: BlsSignatureShare) -> Outcome[Signature, BlsShareFault]:
        """
        Adds a share received over a link that authenticates `sender`. Raises `WrongContextError` for a share of another
        message or of another party than the sender, and `UnknownSignerError`. It never requests openings.
        """
    @property
    def counts(self, /) -> Counts:
        """
        Work done so far.
        """
    @property
    def key(self, /) -> BlsGroupKey:
        """
        Key whose shares it collects.
        """
    @property
    def signature(self, /) -> Signature | None:
        """
        The signature, once it exists.
        """

@final
class BlsGroupKey:
    """
    Public part of a shared key.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee of the key.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> BlsGroupKey:
        """
        Decodes a key of that suite. Cost: a square root and a subgroup check for each party.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def id(self, /) -> bytes:
        """
        Identifier of 32 bytes, which every share contains.
        """
    def party(self, /, member: SupportsIndex) -> PublicKey | None:
        """
        Verification key of one party's shares; `None` if there is no such party.
        """
    @property
    def public(self, /) -> PublicKey:
        """
        Key under which the signatures verify.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    @property
    def threshold(self, /) -> Threshold:
        """
        Number of shares that a signature needs.
        """
    @property
    def tolerance(self, /) -> Tolerance:
        """
        Number of parties, and the maximum number of faulty ones.
        """

@final
class BlsKeyShare:
    """
    One party's share of the key. It cannot be printed, pickled or copied, and is wiped when it is closed or collected: use it
    in a `with` block.
    """
    def __enter__(self, /) -> BlsKeyShare: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    @staticmethod
    def from_bytes(suite: Suite | str, data: Buffer) -> BlsKeyShare:
        """
        Decodes the result of `to_bytes` for that suite. The caller keeps the bytes: pass a `bytearray` and
        overwrite it.
        """
    @property
    def key(self, /) -> BlsGroupKey:
        """
        Public part of the key.
        """
    @property
    def member(self, /) -> int:
        """
        Index of its party.
        """
    def sign(self, /, message: Buffer) -> BlsSignatureShare:
        """
        Signs. The caller decides whether the message may be signed: nothing is recorded.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the whole share, to be sealed for its party. The result is a Python object that is never wiped.
        """

@final
class BlsShareFault:
    """
    A wrong share, with the message that it was to sign. Every holder of the key can verify it, if the share is
    attested.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> BlsShareFault:
        """
        Decodes unverified evidence of that suite.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def share(self, /) -> BlsSignatureShare:
        """
        The wrong share.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, key: BlsGroupKey, attested: Callable[[int, bytes, bytes], object]) -> int:
        """
        Verifies the evidence and returns the culprit. `attested` is called with a member, bytes and that member's
        attestation of them; it returns true if the attestation is valid. Raises `NotEvidenceError` if it is not or if
        the share is right, and whatever `attested` raises.
        """

@final
class BlsSignatureShare:
    """
    One party's part of a signature.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def attest(self, /, attestation: Buffer) -> BlsSignatureShare:
        """
        Returns the share with the party's signature, of at most 8,192 bytes.
        """
    @property
    def attestation(self, /) -> bytes:
        """
        The party's signature on `attested_bytes`; empty if there is none.
        """
    def attested_bytes(self, /) -> bytes:
        """
        Returns the bytes that a party signs so that a wrong share can be attributed to it.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> BlsSignatureShare:
        """
        Decodes a share of that suite.
        """
    @property
    def digest(self, /) -> bytes:
        """
        A hash of the key and the message.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def member(self, /) -> int:
        """
        Index of the party that the share names. Compare it with the sender.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """

@final
class Cache:
    """
    A cache of the Lagrange coefficients of recently used sets of members. In a stable network the same members usually
    respond first, so share one cache among all combiners. Threads may share it.
    """
    def __new__(cls, /, capacity: SupportsIndex = 16) -> Cache:
        """
        A cache of at most `capacity` sets for each group, at least one. Memory: 34 bytes for each member of a set.
        """

@final
class Certificate:
    """
    A quorum's signatures on one statement. A decoded certificate is canonical, has the committee's epoch and reaches
    the quorum; its signatures are not verified yet. Two certificates of one statement may differ in their signers:
    compare statements, never certificates.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __copy__(self, /) -> Certificate: ...
    def __deepcopy__(self, memo: Any, /) -> Certificate: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: decoding needs the committee.
        """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> Certificate:
        """
        Decodes a certificate of that committee: checks its form, epoch and quorum, not its signatures.
        """
    @staticmethod
    def decode_detached(data: Buffer, statement: Statement, committee: Committee) -> Certificate:
        """
        Decodes the form without suite and statement, for use where the statement is known.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encode_detached(self, /) -> bytes:
        """
        Returns the form without suite and statement: non-signers and proof.
        """
    def encoded_len(self, /) -> int:
        """
        Length of the encoding in bytes.
        """
    def proof(self, /) -> bytes:
        """
        Encoded aggregate (BLS), or the signatures in ascending order of the signers (Ed25519).
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        A new set of the signers.
        """
    @property
    def statement(self, /) -> Statement:
        """
        The certified statement.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedCertificate:
        """
        Verifies the signatures. Cost (BLS): two pairings, one hash to the curve, one subgroup check, and one addition
        for each absent member (or each present member, if those are fewer).
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedCertificate]:
        """
        As `verify`, on another thread.
        """
    @staticmethod
    def verify_batch(committee: Committee, certificates: Iterable[Certificate]) -> list[VerifiedCertificate | QuorateError]:
        """
        Verifies several by a random linear combination and returns a verdict for each, in input order: the verified
        certificate, or the exception that `verify` would have raised.
        """
    @staticmethod
    def verify_batch_async(committee: Committee, certificates: Iterable[Certificate]) -> Coroutine[Any, Any, list[VerifiedCertificate | QuorateError]]:
        """
        As `verify_batch`, on another thread.
        """
    @staticmethod
    def verify_batch_derived(committee: Committee, certificates: Iterable[Certificate]) -> list[VerifiedCertificate | QuorateError]:
        """
        As `verify_batch`, with coefficients derived by hashing the whole input, so that all nodes compute the same.
        """
    @staticmethod
    def verify_batch_derived_async(committee: Committee, certificates: Iterable[Certificate]) -> Coroutine[Any, Any, list[VerifiedCertificate | QuorateError]]:
        """
        As `verify_batch_derived`, on another thread.
        """

@final
class ChainId:
    """
    Identifier of a chain: 32 bytes that no other chain uses, for instance the hash of the genesis.
    """
    def __bytes__(self, /) -> bytes:
        """
        Returns the 32 bytes.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes as 64 hex digits.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> ChainId:
        """
        Creates the identifier from exactly 32 bytes.
        """
    @staticmethod
    def from_name(name: str) -> ChainId:
        """
        Derives an identifier from a name, for tests and demonstrations. Any party that knows the name can derive it, so
        a live chain hashes its genesis instead.
        """

@final
class CheckedShard:
    """
    A shard whose path leads to the root of its commitment. Decoding a shard checks it, and only checked shards can be
    decoded into a message.
    """
    def __copy__(self, /) -> CheckedShard: ...
    def __deepcopy__(self, memo: Any, /) -> CheckedShard: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def bytes(self, /) -> _Bytes:
        """
        The shard's own bytes.
        """
    @property
    def commitment(self, /) -> Commitment:
        """
        The commitment that it belongs to.
        """
    @staticmethod
    def decode(data: Buffer, coding: Coding) -> CheckedShard:
        """
        Decodes a shard of that coding and checks it. Cost: hashing the shard.
        """
    def encode(self, /) -> _Bytes:
        """
        Returns the canonical encoding: commitment, path, and the shard's bytes.
        """
    @property
    def index(self, /) -> int:
        """
        Index of the shard; the data shards come first.
        """
    @staticmethod
    def max_encoded_len(coding: Coding) -> int:
        """
        Maximum length of an encoded shard of this coding: the limit for a link.
        """

@final
class Ciphertext:
    """
    A ciphertext as sent by a proposer. Only its form is checked.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def check(self, /, key: EncryptionKey, epoch: SupportsIndex, proposer: SupportsIndex) -> ValidCiphertext:
        """
        Checks that this is a ciphertext for these keys, that it is for this proposer and epoch (the link authenticates
        the sender), and that payload and proof are its author's. Raises `WrongContextError` or `BadCiphertextError`.
        Cost: four multiplications, two of them short, plus a hash of the payload.
        """
    def check_async(self, /, key: EncryptionKey, epoch: SupportsIndex, proposer: SupportsIndex) -> Coroutine[Any, Any, ValidCiphertext]:
        """
        As `check`, on another thread.
        """
    @staticmethod
    def decode(data: Buffer) -> Ciphertext:
        """
        Decodes a ciphertext.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def label(self, /) -> Label:
        """
        The context that it names.
        """
    @property
    def payload(self, /) -> bytes:
        """
        The encrypted payload, `OVERHEAD` bytes longer than the plaintext.
        """

@final
class Coder:
    """
    Encodes messages into shards and decodes them, for one coding. It holds tables and working memory, up to twice the
    size of the largest message so far: reuse it. Threads may share it, but their calls are serialised; prefer one coder
    per thread.
    """
    def __new__(cls, /, coding: Coding) -> Coder:
        """
        Creates a coder; raises `BadShapeError` if this build does not support the code.
        """
    def __repr__(self, /) -> str: ...
    @property
    def coding(self, /) -> Coding:
        """
        Its coding.
        """
    def decode(self, /, shards: Iterable[CheckedShard]) -> Dispersal:
        """
        Restores the message and all shards from at least as many shards of one commitment as there are data shards. ALL
        MEMBERS THAT DECODE SHARDS OF THIS COMMITMENT REACH THE SAME VERDICT: if the sender committed to shards that do
        not encode one message, every decoder raises `BadEncodingError`, and the shards are the evidence. Raises
        `WrongContextError` for shards of several commitments, `DuplicateSignerError`, and `BelowQuorumError` for too
        few.
        """
    def decode_async(self, /, shards: Iterable[CheckedShard]) -> Coroutine[Any, Any, Dispersal]:
        """
        As `decode`, on another thread.
        """
    def disperse(self, /, message: Buffer) -> Dispersal:
        """
        Encodes a message into all its shards and commits to them. Cost: computing the parity shards, and hashing all
        shards.
        """
    def disperse_async(self, /, message: Buffer) -> Coroutine[Any, Any, Dispersal]:
        """
        As `disperse`, on another thread.
        """

@final
class Coding:
    """
    A code, a shape that it supports, and the maximum message length.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, shape: Shape, max_message: SupportsIndex, suite: ErasureSuite | None = None) -> Coding:
        """
        A coding of messages up to `max_message` bytes, with the recommended suite by default. Raises `BadShapeError` if
        the suite does not support the shape, and `TooLargeError` above `MAX_MESSAGE`, or if all shards together exceed
        `MAX_SHARDS` bytes.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def max_message(self, /) -> int:
        """
        Maximum message length in bytes.
        """
    @property
    def shape(self, /) -> Shape:
        """
        Number of data and parity shards.
        """
    def shard_len(self, /, message: SupportsIndex) -> int:
        """
        Length of each shard of a message of this length.
        """
    @property
    def suite(self, /) -> ErasureSuite:
        """
        The erasure code.
        """

@final
class Coin:
    """
    A name hashed to the group for a set of keys: the base of its shares.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def base(self, /) -> bytes:
        """
        The element whose multiples are the shares: 32 bytes.
        """
    def combine(self, /, keys: CoinPublicKeys, shares: Iterable[CoinVerifiedShare], cache: Cache | None = None) -> CoinValue:
        """
        Combines verified shares into the value. Raises `BelowQuorumError`, `DuplicateSignerError`, and
        `WrongContextError` for a share of another coin.
        """
    @property
    def id(self, /) -> bytes:
        """
        Identifier in the proofs of its shares: 32 bytes.
        """
    @property
    def name(self, /) -> CoinName:
        """
        Its name.
        """
    @staticmethod
    def from_name(keys: CoinPublicKeys, name: CoinName) -> Coin:
        """
        Returns the coin with that name. Cost: half a multiplication.
        """

@final
class CoinCombiner:
    """
    Collects the shares of one coin until enough are valid. It verifies all shares, in batches, before combining them,
    because a combined value cannot be verified. Threads may share it.
    """
    def __new__(cls, /, keys: CoinPublicKeys, coin: Coin, cache: Cache | None = None) -> CoinCombiner:
        """
        For a coin of these keys; otherwise it raises `WrongContextError`. Combiners that share a `cache` reuse the
        Lagrange coefficients of recent sets of members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, share: CoinShare) -> SharesCollected[CoinValue, CoinShareFault]:
        """
        Adds a share. The output is the value, returned once, when enough shares are valid. Raises `UnknownSignerError`.
        """
    @property
    def is_done(self, /) -> bool:
        """
        True if the value was returned.
        """

@final
class CoinKeyShare:
    """
    A member's share of the secret key. It cannot be printed, pickled or copied, and is wiped when it is closed or
    collected: use it in a `with` block. Other copies are not wiped: the bytes that it was created from, and the result
    of `to_bytes`.
    """
    LEN: Final[int]
    """
    Length of the result of `to_bytes` in bytes.
    """
    def __enter__(self, /) -> CoinKeyShare: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def check(self, /, keys: CoinPublicKeys) -> None:
        """
        Verifies that the dealer gave this member the secret of its verification key, or raises `BadShareError`. Call it
        once: with a wrong secret the member makes wrong shares and is blamed for them.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    def coin_share(self, /, coin: Coin) -> CoinShare:
        """
        Returns this member's share of a coin. RELEASE IT ONLY WHEN THE PROTOCOL PERMITS IT: a party that sees enough
        shares early knows the value early. Cost: three multiplications.
        """
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee for which it was dealt.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> CoinKeyShare:
        """
        Decodes the result of `to_bytes`; call `check` next. The caller keeps the bytes: pass a `bytearray` and
        overwrite it.
        """
    @property
    def member(self, /) -> int:
        """
        Member that holds the share.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the 99 bytes, for a key file. The result is a Python object that is never wiped.
        """
    @property
    def verification_key(self, /) -> bytes:
        """
        Its public verification key: 32 bytes.
        """

@final
class CoinName:
    """
    Name of a coin. Use each name for one decision only.
    """
    LEN: Final[int]
    """
    Length of a name in bytes.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, protocol: SupportsIndex, epoch: SupportsIndex, instance: SupportsIndex, round: SupportsIndex) -> CoinName:
        """
        `protocol` is a number chosen by the caller, so that two protocols never share a coin; then follow its epoch, an
        instance of the epoch, and a round of the instance.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> CoinName:
        """
        Decodes the 25 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 25 bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        Epoch of the protocol.
        """
    @property
    def instance(self, /) -> int:
        """
        Instance within the epoch.
        """
    @property
    def protocol(self, /) -> int:
        """
        Number of the protocol.
        """
    @property
    def round(self, /) -> int:
        """
        Round of the instance.
        """

@final
class CoinPublicKeys:
    """
    The public keys of a dealt key, checked to lie on one polynomial.
    """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee for which they were dealt.
        """
    @staticmethod
    def deal(committee: CommitteeId, threshold: Threshold) -> tuple[CoinPublicKeys, list[CoinKeyShare]]:
        """
        Deals a new key whose threshold is one more than the maximum number of faulty members. THE PROCESS THAT RUNS
        THIS KNOWS THE KEY: run it once, offline, and give each member only its own share.
        """
    @staticmethod
    def decode(data: Buffer) -> CoinPublicKeys:
        """
        Decodes keys and verifies that they lie on one polynomial. Cost: a sum of n + 1 products.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def key(self, /) -> bytes:
        """
        The public key: 32 bytes.
        """
    def precomputed(self, /) -> CoinPublicKeys:
        """
        Returns the same keys with a table for each member, which makes verifying between n/8 and 46 shares at once
        somewhat cheaper. Memory: 10 kB for each member. Cost: as `decode`, plus a quarter of a multiplication per
        member.
        """
    @property
    def threshold(self, /) -> Threshold:
        """
        Number of shares needed, and number of parties.
        """
    def verification_key(self, /, member: SupportsIndex) -> bytes | None:
        """
        Returns the member's verification key of 32 bytes; `None` if there is no such member.
        """
    def verify_share(self, /, instance: Coin, share: CoinShare) -> CoinVerifiedShare:
        """
        Verifies one share, or raises `BadShareError`. Cost: 1.5 multiplications.
        """
    def verify_shares(self, /, instance: Coin, shares: Iterable[CoinShare]) -> Checked[CoinVerifiedShare, CoinShareFault]:
        """
        Verifies several shares together and identifies every wrong one; these raise no error but are listed in
        `faults`. Cost: 0.6 multiplications per share.
        """
    def verify_shares_async(self, /, instance: Coin, shares: Iterable[CoinShare]) -> Coroutine[Any, Any, Checked[CoinVerifiedShare, CoinShareFault]]:
        """
        As `verify_shares`, on another thread.
        """

@final
class CoinShare:
    """
    A member's share with its proof, as received. A decoded share is not verified yet.
    """
    LEN: Final[int]
    """
    Length of a share in bytes.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> CoinShare:
        """
        Decodes the 130 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 130 bytes.
        """
    @property
    def member(self, /) -> int:
        """
        Member that the share names. Unproven until the share is verified.
        """

@final
class CoinValue:
    """
    32 random bytes, the same for all members.
    """
    def __bytes__(self, /) -> bytes:
        """
        Returns the 32 bytes.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes as 64 hex digits.
        """
    def below(self, /, n: SupportsIndex) -> int | None:
        """
        Returns a number from 0 to n − 1, for leader election; `None` if n is 0. The bias is below 2⁻²⁴⁰.
        """
    def bit(self, /) -> bool:
        """
        Returns one bit.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> CoinValue:
        """
        Creates a known value of exactly 32 bytes.
        """

@final
class CoinVerifiedShare:
    """
    A share that was verified for one instance. Only verified shares can be combined.
    """
    def __copy__(self, /) -> CoinVerifiedShare: ...
    def __deepcopy__(self, memo: Any, /) -> CoinVerifiedShare: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def member(self, /) -> int:
        """
        Index of its party.
        """

@final
class CoinWrongShare:
    """
    Evidence that a member made a wrong share, for every holder of the public keys.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> CoinWrongShare:
        """
        Decodes evidence without verification.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def verify(self, /, keys: CoinPublicKeys) -> int:
        """
        Verifies the evidence with the keys alone and returns the culprit; raises `NotEvidenceError` if the share is
        right, or not the member's own.
        """

@final
class Commitment:
    """
    Everything that determines a message's shards: code, shape, length, and the root of the tree over all shards. All
    receivers of the same commitment decode the same message, or all decode none.
    """
    LEN: Final[int]
    """
    Bytes of an encoded commitment.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer, coding: Coding) -> Commitment:
        """
        Decodes a commitment of that coding.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 43 bytes.
        """
    def identity(self, /) -> bytes:
        """
        Identifier of the message in votes and certificates: 32 bytes.
        """
    @property
    def message_len(self, /) -> int:
        """
        Length of the message in bytes.
        """
    @property
    def root(self, /) -> bytes:
        """
        Root of the tree over the shards. It binds neither code nor length: to identify a message, use `identity`.
        """
    @property
    def shape(self, /) -> Shape:
        """
        Number of data and parity shards.
        """
    @property
    def suite(self, /) -> ErasureSuite:
        """
        The erasure code.
        """

@final
class Committee:
    """
    The members of one epoch of one chain, in order. Create it once per epoch and share it: it is immutable and caches
    data for verification. Two committees are equal if their ids are.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, chain: ChainId, epoch: SupportsIndex, members: Iterable[tuple[VerifiedKey, SupportsIndex]]) -> Committee:
        """
        A committee of members whose proofs of possession were verified, each with its weight.
        """
    def __copy__(self, /) -> Committee: ...
    def __deepcopy__(self, memo: Any, /) -> Committee: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def chain(self, /) -> ChainId:
        """
        The chain of this committee.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch of this committee.
        """
    @staticmethod
    def from_attested(chain: ChainId, epoch: SupportsIndex, members: Iterable[tuple[PublicKey, SupportsIndex]], *, allow_repeats: bool = False) -> Committee:
        """
        Creates a committee whose proofs of possession WERE VERIFIED ELSEWHERE, as a chain does when a validator
        registers. The owner of a single unproven key can forge signatures in the name of all members. With
        `allow_repeats`, repeated keys are accepted, as in Ethereum's sync committees.
        """
    def has_quorum(self, /, signers: SignerSet) -> bool:
        """
        Returns true if the set weighs at least `quorum_weight`.
        """
    @property
    def honest_weight(self, /) -> int:
        """
        The smallest weight above one third of the total: signers of this weight include at least one honest member.
        """
    @property
    def id(self, /) -> CommitteeId:
        """
        Identifier that every signed statement contains, which prevents replay in another context.
        """
    def key(self, /, index: SupportsIndex) -> PublicKey | None:
        """
        Returns a member's key; `None` if there is no such member.
        """
    def keys(self, /) -> list[PublicKey]:
        """
        Returns all keys, in the order of the members.
        """
    def position(self, /, key: PublicKey) -> int | None:
        """
        Index of the member with this key; the first one if the key is repeated, `None` if no member has it.
        """
    @property
    def quorum_weight(self, /) -> int:
        """
        The smallest weight above two thirds of the total.
        """
    def require_quorum(self, /, signers: SignerSet) -> None:
        """
        Raises `BelowQuorumError`, with the missing weight, unless the set has a quorum.
        """
    def signer_set(self, /, *, indices: Iterable[SupportsIndex] | None = None, lsb_first: Buffer | None = None, msb_first: Buffer | None = None) -> SignerSet:
        """
        Reads a signer set of this committee from exactly one of: indices, or a bitmap of ⌈n/8⌉ bytes with member 0 in
        the lowest or in the highest bit of the first byte.
        """
    def statement(self, /, kind: SupportsIndex, view: SupportsIndex, digest: Buffer) -> Statement:
        """
        Creates a statement in this committee's epoch; the digest has 32 bytes.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The members' signature scheme.
        """
    @property
    def total_weight(self, /) -> int:
        """
        The sum of all weights.
        """
    def verify_raw(self, /, message: Buffer, signers: SignerSet, proof: Buffer) -> int:
        """
        Verifies that `signers` signed exactly the bytes of `message`, for chains with their own framing, and returns
        their weight: COMPARE IT WITH YOUR THRESHOLD. `proof` is the encoded aggregate (BLS), or the signatures in
        ascending order of the signers (Ed25519). Cost (BLS): two pairings, one hash to the curve, one subgroup check,
        and one addition for each absent member (or each present member, if those are fewer); under message
        augmentation, one hash to the curve and one pairing for each signer. Raises `BelowQuorumError` for an empty set,
        `WrongContextError` for a set of another committee size, and `BadSignatureError`, whose `culprits` are known for
        Ed25519.
        """
    def verify_raw_async(self, /, message: Buffer, signers: SignerSet, proof: Buffer) -> Coroutine[Any, Any, int]:
        """
        As `verify_raw`, on another thread.
        """
    def verify_raw_batch(self, /, items: Iterable[tuple[Buffer, SignerSet, Buffer]]) -> list[int | QuorateError]:
        """
        Verifies several messages by a random linear combination and returns a verdict for each, in input order: the
        signers' weight, or the exception that `verify_raw` would have raised. COMPARE EACH WEIGHT WITH YOUR THRESHOLD.
        `items` are triples of message, signers and proof. Items with the same signers share a pairing; if the
        combination fails, bisection finds every bad item.
        """
    def verify_raw_batch_async(self, /, items: Iterable[tuple[Buffer, SignerSet, Buffer]]) -> Coroutine[Any, Any, list[int | QuorateError]]:
        """
        As `verify_raw_batch`, on another thread.
        """
    def verify_raw_each(self, /, signed: Iterable[tuple[SupportsIndex, Buffer]], proof: Buffer) -> int:
        """
        Verifies that each member signed its own message, as in a commit of CometBFT, where the signed bytes of a vote
        contain its time, and returns the members' weight: COMPARE IT WITH YOUR THRESHOLD. `signed` are pairs of a
        member and its message, in ascending order of the members; `proof` is that of `verify_raw`. Cost (BLS): one hash
        to the curve and one pairing for each member, one more pairing, one subgroup check. Raises `UnknownSignerError`
        and `DuplicateSignerError` (also for members that are not in ascending order), `BelowQuorumError` without
        members, and `BadSignatureError`, whose `culprits` are known for Ed25519.
        """
    def verify_raw_each_async(self, /, signed: Iterable[tuple[SupportsIndex, Buffer]], proof: Buffer) -> Coroutine[Any, Any, int]:
        """
        As `verify_raw_each`, on another thread.
        """
    def weight(self, /, index: SupportsIndex) -> int | None:
        """
        Returns a member's weight; `None` if there is no such member.
        """
    def weight_of(self, /, signers: SignerSet) -> int:
        """
        Weight of a set; indices outside the committee weigh nothing.
        """
    def with_ciphersuite(self, /, ciphersuite: Ciphersuite) -> Committee:
        """
        Returns a committee of the same members, which sign the messages of another chain under this ciphersuite: it
        selects the signatures that `verify_raw`, `verify_raw_each` and `verify_raw_batch` accept. Statements are not
        affected, and the ids are equal: votes and certificates verify under both committees. This committee does not
        change. Cost: a copy of the keys and of the cached data. Raises `WrongContextError` for another ciphersuite than
        the default if the suite is neither `bls-min-sig` nor `bls-min-pk`.
        """

@final
class CommitteeId:
    """
    Identifier of a committee of one chain in one epoch: a hash of all its parameters, which every signature covers.
    """
    def __bytes__(self, /) -> bytes:
        """
        Returns the 32 bytes.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes as 64 hex digits.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> CommitteeId:
        """
        Creates the identifier from exactly 32 bytes.
        """

@final
class Conflict:
    """
    Two certificates of contradicting statements. The members in both quorums, more than a third of the committee by
    weight, violated the protocol.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, first: Certificate, second: Certificate) -> Conflict:
        """
        Combines two votes into evidence. The signatures are not verified yet.
        """
    def __copy__(self, /) -> Conflict: ...
    def __deepcopy__(self, memo: Any, /) -> Conflict: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: decoding needs the committee.
        """
    def __repr__(self, /) -> str: ...
    @property
    def certificates(self, /) -> tuple[Certificate, Certificate]:
        """
        The two certificates, the one with the lower digest first.
        """
    @property
    def culprits(self, /) -> SignerSet:
        """
        A new set of the members that signed both; they are at fault if `verify` succeeds.
        """
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> Conflict:
        """
        Decodes evidence against members of that committee.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedConflict:
        """
        Verifies both certificates.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedConflict]:
        """
        As `verify`, on another thread.
        """

@final
class Deal:
    """
    Public part of the deal for one epoch; its holder can verify evidence. Compare the ids: parties that hold different
    deals cannot sign together.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> Deal:
        """
        Decodes a deal.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch.
        """
    @property
    def id(self, /) -> bytes:
        """
        Identifier: 32 bytes.
        """
    @property
    def key(self, /) -> bytes:
        """
        Identifier of the key.
        """
    @property
    def plan(self, /) -> Plan:
        """
        Plan of the presignatures.
        """
    @property
    def roots(self, /) -> list[bytes]:
        """
        The roots of the parties' trees of openings.
        """

@final
class Decryption:
    """
    Collects the shares of one ciphertext until it can be decrypted: optimistically at first; after a failure it checks
    each share once and identifies the wrong ones. Threads may share it.
    """
    def __new__(cls, /, keys: Tdh2PublicKeys, ciphertext: ValidCiphertext, cache: Cache | None = None) -> Decryption:
        """
        For a ciphertext that was checked for these keys; otherwise it raises `WrongContextError`. Combiners that share
        a `cache` reuse the Lagrange coefficients of recent sets of members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, share: DecryptionShare) -> DecryptionCollected:
        """
        Adds a share, and decrypts the ciphertext once there are enough. Raises `UnknownSignerError`.
        """
    @property
    def is_done(self, /) -> bool:
        """
        True if the ciphertext is decrypted, or known to be invalid.
        """

@final
class DecryptionShare:
    """
    A member's share with its proof, as received. A decoded share is not verified yet.
    """
    LEN: Final[int]
    """
    Length of a share in bytes.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> DecryptionShare:
        """
        Decodes the 130 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 130 bytes.
        """
    @property
    def member(self, /) -> int:
        """
        Member that the share names. Unproven until the share is verified.
        """

@final
class Dispersal:
    """
    A message, all its shards, and the tree over them.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def commitment(self, /) -> Commitment:
        """
        The sender's commitment.
        """
    @property
    def message(self, /) -> bytes:
        """
        The message, as new `bytes` each time.
        """
    def shard(self, /, index: SupportsIndex) -> CheckedShard:
        """
        Returns the shard at this index, for the member with this index.
        """
    def shards(self, /) -> list[CheckedShard]:
        """
        Returns all shards, in order.
        """

@final
class EcdsaCombiner:
    """
    Combines shares into a signature: optimistically at first; only if that fails, it checks each share and identifies
    the wrong ones. Threads may share it.
    """
    def __new__(cls, /, signing: Signing, cache: Cache | None = None) -> EcdsaCombiner:
        """
        A combiner without shares. Combiners that share a `cache` reuse the Lagrange coefficients of recent sets of
        members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, sender: SupportsIndex, share: EcdsaSignatureShare) -> Outcome[EcdsaSignature, EcdsaShareFault]:
        """
        Adds a share received over a link that authenticates `sender`. Raises `WrongContextError` for a share of another
        message or of another party than the sender, and `UnknownSignerError`.
        """
    @property
    def counts(self, /) -> Counts:
        """
        Work done so far.
        """
    def open(self, /, member: SupportsIndex, opening: Opening) -> Outcome[EcdsaSignature, EcdsaShareFault]:
        """
        Adds the opening of `member`'s share, from any sender. It is ignored unless it was requested.
        """
    @property
    def signature(self, /) -> EcdsaSignature | None:
        """
        The signature, once it exists.
        """
    @property
    def signing(self, /) -> Signing:
        """
        The signing whose shares it collects.
        """

@final
class EcdsaGroupKey:
    """
    The public key of a committee.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee of the key.
        """
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaGroupKey:
        """
        Decodes a key over that group.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    @property
    def id(self, /) -> bytes:
        """
        Identifier of 32 bytes, which every share and every record contains.
        """
    def to_spki_der(self, /) -> bytes:
        """
        Returns the key over secp256k1 as a SubjectPublicKeyInfo in DER, which OpenSSL reads.
        """
    @property
    def tolerance(self, /) -> Tolerance:
        """
        Number of parties, and the maximum number of faulty ones.
        """
    def verify(self, /, tag: Tag, message: Buffer, signature: EcdsaSignature) -> None:
        """
        Verifies a signature made under a tag, or raises `BadSignatureError`.
        """
    def verify_message(self, /, message: Buffer, signature: EcdsaSignature) -> None:
        """
        Verifies a signature over secp256k1 as standard ECDSA with SHA-256, and also rejects high s.
        """

@final
class EcdsaShareFault:
    """
    A wrong share, with the evidence against it. Every holder of the deal can verify it, if the share is attested.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaShareFault:
        """
        Decodes unverified evidence over that group.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    @property
    def share(self, /) -> EcdsaSignatureShare:
        """
        The wrong share.
        """
    def verify(self, /, key: EcdsaGroupKey, deal: Deal, attested: Callable[[int, bytes, bytes], object]) -> int:
        """
        Verifies the evidence and returns the culprit. `attested` is called with a member, bytes and that member's
        attestation of them, once for every share of the evidence; it returns true if the attestation is valid. Raises
        `NotEvidenceError` if one is not or if the share is right, and whatever `attested` raises.
        """

@final
class EcdsaSignature:
    """
    A decoded signature: 64 bytes in the one accepted form. Over ristretto255 it is not standard ECDSA, and only quorate
    verifies it.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaSignature:
        """
        Decodes a signature over that group.
        """
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the 64 bytes.
        """
    def to_der(self, /) -> bytes:
        """
        Returns the form of a signature over secp256k1 that X.509 and OpenSSL expect.
        """

@final
class EcdsaSignatureShare:
    """
    One party's part of a signature. It names its key, epoch, index and message.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def attest(self, /, attestation: Buffer) -> EcdsaSignatureShare:
        """
        Returns the share with the party's signature, of at most 8,192 bytes.
        """
    @property
    def attestation(self, /) -> bytes:
        """
        The party's signature on `attested_bytes`; empty if there is none.
        """
    def attested_bytes(self, /) -> bytes:
        """
        Returns the bytes that a party signs so that a wrong share can be attributed to it.
        """
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaSignatureShare:
        """
        Decodes a share over that group.
        """
    @property
    def digest(self, /) -> bytes:
        """
        A hash of the signed message.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def epoch(self, /) -> int:
        """
        Epoch of the presignature.
        """
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    @property
    def index(self, /) -> int:
        """
        Index of the presignature.
        """
    @property
    def member(self, /) -> int:
        """
        Index of the party that the share names. Compare it with the sender.
        """

@final
class EncryptionKey:
    """
    The key for encrypting and checking ciphertexts: all that a client needs of a committee.
    """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee whose members decrypt.
        """
    @staticmethod
    def decode(data: Buffer) -> EncryptionKey:
        """
        Decodes the 65 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 65 bytes.
        """
    def encrypt(self, /, epoch: SupportsIndex, proposer: SupportsIndex, plaintext: Buffer) -> Ciphertext:
        """
        Encrypts at most `MAX_PLAINTEXT` bytes. The ciphertext binds epoch and proposer, so that no other member can
        propose it, and none in another epoch. Cost: five multiplications, plus a cipher and a hash over the payload.
        """
    @property
    def key(self, /) -> bytes:
        """
        The public key: 32 bytes.
        """
    @staticmethod
    def from_public_keys(keys: Tdh2PublicKeys) -> EncryptionKey:
        """
        Returns the encryption key of a committee.
        """
    def precomputed(self, /) -> EncryptionKey:
        """
        Returns the same key with tables, which make encryption more than twice as fast and checks faster. Memory:
        61,440 bytes. Cost: about 80 multiplications, recovered after some fifty ciphertexts.
        """

@final
class Equivocation:
    """
    Two votes of one member for contradicting statements.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, first: Vote, second: Vote) -> Equivocation:
        """
        Combines two votes into evidence. The signatures are not verified yet.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def culprits(self, /) -> tuple[int]:
        """
        The signer, which is at fault if `verify` succeeds.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> Equivocation:
        """
        Decodes evidence of that suite.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def signer(self, /) -> int:
        """
        The member that signed both.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedEquivocation:
        """
        Verifies both signatures, one by one.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedEquivocation]:
        """
        As `verify`, on another thread.
        """
    @property
    def votes(self, /) -> tuple[Vote, Vote]:
        """
        The two votes, the one with the lower digest first.
        """

@final
class ErasureSuite:
    """
    Code of the parity shards. It determines the bytes on the wire, so all members must use the same.
    """
    GF8: Final[ErasureSuite]
    """
    2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and faster for few of them.
    """
    LEOPARD: Final[ErasureSuite]
    """
    1: Reed–Solomon over GF(2¹⁶) by additive Fourier transforms; up to 32,768 shards.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> ErasureSuite:
        """
        Decodes the 3 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 3 bytes.
        """
    def is_available(self, /) -> bool:
        """
        True if this build supports the code.
        """
    @staticmethod
    def jerasure(packets: Packets) -> ErasureSuite:
        """
        3: Jerasure's Cauchy Reed–Solomon code of exclusive-ors, for comparison; most builds do not support it.
        """
    @property
    def name(self, /) -> str:
        """
        Human-readable name.
        """
    @property
    def number(self, /) -> int:
        """
        Byte that identifies the suite in encodings.
        """
    @property
    def packets(self, /) -> Packets | None:
        """
        The parameters of suite 3; `None` for the other suites.
        """
    @staticmethod
    def recommended(shape: Shape) -> ErasureSuite:
        """
        Returns the recommended code: suite 2 up to its 256 shards, suite 1 above.
        """
    @property
    def unit(self, /) -> int:
        """
        Shard lengths are multiples of this number of bytes.
        """

@final
class Gossip:
    """
    One member's part in spreading the signatures on one statement. It does no I/O: the caller transports the bytes and
    passes the time (`now`: microseconds of the clock that `Peers` uses). `vote` adds the member's own vote, `receive`
    queues a received aggregate, `check` verifies the queue together and merges the valid ones, `next` returns the next
    message and its recipient, and `certificate` is set once a quorum has signed. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, me: SupportsIndex, statement: Statement, parameters: Parameters | None = None) -> Gossip:
        """
        A gossip of member `me` that knows no signature on the statement yet.
        """
    def __repr__(self, /) -> str: ...
    def adopt(self, /, aggregate: VerifiedAggregate) -> bool:
        """
        Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it adds
        nothing new.
        """
    @property
    def certificate(self, /) -> VerifiedCertificate | None:
        """
        The certificate, once a quorum has signed.
        """
    def check(self, /, peers: Peers, *, entropy: Buffer | None = None, now: SupportsIndex | None = None) -> GossipChecked:
        """
        Verifies the newest queued aggregates together and merges the valid ones; the senders of invalid ones are
        suspended. The coefficients come from `entropy`, 32 unpredictable bytes; by default they are derived from all
        aggregates of the batch. Cost: as `Aggregate.verify_batch` of at most `Parameters.batch` aggregates.
        """
    def next(self, /, peers: Peers, *, draw: SupportsIndex | None = None, now: SupportsIndex | None = None) -> Send | None:
        """
        Returns the next message and its recipient. Tell `peers` when it has `left`, was `sent` or `failed`; until then
        it occupies a slot. `None` if there is nothing to send now or no slot is free: call again when a slot is free,
        after an aggregate was added, or after 50 ms. `draw` is random; it defaults to the operating system's
        randomness.
        """
    def offer(self, /, peer: SupportsIndex) -> Aggregate | None:
        """
        Returns the aggregate to send to this peer, for a caller that picks peers itself; `None` if the peer lacks
        nothing.
        """
    @property
    def pool(self, /) -> Pool:
        """
        Snapshot of the added aggregates that do not lie within one half of the committee.
        """
    def receive(self, /, peer: SupportsIndex, aggregate: Aggregate, peers: Peers, *, now: SupportsIndex | None = None) -> Received:
        """
        Queues an aggregate that `peer` sent over an authenticated link, and returns the result. It is not verified yet.
        Raises if the aggregate has another statement or committee, or a count above the limit.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        A new set of all members whose signature is known and verified.
        """
    @property
    def statement(self, /) -> Statement:
        """
        The statement being signed.
        """
    def vote(self, /, vote: VerifiedVote) -> bool:
        """
        Adds a verified vote, usually the member's own. Returns false if it was known.
        """
    @property
    def waiting(self, /) -> int:
        """
        Number of aggregates queued for verification.
        """

@final
class Guard:
    """
    A secret key that never signs contradicting statements: per kind, the pair (epoch, view) strictly increases, or it
    repeats and the statement is identical. Each signature comes with a record: MAKE IT DURABLE, file and directory,
    BEFORE THE VOTE LEAVES. Threads may share a guard.
    """
    def __enter__(self, /) -> Guard: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __new__(cls, /, secret: SecretKey, chain: ChainId) -> Guard:
        """
        The guard of a key that has NEVER SIGNED ON THIS CHAIN; after a restart use `restore`. It takes ownership of the
        key: the `SecretKey` is closed afterwards.
        """
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    @property
    def chain(self, /) -> ChainId:
        """
        The chain that the guard signs for.
        """
    def close(self, /) -> None:
        """
        Wipes the key. Later calls raise `ClosedError`; closing again does nothing.
        """
    def close_epoch(self, /, key: Buffer, epoch: SupportsIndex) -> GuardRecord:
        """
        Closes an epoch of a threshold key and all earlier ones: their remaining presignatures never sign.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if the guard was closed.
        """
    def confirm(self, /, reservation: GuardRecord) -> None:
        """
        Confirms that the record of a reservation is durable; raises `WrongContextError` for any other record.
        """
    def last(self, /, kind: SupportsIndex) -> tuple[int, int] | None:
        """
        Epoch and view of the last statement of a kind; `None` if there is none.
        """
    @property
    def public_key(self, /) -> PublicKey:
        """
        The public key.
        """
    def records(self, /) -> list[GuardRecord]:
        """
        Returns the last record of each kind, and the spent presignatures of open epochs: all that a compacted log must
        contain.
        """
    def reserve(self, /, key: Buffer, epoch: SupportsIndex, index: SupportsIndex) -> GuardRecord:
        """
        Reserves the block of a threshold key's presignatures that contains `index`. Once the record is durable and
        confirmed, signing with them needs no further record. AFTER A CRASH THE WHOLE BLOCK IS BURNT, spent or not.
        Raises `ExhaustedError` if it is burnt already, or its epoch is closed.
        """
    @staticmethod
    def restore(secret: SecretKey, chain: ChainId, records: Iterable[GuardRecord]) -> Guard:
        """
        Returns the guard of a key that may have signed before, from all durable records, in any order. The `SecretKey`
        is closed afterwards, even if the records are unreadable or rejected, since signing without them is unsafe.
        """
    def sign(self, /, committee: Committee, statement: Statement) -> tuple[Vote, GuardRecord]:
        """
        Signs a statement, or raises `ContradictionError`. The same statement again gives the same vote and record.
        """
    def sign_timeout(self, /, committee: Committee, kind: SupportsIndex, view: SupportsIndex, value: SupportsIndex) -> tuple[TimeoutVote, GuardRecord]:
        """
        Signs a timeout vote under the same rule: one value per view of a kind.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """

@final
class GuardRecord:
    """
    Record of the last statement of one kind, or of spent presignatures. Make it durable before the vote or the share
    leaves.
    """
    LEN: Final[int]
    """
    Length of an encoded record in bytes.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> GuardRecord:
        """
        Decodes the 81 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 81 bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        Epoch of the statement or of the presignatures.
        """
    @property
    def kind(self, /) -> int:
        """
        Kind of the statement, or of the record about presignatures.
        """
    @property
    def view(self, /) -> int:
        """
        View of the statement, or position of the presignatures.
        """

@final
class Lottery:
    """
    One round's lottery among the members of a committee. Each member plays in secret, and a winner can prove that it
    won. It needs unique signatures: any suite but Ed25519.
    """
    def __new__(cls, /, committee: Committee, seed: Seed, round: SupportsIndex, expected: SupportsIndex = EXPECTED_WINNERS) -> Lottery:
        """
        The lottery of `round`, in which `expected` members win on average. Every member has the same chance, whatever
        its weight.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> Committee:
        """
        The participating committee.
        """
    def draw(self, /, secret: SecretKey) -> VerifiedTicket | None:
        """
        Returns this member's ticket, if it won. Raises `WrongContextError` if the key belongs to no member. Cost: one
        multiplication, one signature.
        """
    @property
    def expected(self, /) -> int:
        """
        Average number of winners.
        """
    @property
    def round(self, /) -> int:
        """
        The round.
        """
    @property
    def seed(self, /) -> Seed:
        """
        The seed.
        """

@final
class Members:
    """
    Snapshot of the members of a set when the iteration began, ascending.
    """
    def __iter__(self, /) -> Members: ...
    def __next__(self, /) -> int: ...

@final
class Opener:
    """
    Opens a share that was sent, if another member requests it.
    """
    def __enter__(self, /) -> Opener: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    def open(self, /) -> Opening:
        """
        Returns the opening, for the holders of the share. Raises `WrongContextError` if the dealer made a mistake.
        """

@final
class Opening:
    """
    An opening, which lets the other members check a party's share.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> Opening:
        """
        Decodes an opening over that group.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    @property
    def index(self, /) -> int:
        """
        Index of the presignature that it opens.
        """
    @property
    def member(self, /) -> int:
        """
        Index of its party.
        """

@final
class Packets:
    """
    The tuner's parameters of suite 3: bits per word, and bytes per packet.
    """
    MAX_LOG2_PACKET: Final[int]
    """
    The largest packet size, as a power of two.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, word: SupportsIndex, log2_packet: SupportsIndex) -> Packets:
        """
        Creates parameters with words of 2 to 16 bits and packets of 2**`log2_packet` bytes.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def log2_packet(self, /) -> int:
        """
        Packet size as a power of two.
        """
    @property
    def packet(self, /) -> int:
        """
        Bytes per packet.
        """
    @property
    def word(self, /) -> int:
        """
        Bits per word.
        """

@final
class Parameters:
    """
    Parameters of gossip. They affect the speed and cost of dissemination, never the validity of a certificate.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, *, limit: SupportsIndex = 255, preferred: SupportsIndex = 16, batch: SupportsIndex = 4, fan_out: SupportsIndex = 5, back_off: timedelta = timedelta(seconds=2), send_timeout: timedelta = timedelta(milliseconds=500)) -> Parameters:
        """
        No count exceeds `limit`; no count of a pool's sum exceeds `preferred` if that is possible. At most `batch`
        aggregates are verified together, and at most `fan_out` sends are in progress at once. A failed peer is
        suspended for `back_off`, and for as much longer after each further failure in a row; an unanswered send
        occupies its slot for `send_timeout` and then counts as failed.
        """
    def __repr__(self, /) -> str: ...
    @property
    def back_off(self, /) -> timedelta:
        """
        Back-off after a failed send to a peer.
        """
    @property
    def batch(self, /) -> int:
        """
        Maximum number of aggregates that are verified together.
        """
    @property
    def fan_out(self, /) -> int:
        """
        Maximum number of concurrent sends, and number of members to which a new aggregate is sent.
        """
    @property
    def limit(self, /) -> int:
        """
        Maximum of every count.
        """
    @property
    def send_timeout(self, /) -> timedelta:
        """
        Time after which an unanswered send counts as failed and frees its slot.
        """
    @property
    def preferred(self, /) -> int:
        """
        Preferred maximum of the counts of a pool's sum; only sums that make a quorum exceed it.
        """

@final
class Peers:
    """
    One member's view of the other members: sends in progress, suspended peers, and peers heard from recently. Every `Gossip`
    of a committee's epoch shares one, so that knowledge about a peer and the limit of concurrent sends apply to all.
    Threads may share it. `now` is in microseconds of any monotonic clock; it defaults to the system's.
    """
    def __new__(cls, /, me: SupportsIndex, committee_len: SupportsIndex, parameters: Parameters | None = None) -> Peers:
        """
        The peers of member `me` in a committee of `committee_len`.
        """
    def __repr__(self, /) -> str: ...
    def accuse(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> None:
        """
        Registers that a peer sent an invalid message: nothing is sent to it or accepted from it for a while.
        `Gossip.check` calls it itself.
        """
    def begin(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> None:
        """
        Registers the start of a send: it occupies a slot until it has `left`, was `sent` or `failed`, at most for the
        send timeout. `Gossip.next` calls it itself.
        """
    def failed(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> None:
        """
        Registers that a send failed: the peer is suspended, and longer after each further failure in a row.
        """
    def has_room(self, /, now: SupportsIndex | None = None) -> bool:
        """
        Returns true if another send may begin.
        """
    def heard(self, /, peer: SupportsIndex) -> None:
        """
        Registers that a message came from a peer: it is reachable.
        """
    def is_available(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> bool:
        """
        Returns true if this peer may be sent to, slots aside.
        """
    def is_refused(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> bool:
        """
        Returns true if nothing is accepted from this peer now.
        """
    def left(self, /, peer: SupportsIndex) -> None:
        """
        Registers that a message has left: its slot is free again, although its delivery is unknown.
        """
    def next_free(self, /) -> int | None:
        """
        Time at which the next slot becomes free without an answer, in microseconds; `None` if no send is in progress.
        """
    def pick(self, /, *, draw: SupportsIndex | None = None, now: SupportsIndex | None = None) -> int | None:
        """
        Picks a peer that may be sent to now: neither this member, nor a peer with a send in progress, nor a suspended
        one; at random by `draw`, or by the operating system's randomness. `None` if the maximum number of sends is in
        progress, or no peer is available. The pick takes effect only with `begin`.
        """
    def sent(self, /, peer: SupportsIndex) -> None:
        """
        Registers that a send was answered.
        """

@final
class Plan:
    """
    Plan of an epoch's presignatures: the use of each, and the number of shares that it needs.
    """
    LEN: Final[int]
    """
    Length of an encoded plan in bytes.
    """
    MAX_COUNT: Final[int]
    """
    Maximum number of presignatures of an epoch.
    """
    ROUNDS: Final[int]
    """
    Number of agreement rounds that suffices in all but one epoch in a million.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def agreed(self, /, epoch: SupportsIndex, number: SupportsIndex) -> Tag:
        """
        Presignature number `number` of a plan made by `for_agreed`.
        """
    def agreement(self, /, index: SupportsIndex) -> Agreement | None:
        """
        Class of a presignature; `None` past the end.
        """
    def completion(self, /, epoch: SupportsIndex, round: SupportsIndex) -> Tag:
        """
        Returns the tag for the completion of a round, counted from 0, after enough promotions.
        """
    @property
    def count(self, /) -> int:
        """
        Number of presignatures in the plan.
        """
    @staticmethod
    def decode(data: Buffer) -> Plan:
        """
        Decodes the 5 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 5 bytes.
        """
    @staticmethod
    def for_agreed(count: SupportsIndex) -> Plan:
        """
        Creates a plan of `count` presignatures for messages that the parties agree on; the application numbers them.
        """
    @staticmethod
    def for_agreement(parties: SupportsIndex, rounds: SupportsIndex = 20) -> Plan:
        """
        Creates a plan for one asynchronous agreement; `prbc`, `promotion` and `completion` return its tags.
        """
    @staticmethod
    def for_unagreed(count: SupportsIndex) -> Plan:
        """
        Creates a plan of `count` presignatures for messages that an outside party chooses.
        """
    def prbc(self, /, epoch: SupportsIndex, member: SupportsIndex) -> Tag:
        """
        Returns the tag for the delivery of a member's broadcast. All tags raise `WrongContextError` in a plan of
        another kind, and `ExhaustedError` past its end.
        """
    def promotion(self, /, epoch: SupportsIndex, round: SupportsIndex, member: SupportsIndex, step: SupportsIndex) -> Tag:
        """
        Returns the tag for step `step` (1 to 4) of the member's promotion of its proposal in a round, counted from 0.
        The member chooses the proposal.
        """
    def unagreed(self, /, epoch: SupportsIndex, number: SupportsIndex) -> Tag:
        """
        Presignature number `number` of a plan made by `for_unagreed`.
        """

@final
class Pool:
    """
    Some verified aggregates of one statement from any source, and single signatures: the sum of those that can be added
    with low counts. `Gossip` uses one beside its own sums; a protocol with another dissemination method needs only
    this. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, me: SupportsIndex, statement: Statement, parameters: Parameters | None = None) -> Pool:
        """
        An empty pool of member `me`.
        """
    def __repr__(self, /) -> str: ...
    @property
    def aggregates(self, /) -> list[VerifiedAggregate]:
        """
        All aggregates in the pool.
        """
    @property
    def best(self, /) -> VerifiedAggregate | None:
        """
        The sum of all aggregates that can be added, or that of the certificate; `None` if the pool is empty.
        """
    @property
    def certificate(self, /) -> VerifiedCertificate | None:
        """
        The certificate, once the signers are a quorum.
        """
    def insert(self, /, aggregate: VerifiedAggregate) -> bool:
        """
        Inserts a verified aggregate. Returns false if it changes nothing. Raises `WrongContextError` for another
        committee or statement, and `TooLargeError` for a count above the limit.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        A new set of all members whose signature is in some aggregate of the pool.
        """
    @property
    def statement(self, /) -> Statement:
        """
        The signed statement.
        """
    def wants(self, /, aggregate: Aggregate) -> bool:
        """
        Returns true if `insert` would accept this: it adds a new signer, and there is no certificate yet. It uses no
        cryptography, so call it before verifying. Raises as `insert` does.
        """

@final
class Presignature:
    """
    One presignature, which signs one message.
    """
    def __enter__(self, /) -> Presignature: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    @property
    def agreement(self, /) -> Agreement:
        """
        Class of its tag.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    def sign(self, /, guard: Guard, message: Buffer) -> Signed:
        """
        Signs a message, after the guard has recorded the use of the presignature. MAKE THE RECORD DURABLE BEFORE THE
        SHARE LEAVES. The presignature is consumed, even if this fails: a second call raises `ExhaustedError`. Raises
        `ContradictionError` if the guard's journal shows that it signed another message, and `ExhaustedError` if it is
        burnt or its epoch is closed. Use an agreed tag only for a message that no honest party contradicts.
        """

@final
class Presignatures:
    """
    One party's presignatures of one epoch; each signs ONE message. Only the dealer writes the file. After a crash it is
    read again, and the guard's journal lists the spent presignatures. Wiped when it is closed or collected.
    """
    def __enter__(self, /) -> Presignatures: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def audit(self, /, index: SupportsIndex) -> None:
        """
        Checks the dealer's material for one index; raises `WrongContextError` if it is wrong.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    @property
    def deal(self, /) -> Deal:
        """
        Public part of the deal.
        """
    def destroy(self, /, guard: Guard) -> GuardRecord:
        """
        Ends the epoch: wipes the remaining presignatures, and makes the guard refuse all of them from now on. MAKE THE
        RECORD DURABLE. Later calls raise `ExhaustedError`.
        """
    @staticmethod
    def from_bytes(group: Group | str, data: Buffer) -> Presignatures:
        """
        Decodes a file for that group. The caller keeps the bytes: pass a `bytearray` and overwrite it.
        """
    @property
    def group(self, /) -> Group:
        """
        Their group.
        """
    @property
    def key(self, /) -> EcdsaGroupKey:
        """
        The committee's public key.
        """
    @property
    def left(self, /) -> int:
        """
        Number of presignatures left.
        """
    @property
    def member(self, /) -> int:
        """
        Index of their party.
        """
    def signing(self, /, tag: Tag, message: Buffer) -> Signing:
        """
        Returns the input for combining shares of a message under a tag, whether or not this party's presignature is
        spent.
        """
    def take(self, /, tag: Tag) -> Presignature:
        """
        Takes the presignature of a tag; a second call raises `ExhaustedError`.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the file, for the dealer to seal; raises `ExhaustedError` after the first `take`. The result is a Python
        object that is never wiped.
        """

@final
class PublicKey:
    """
    A decoded public key: canonical, in the subgroup and not the neutral element.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes in hex.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> PublicKey:
        """
        Decodes the canonical encoding.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Signature scheme of the object.
        """
    def verify(self, /, message: Buffer, signature: Signature) -> None:
        """
        Verifies one signature over exactly these bytes.
        """
    def verify_async(self, /, message: Buffer, signature: Signature) -> Coroutine[Any, Any, None]:
        """
        As `verify`, on another thread.
        """
    def verify_possession(self, /, possession: Signature) -> None:
        """
        Verifies a proof of possession.
        """
    def verify_possession_async(self, /, possession: Signature) -> Coroutine[Any, Any, None]:
        """
        As `verify_possession`, on another thread.
        """
    def verify_with(self, /, ciphersuite: Ciphersuite, message: Buffer, signature: Signature) -> None:
        """
        Verifies one signature of another chain over exactly these bytes, under its ciphersuite. Cost (BLS): one hash to
        the curve, one subgroup check, two pairings. Raises `BadSignatureError`, or `WrongContextError` for a signature
        of another suite, and for another ciphersuite than the default if the suite is neither `bls-min-sig` nor
        `bls-min-pk`.
        """
    def verify_with_async(self, /, ciphersuite: Ciphersuite, message: Buffer, signature: Signature) -> Coroutine[Any, Any, None]:
        """
        As `verify_with`, on another thread.
        """

@final
class Reader:
    """
    Reads an encoding front to back. Each call checks that enough bytes are left; a call that raises does not move the
    reader.
    """
    def __new__(cls, /, data: Buffer) -> Reader:
        """
        A reader over all of `data`.
        """
    def __repr__(self, /) -> str: ...
    def bytes(self, /, cap: SupportsIndex) -> _Bytes:
        """
        Reads a length of at most `cap`, then that many bytes.
        """
    def count(self, /, cap: SupportsIndex) -> int:
        """
        Reads a list length of at most `cap`; the items follow.
        """
    def finish(self, /) -> None:
        """
        Raises `MalformedError` if bytes are left.
        """
    def option(self, /) -> bool:
        """
        Reads whether an optional value follows.
        """
    def raw(self, /, n: SupportsIndex) -> _Bytes:
        """
        Reads the next `n` bytes.
        """
    @property
    def remaining(self, /) -> int:
        """
        Number of bytes left.
        """
    def u128(self, /) -> int:
        """
        Reads sixteen bytes, little-endian.
        """
    def u16(self, /) -> int:
        """
        Reads two bytes, little-endian.
        """
    def u32(self, /) -> int:
        """
        Reads four bytes, little-endian.
        """
    def u64(self, /) -> int:
        """
        Reads eight bytes, little-endian.
        """
    def u8(self, /) -> int:
        """
        Reads one byte.
        """
    def varint(self, /) -> int:
        """
        Reads LEB128 in its shortest form, at most 2³² − 1.
        """

@final
class Row:
    """
    Measurement for a shape, a length and a suite: encoding a message of this length and decoding it with f and with 2f
    lost shards takes `cost` nanoseconds in total.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def cost(self, /) -> int:
        """
        Cost in nanoseconds.
        """
    @property
    def message(self, /) -> int:
        """
        Length of the message in bytes.
        """
    @property
    def shape(self, /) -> Shape:
        """
        Number of data and parity shards.
        """
    @property
    def suite(self, /) -> ErasureSuite:
        """
        The suite, with its parameters.
        """

@final
class Score:
    """
    Score of a winning ticket: 32 pseudorandom bytes. The smallest score ranks first; scores compare as byte strings.
    """
    def __bytes__(self, /) -> bytes:
        """
        Returns the 32 bytes.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: only a verified ticket has a score.
        """
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes as 64 hex digits.
        """

@final
class SealingKey:
    """
    A private key that opens files sealed to its public key. It cannot be printed, pickled or copied, and is wiped when
    it is closed or collected: use it in a `with` block.
    """
    def __enter__(self, /) -> SealingKey: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> SealingKey:
        """
        Decodes a key of exactly 32 bytes. The caller keeps these bytes: pass a `bytearray` and overwrite it, because
        `bytes` are never wiped.
        """
    @staticmethod
    def generate() -> SealingKey:
        """
        Generates a key with the operating system's random number generator.
        """
    def open(self, /, context: Buffer, sealed: Buffer) -> bytes:
        """
        Opens a file. Raises `WrongContextError` unless it was sealed to this key with this context. The content is a
        Python object that is never wiped. A SEAL DOES NOT AUTHENTICATE THE SENDER: every holder of the public key can
        seal to it.
        """
    @property
    def public(self, /) -> SealingPublicKey:
        """
        The public key.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the 32 bytes, for a key file. The result is a Python object that is never wiped.
        """

@final
class SealingPublicKey:
    """
    An X25519 public key to which files are sealed.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes in hex.
        """
    @staticmethod
    def decode(data: Buffer) -> SealingPublicKey:
        """
        Decodes the 32 bytes. One of small order is rejected when it is used.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 32 bytes.
        """
    def seal(self, /, context: Buffer, content: Buffer) -> bytes:
        """
        Seals content of at most `MAX_CONTENT` bytes to this key. `context` identifies the content; opening it requires
        the same bytes. Cost: two multiplications, and a nanosecond per byte.
        """

@final
class SecretKey:
    """
    A secret key. It prints only its suite, cannot be pickled or copied, and is wiped when it is closed or collected:
    use it in a `with` block. It stays at one address, even while a `Guard` owns it. Other copies are not wiped: the
    bytes that it was created from, the result of `to_bytes`, and data that signing left in registers and on the stack.
    """
    def __enter__(self, /) -> SecretKey: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the key. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if the key was closed or its ownership was transferred.
        """
    @staticmethod
    def from_bytes(suite: Suite | str, data: Buffer) -> SecretKey:
        """
        Decodes a key of exactly 32 bytes. The caller keeps these bytes: pass a `bytearray` and overwrite it, because
        `bytes` are never wiped.
        """
    @staticmethod
    def generate(suite: Suite | str) -> SecretKey:
        """
        Generates a key with the operating system's random number generator.
        """
    def prove_possession(self, /) -> Signature:
        """
        Creates a proof of possession of the key; see also `UnverifiedKey.prove`.
        """
    def public_key(self, /) -> PublicKey:
        """
        Computes the public key. Cost: one multiplication.
        """
    def sign(self, /, message: Buffer) -> Signature:
        """
        Signs exactly these bytes. Use a `Guard` to sign anything that a protocol acts on.
        """
    def sign_with(self, /, ciphersuite: Ciphersuite, message: Buffer) -> Signature:
        """
        Signs exactly these bytes for another chain, under its ciphersuite. Never sign with a key that signs quorate's
        statements: a `Guard` does not record it. Raises `WrongContextError` for another ciphersuite than the default if
        the suite is neither `bls-min-sig` nor `bls-min-pk`.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Signature scheme of the key.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the 32 bytes, for a key file. The result is a Python object that is never wiped.
        """

@final
class Seed:
    """
    Randomness of the lotteries, renewed with each block. Members whose chains agree up to its height have the same
    seed.
    """
    LEN: Final[int]
    """
    Length of an encoded seed in bytes.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> Seed:
        """
        Decodes the 40 bytes.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @staticmethod
    def genesis(chain: ChainId, data: Buffer) -> Seed:
        """
        Returns the first seed of a chain, from bytes that NO MEMBER CHOSE and that were unknown when the keys were
        fixed: control over them is control over the first proposers.
        """
    @property
    def height(self, /) -> int:
        """
        Number of proofs that precede it.
        """
    def next(self, /, proof: SeedProof, committee: Committee) -> Seed:
        """
        Derives the next seed: the hash of the proof. THE PROTOCOL DETERMINES THE PROVER, usually the proposer of the
        block: compare `proof.signer`. Cost: one subgroup check, one hash to the curve, two pairings.
        """
    @property
    def value(self, /) -> bytes:
        """
        Its 32 bytes.
        """

@final
class SeedProof:
    """
    A member's signature on a seed; its hash is the next seed. It is unique: the member's only choice is whether to
    publish it. Until it is published, no other member knows the next seed.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, signer: SupportsIndex, signature: Signature) -> SeedProof:
        """
        Creates a proof from its parts. Nothing is verified.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite, data: Buffer) -> SeedProof:
        """
        Decodes a proof of that suite.
        """
    @staticmethod
    def decode_detached(suite: Suite, data: Buffer, signer: SupportsIndex) -> SeedProof:
        """
        Decodes the signature, where the signer is known.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encode_detached(self, /) -> bytes:
        """
        Returns the signature alone, for formats that contain the rest already.
        """
    @staticmethod
    def sign(secret: SecretKey, committee: Committee, seed: Seed) -> SeedProof:
        """
        Signs a seed: this member's proof. Raises `WrongContextError` if the key belongs to no member, and for Ed25519,
        whose signatures are not unique.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The signature.
        """
    @property
    def signer(self, /) -> int:
        """
        The signer that the proof names.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """

@final
class Shape:
    """
    Number of shards: `data` shards that hold the message and `parity` shards that replace lost ones.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, data: SupportsIndex, parity: SupportsIndex) -> Shape:
        """
        Creates a shape; raises `BadShapeError` without data shards, or above 32,768 shards in total.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def data(self, /) -> int:
        """
        Number of data shards: as many shards of any kind restore the message.
        """
    @staticmethod
    def for_committee(members: SupportsIndex, faulty: SupportsIndex) -> Shape:
        """
        One shard per member, for a reliable broadcast that tolerates `faulty` of them: the parity shards number twice
        that.
        """
    @property
    def parity(self, /) -> int:
        """
        Number of parity shards.
        """
    @property
    def shards(self, /) -> int:
        """
        Number of all shards.
        """

@final
class Signature:
    """
    A decoded signature. It is not verified yet.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes in hex.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> Signature:
        """
        Decodes the canonical encoding.
        """
    @staticmethod
    def decode_link(suite: Suite | str, data: Buffer) -> Signature:
        """
        Decodes the form for direct links: uncompressed where that saves a square root.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encode_link(self, /) -> bytes:
        """
        Returns the form for direct links.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Signature scheme of the object.
        """

@final
class Signer:
    """
    Generates one-time keys ahead of time and signs with each of them once. The keys are never copied or stored: they
    are wiped when they expire, in a forked child, and when the signer is closed or collected. Threads may share a
    signer; a thread in `prepare` never blocks one in `sign`.
    """
    def __enter__(self, /) -> Signer: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __new__(cls, /, secret: SecretKey, suite: str = "wots-blake3", *, groups: Iterable[Iterable[SupportsIndex]] = (), log2_batch: SupportsIndex = 7, low_water: SupportsIndex = 512, lifetime: timedelta = timedelta(seconds=10)) -> Signer:
        """
        A signer under an Ed25519 key, whose ownership it takes: the `SecretKey` is closed afterwards, even if this
        fails. `groups` are sets of likely verifiers; the group of all verifiers always exists. A batch has
        2**`log2_batch` keys, at most 128; a group with fewer keys than `low_water` gets another batch; keys older than
        `lifetime` are wiped.
        """
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def announcements(self, /) -> list[Announced]:
        """
        Announcements of all batches that still have keys, for a verifier that joins late or restarts.
        """
    def close(self, /) -> None:
        """
        Wipes all keys. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if the signer was closed.
        """
    def detect_copies(self, /, hook: Callable[[], int]) -> None:
        """
        Sets a hook that distinguishes copies of this machine: it returns a virtual machine's generation identifier, a
        counter of restored checkpoints, or any other 64-bit integer. `sign` and `prepare` call it first, on the calling
        thread. When its answer changes, all keys are wiped. Its exceptions propagate, and then nothing is signed. It
        may use this signer. Forks are detected without it; undetected copies are limited by the keys' lifetime.
        """
    def invalidate(self, /) -> None:
        """
        Wipes every key. Call it when the machine was copied, or is about to be.
        """
    def prepare(self, /, now: SupportsIndex | None = None) -> Announced | None:
        """
        Background work: generates one batch for the group with the fewest keys and returns the announcement to send;
        `None` if no group needs a batch. Call it until it returns `None`, and again during the signer's lifetime. Cost:
        128 times the cost of making and verifying a signature, and more in the HORS suites. Make one call at a time:
        concurrent calls make a batch each.
        """
    def prepare_async(self, /, now: SupportsIndex | None = None) -> Coroutine[Any, Any, Announced | None]:
        """
        As `prepare`, on another thread.
        """
    @property
    def public_key(self, /) -> PublicKey:
        """
        Key that verifies this signer's signatures.
        """
    @property
    def ready(self, /) -> int:
        """
        Number of keys ready in all groups.
        """
    def sign(self, /, message: Buffer, hint: Iterable[SupportsIndex] = (), now: SupportsIndex | None = None) -> bytes:
        """
        Signs with a fresh key of the smallest group that contains all of `hint` and has a key; an empty hint means all
        verifiers. The hint determines which verifiers verify fast, never which can verify. Raises `ExhaustedError` if
        no key is left.

        `now`, in all methods, is in microseconds of a clock that continues while the machine sleeps; it defaults to the
        system's time of day.
        """
    @property
    def suite(self, /) -> str:
        """
        The name of the suite.
        """

@final
class SignerSet:
    """
    A set of members of a committee of `n`. It is mutable, so it has no hash; iteration is in ascending order.
    """
    def __and__(self, other: object, /) -> SignerSet: ...
    def __contains__(self, index: SupportsIndex, /) -> bool: ...
    def __copy__(self, /) -> SignerSet: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __invert__(self, /) -> SignerSet: ...
    def __iter__(self, /) -> Members:
        """
        Iterates over a snapshot of the members, ascending.
        """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, committee_len: SupportsIndex, members: Iterable[SupportsIndex] = ()) -> SignerSet:
        """
        The set of these members, each listed once, of a committee of `committee_len`.
        """
    def __or__(self, other: object, /) -> SignerSet: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee_len(self, /) -> int:
        """
        Size of the committee.
        """
    def complement(self, /) -> SignerSet:
        """
        Returns all members that are not in the set.
        """
    @staticmethod
    def full(committee_len: SupportsIndex) -> SignerSet:
        """
        Returns the set of all members.
        """
    def insert(self, /, index: SupportsIndex) -> bool:
        """
        Adds a member; returns false if it is in the set already, or not in the committee.
        """
    def intersection(self, /, other: SignerSet) -> SignerSet:
        """
        Members of both sets; both must be of the same committee.
        """
    def is_disjoint(self, /, other: SignerSet) -> bool:
        """
        Returns true if the two sets have no member in common.
        """
    def union(self, /, other: SignerSet) -> SignerSet:
        """
        Members of either set; both must be of the same committee.
        """

@final
class Signing:
    """
    A message under a tag: the subject of a combiner.
    """
    def __new__(cls, /, key: EcdsaGroupKey, deal: Deal, nonce: Buffer, tag: Tag, message: Buffer) -> Signing:
        """
        For a combiner without a party's file; parties call `Presignatures.signing`. A wrong nonce makes every
        combination fail.
        """
    def __repr__(self, /) -> str: ...
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    @property
    def message(self, /) -> bytes:
        """
        The message.
        """
    @property
    def nonce(self, /) -> bytes:
        """
        Public part of the presignature, which all signings of this tag share.
        """
    @property
    def tag(self, /) -> Tag:
        """
        Its tag.
        """

@final
class Statement:
    """
    A statement that members sign: that `digest` is valid for this kind, epoch and view. Usually created by
    `Committee.statement`, which supplies the epoch.
    """
    LEN: Final[int]
    """
    Length of an encoded statement in bytes.
    """
    SIGNED_LEN: Final[int]
    """
    Length of the signed bytes.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, kind: SupportsIndex, epoch: SupportsIndex, view: SupportsIndex, digest: Buffer) -> Statement:
        """
        Creates a statement from its parts; the digest has 32 bytes.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def contradicts(self, /, other: Statement) -> bool:
        """
        Returns true if a member must not sign both: same kind, epoch and view, different digest.
        """
    @staticmethod
    def decode(data: Buffer) -> Statement:
        """
        Decodes the 49 bytes.
        """
    @property
    def digest(self, /) -> bytes:
        """
        The value, usually the hash of a block.
        """
    def encode(self, /) -> bytes:
        """
        Returns the 49 bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        The committee's epoch.
        """
    def identity(self, /, committee: CommitteeId) -> bytes:
        """
        Identifier of the certified statement. Certificates of one statement may differ; this does not.
        """
    @property
    def kind(self, /) -> int:
        """
        Phase of the protocol: each phase has a kind of its own.
        """
    def signed_bytes(self, /, committee: CommitteeId) -> bytes:
        """
        Returns the bytes that a member of that committee signs.
        """
    @property
    def view(self, /) -> int:
        """
        The view within the epoch.
        """

@final
class Suspects:
    """
    Members in whose name invalid signatures were received, shared by all collectors of one committee. Their votes are
    verified one by one, so that they cannot make every batch fail. Each new certificate reduces every suspicion a
    little.
    """
    def __contains__(self, member: SupportsIndex, /) -> bool: ...
    def __iter__(self, /) -> Members:
        """
        Iterates over a snapshot of the suspects, ascending.
        """
    def __len__(self, /) -> int: ...
    def __new__(cls, /) -> Suspects:
        """
        No suspects.
        """
    def __repr__(self, /) -> str: ...
    def accuse(self, /, member: SupportsIndex) -> None:
        """
        Records an offence. Collectors call it themselves; call it for invalid votes found elsewhere.
        """
    def decay(self, /) -> None:
        """
        Reduces the remaining suspicion of every member by one certificate. Collectors call it themselves when they form
        a certificate.
        """

@final
class Table:
    """
    Rows by shape, length and suite, without duplicates. All members of a committee must use one table, or one row of
    it, because the suite determines the bytes of the shards.
    """
    MAX_ROWS: Final[int]
    """
    Maximum number of rows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def best(self, /, shape: Shape, message: SupportsIndex, allow: Callable[[ErasureSuite], object] | None = None) -> Row | None:
        """
        Returns the fastest suite that `allow` accepts for shards of this shape, measured with the length nearest to
        `message` as a ratio. `None` if this shape was not measured. By default, `allow` accepts the suites of this
        build; a committee whose members have different builds passes the suites that all support.
        """
    @staticmethod
    def decode(data: Buffer) -> Table:
        """
        Decodes a file of the tuner.
        """
    def encode(self, /) -> bytes:
        """
        Returns the bytes of the file.
        """
    @property
    def rows(self, /) -> list[Row]:
        """
        All rows, ascending by shape, length and suite.
        """

@final
class Tag:
    """
    One presignature of one epoch, and the class of messages that it may sign. Only a plan creates tags.
    """
    def __copy__(self, /) -> Tag: ...
    def __deepcopy__(self, memo: Any, /) -> Tag: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def agreement(self, /) -> Agreement:
        """
        Class of its messages.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch.
        """
    @property
    def index(self, /) -> int:
        """
        Index within the epoch.
        """

@final
class Tdh2KeyShare:
    """
    A member's share of the secret key. It cannot be printed, pickled or copied, and is wiped when it is closed or
    collected: use it in a `with` block. Other copies are not wiped: the bytes that it was created from, and the result
    of `to_bytes`.
    """
    LEN: Final[int]
    """
    Length of the result of `to_bytes` in bytes.
    """
    def __enter__(self, /) -> Tdh2KeyShare: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def check(self, /, keys: Tdh2PublicKeys) -> None:
        """
        Verifies that the dealer gave this member the secret of its verification key, or raises `BadShareError`. Call it
        once: with a wrong secret the member makes wrong shares and is blamed for them.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee for which it was dealt.
        """
    def decryption_share(self, /, ciphertext: ValidCiphertext) -> DecryptionShare:
        """
        Returns this member's share of a decryption, which is valid for this ciphertext only. Only a checked ciphertext
        has shares. Cost: three multiplications.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> Tdh2KeyShare:
        """
        Decodes the result of `to_bytes`; call `check` next. The caller keeps the bytes: pass a `bytearray` and
        overwrite it.
        """
    @property
    def member(self, /) -> int:
        """
        Member that holds the share.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the 99 bytes, for a key file. The result is a Python object that is never wiped.
        """
    @property
    def verification_key(self, /) -> bytes:
        """
        Its public verification key: 32 bytes.
        """

@final
class Tdh2PublicKeys:
    """
    The public keys of a dealt key, checked to lie on one polynomial.
    """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee for which they were dealt.
        """
    @staticmethod
    def deal(committee: CommitteeId, threshold: Threshold) -> tuple[Tdh2PublicKeys, list[Tdh2KeyShare]]:
        """
        Deals a new key whose threshold is one more than the maximum number of faulty members. THE PROCESS THAT RUNS
        THIS KNOWS THE KEY: run it once, offline, and give each member only its own share.
        """
    @staticmethod
    def decode(data: Buffer) -> Tdh2PublicKeys:
        """
        Decodes keys and verifies that they lie on one polynomial. Cost: a sum of n + 1 products.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    @property
    def key(self, /) -> bytes:
        """
        The public key: 32 bytes.
        """
    def precomputed(self, /) -> Tdh2PublicKeys:
        """
        Returns the same keys with a table for each member, which makes verifying between n/8 and 46 shares at once
        somewhat cheaper. Memory: 10 kB for each member. Cost: as `decode`, plus a quarter of a multiplication per
        member.
        """
    @property
    def threshold(self, /) -> Threshold:
        """
        Number of shares needed, and number of parties.
        """
    def verification_key(self, /, member: SupportsIndex) -> bytes | None:
        """
        Returns the member's verification key of 32 bytes; `None` if there is no such member.
        """
    def verify_share(self, /, instance: ValidCiphertext, share: DecryptionShare) -> Tdh2VerifiedShare:
        """
        Verifies one share, or raises `BadShareError`. Cost: 1.5 multiplications.
        """
    def verify_shares(self, /, instance: ValidCiphertext, shares: Iterable[DecryptionShare]) -> Checked[Tdh2VerifiedShare, Tdh2ShareFault]:
        """
        Verifies several shares together and identifies every wrong one; these raise no error but are listed in
        `faults`. Cost: 0.6 multiplications per share.
        """
    def verify_shares_async(self, /, instance: ValidCiphertext, shares: Iterable[DecryptionShare]) -> Coroutine[Any, Any, Checked[Tdh2VerifiedShare, Tdh2ShareFault]]:
        """
        As `verify_shares`, on another thread.
        """

@final
class Tdh2VerifiedShare:
    """
    A share that was verified for one instance. Only verified shares can be combined.
    """
    def __copy__(self, /) -> Tdh2VerifiedShare: ...
    def __deepcopy__(self, memo: Any, /) -> Tdh2VerifiedShare: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def member(self, /) -> int:
        """
        Index of its party.
        """

@final
class Tdh2WrongShare:
    """
    Evidence that a member made a wrong share, for every holder of the public keys.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> Tdh2WrongShare:
        """
        Decodes evidence without verification.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def verify(self, /, keys: Tdh2PublicKeys) -> int:
        """
        Verifies the evidence with the keys alone and returns the culprit; raises `NotEvidenceError` if the share is
        right, or not the member's own.
        """

@final
class Threshold:
    """
    Number of shares needed, and number of parties.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, needed: SupportsIndex, parties: SupportsIndex) -> Threshold:
        """
        Raises `BadCommitteeError` unless 0 < needed ≤ parties ≤ `MAX_PARTIES`.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def needed(self, /) -> int:
        """
        Number of shares needed.
        """
    @property
    def parties(self, /) -> int:
        """
        Number of parties.
        """

@final
class Ticket:
    """
    A member's claim to have won. A decoded ticket is not verified yet.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, round: SupportsIndex, member: SupportsIndex, signature: Signature) -> Ticket:
        """
        Creates a ticket from its parts. Nothing is verified.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite, data: Buffer) -> Ticket:
        """
        Decodes a ticket of that suite.
        """
    @staticmethod
    def decode_detached(suite: Suite, data: Buffer, round: SupportsIndex, member: SupportsIndex) -> Ticket:
        """
        Decodes the signature of a ticket whose round and member are known.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encode_detached(self, /) -> bytes:
        """
        Returns the signature alone, for formats that contain the rest already.
        """
    @property
    def member(self, /) -> int:
        """
        Member that the ticket names.
        """
    @property
    def round(self, /) -> int:
        """
        Round of the lottery.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The proof.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, lottery: Lottery) -> VerifiedTicket:
        """
        Verifies that this member won this lottery. Raises `NotDrawnError` for a ticket that does not win, before any
        pairing. Cost: one subgroup check and a hash; for a winning ticket, also one hash to the curve and two pairings.
        """
    def verify_async(self, /, lottery: Lottery) -> Coroutine[Any, Any, VerifiedTicket]:
        """
        As `verify`, on another thread.
        """

@final
class TimeoutCertificate:
    """
    A quorum's certificate that it gave up a view. The members are grouped by the values that they named, and one
    aggregate covers the statements of all groups.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __copy__(self, /) -> TimeoutCertificate: ...
    def __deepcopy__(self, memo: Any, /) -> TimeoutCertificate: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: decoding needs the committee.
        """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> TimeoutCertificate:
        """
        Decodes a timeout certificate of that committee: checks its form, epoch and quorum, not its signatures.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encoded_len(self, /) -> int:
        """
        Length of the encoding in bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        The committee's epoch.
        """
    @property
    def groups(self, /) -> list[tuple[int, SignerSet]]:
        """
        The values, ascending, each with the members that named it.
        """
    @property
    def highest_value(self, /) -> int:
        """
        The highest value that a signer named.
        """
    @property
    def kind(self, /) -> int:
        """
        Phase of the protocol: each phase has a kind of its own.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        A new set of all signers.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedTimeoutCertificate:
        """
        Verifies the signatures. Cost: as `Certificate.verify`, plus one pairing and one hash for each further value.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedTimeoutCertificate]:
        """
        As `verify`, on another thread.
        """
    @property
    def view(self, /) -> int:
        """
        The abandoned view.
        """

@final
class TimeoutCollector:
    """
    Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. It works like
    `VoteCollector`. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, kind: SupportsIndex, view: SupportsIndex, *, batch_threshold: SupportsIndex | None = None, failure_limit: SupportsIndex | None = None) -> TimeoutCollector:
        """
        An empty collector; the options are those of `VoteCollector`.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, vote: TimeoutVote | VerifiedTimeoutVote, suspects: Suspects) -> Collected[VerifiedTimeoutCertificate]:
        """
        Adds a timeout vote. A `VerifiedTimeoutVote` of the same committee is not verified again.
        """
    @property
    def committee(self, /) -> Committee:
        """
        Committee whose votes are collected.
        """
    def has_honest(self, /) -> bool:
        """
        Returns true if the collected votes weigh more than a third, VERIFIED OR NOT.
        """
    @property
    def is_done(self, /) -> bool:
        """
        True if the certificate was returned.
        """
    @property
    def topic(self, /) -> tuple[int, int]:
        """
        Kind and view of the collected votes.
        """
    def verify_honest(self, /, suspects: Suspects) -> tuple[bool, list[VoteFault]]:
        """
        Verifies the pending votes, if they may suffice. Returns true if the verified votes weigh more than a third, so
        that at least one honest member gave up the view; and the faults found.
        """
    def weight(self, /) -> int:
        """
        Weight of the collected timeout votes, verified or not.
        """

@final
class TimeoutVote:
    """
    A member's vote to give up a view. It names a value, in HotStuff-like protocols the view of the highest certificate
    that the member knows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, kind: SupportsIndex, epoch: SupportsIndex, view: SupportsIndex, value: SupportsIndex, signer: SupportsIndex, signature: Signature) -> TimeoutVote:
        """
        Creates a timeout vote from its parts. Nothing is verified.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def as_vote(self, /) -> Vote:
        """
        Returns the underlying vote.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> TimeoutVote:
        """
        Decodes a timeout vote of that suite.
        """
    @staticmethod
    def decode_link(suite: Suite | str, data: Buffer) -> TimeoutVote:
        """
        Decodes the form for direct links.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encode_link(self, /) -> bytes:
        """
        Returns the form for direct links, with an uncompressed signature.
        """
    @property
    def epoch(self, /) -> int:
        """
        The committee's epoch.
        """
    @property
    def kind(self, /) -> int:
        """
        Phase of the protocol: each phase has a kind of its own.
        """
    @staticmethod
    def sign_unguarded(secret: SecretKey, committee: Committee, kind: SupportsIndex, view: SupportsIndex, value: SupportsIndex) -> TimeoutVote:
        """
        Signs WITHOUT RECORDING IT, for tests. A node signs through its `Guard`.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The signature.
        """
    @property
    def signer(self, /) -> int:
        """
        The signer that the vote names.
        """
    @staticmethod
    def statement_of(kind: SupportsIndex, epoch: SupportsIndex, view: SupportsIndex, value: SupportsIndex) -> Statement:
        """
        Returns the statement that a timeout vote signs: its digest is the value as eight little-endian bytes and 24
        zeros.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    @property
    def value(self, /) -> int:
        """
        The value that the member names.
        """
    def verify(self, /, committee: Committee) -> VerifiedTimeoutVote:
        """
        Verifies this vote alone.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedTimeoutVote]:
        """
        As `verify`, on another thread.
        """
    @property
    def view(self, /) -> int:
        """
        The abandoned view.
        """

@final
class Tolerance:
    """
    Number of parties, and the maximum number of Byzantine ones: fewer than a third.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, parties: SupportsIndex, faulty: SupportsIndex) -> Tolerance:
        """
        Raises `BadCommitteeError` unless 3·faulty < parties ≤ `MAX_PARTIES`.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def faulty(self, /) -> int:
        """
        Maximum number of faulty parties.
        """
    @property
    def parties(self, /) -> int:
        """
        Number of parties.
        """
    def threshold(self, /, agreement: Agreement | str) -> Threshold:
        """
        Number of shares that a signature of this class needs.
        """

@final
class TrustedDealer:
    """
    Generates a key and deals its presignatures. IT KNOWS THE KEY: it can sign alone, and so can an attacker that
    compromises it. Run it offline, seal each party's file, and wipe the machine. It cannot be printed, pickled or
    copied, and is wiped when it is closed or collected: use it in a `with` block.
    """
    def __enter__(self, /) -> TrustedDealer: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __new__(cls, /, group: Group | str, committee: CommitteeId, tolerance: Tolerance) -> TrustedDealer:
        """
        The dealer of a new key for a committee.
        """
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        True if it was closed or its ownership was transferred.
        """
    def deal(self, /, epoch: SupportsIndex, plan: Plan) -> list[Presignatures]:
        """
        Deals the presignatures of one epoch: one file for each party, in the parties' order. NEVER DEAL AN EPOCH TWICE.
        Cost: 0.1 ms per presignature and party.
        """
    def deal_async(self, /, epoch: SupportsIndex, plan: Plan) -> Coroutine[Any, Any, list[Presignatures]]:
        """
        As `deal`, on another thread.
        """
    @staticmethod
    def from_bytes(group: Group | str, committee: CommitteeId, tolerance: Tolerance, data: Buffer) -> TrustedDealer:
        """
        Returns the dealer of a stored key of 32 bytes, to deal for further epochs. The caller keeps the bytes: pass a
        `bytearray` and overwrite it.
        """
    @property
    def group(self, /) -> Group:
        """
        Its group.
        """
    @property
    def key(self, /) -> EcdsaGroupKey:
        """
        The public key.
        """
    def to_bytes(self, /) -> bytes:
        """
        Returns the secret key: 32 bytes in a Python object that is never wiped.
        """

@final
class UnverifiedKey:
    """
    A public key with an unverified proof of possession, as a member submits it.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, public: PublicKey, possession: Signature) -> UnverifiedKey:
        """
        Combines a received key and proof. Checks only that both have the same suite.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the bytes in hex.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> UnverifiedKey:
        """
        Decodes the canonical encoding.
        """
    def encode(self, /) -> bytes:
        """
        Returns the key's bytes, then the proof's.
        """
    @property
    def possession(self, /) -> Signature:
        """
        The proof as received.
        """
    @staticmethod
    def prove(secret: SecretKey) -> UnverifiedKey:
        """
        Returns the key of `secret` with a new proof.
        """
    @property
    def public(self, /) -> PublicKey:
        """
        The key; it is unproven.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Signature scheme of the object.
        """
    def verify(self, /) -> VerifiedKey:
        """
        Verifies the proof. Cost: one signature verification.
        """
    def verify_async(self, /) -> Coroutine[Any, Any, VerifiedKey]:
        """
        As `verify`, on another thread.
        """

@final
class ValidCiphertext:
    """
    A checked ciphertext, for which shares can be made. Only `Ciphertext.check` creates one.
    """
    def __copy__(self, /) -> ValidCiphertext: ...
    def __deepcopy__(self, memo: Any, /) -> ValidCiphertext: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def base(self, /) -> bytes:
        """
        The element whose multiples are the shares: 32 bytes.
        """
    @property
    def ciphertext(self, /) -> Ciphertext:
        """
        The ciphertext, without the proof that it was checked.
        """
    def combine(self, /, keys: Tdh2PublicKeys, shares: Iterable[Tdh2VerifiedShare], cache: Cache | None = None) -> bytes:
        """
        Decrypts with verified shares. Raises `BelowQuorumError`, `DuplicateSignerError`, and `WrongContextError` for a
        share of another ciphertext; raises `BadCiphertextError` if the author encrypted no valid plaintext: treat it as
        empty, as all members will.
        """
    @property
    def id(self, /) -> bytes:
        """
        Identifier in the proofs of its shares: 32 bytes.
        """
    @property
    def label(self, /) -> Label:
        """
        Its context.
        """

@final
class VerifiedAggregate:
    """
    An aggregate whose sum was verified; only such aggregates are merged.
    """
    def __copy__(self, /) -> VerifiedAggregate: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedAggregate: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    def certificate(self, /, committee: Committee) -> VerifiedCertificate | None:
        """
        Returns the certificate, if the signers are a quorum; otherwise `None`.
        """
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    def merge(self, /, other: VerifiedAggregate, limit: SupportsIndex = 255) -> VerifiedAggregate:
        """
        Adds two aggregates of one statement. Raises `WrongContextError` for another committee or statement, and
        `TooLargeError` if a count would exceed `limit`. Cost: one addition.
        """
    def normalised(self, /, parts: Iterable[VerifiedAggregate]) -> VerifiedAggregate:
        """
        Returns the same signers with lower counts: subtracts each of `parts`, in order, as often as leaves every signer
        in the sum at least once. Skips parts of another statement or committee, and parts with signers outside this
        aggregate.
        """
    @property
    def value(self, /) -> Aggregate:
        """
        The verified value.
        """

@final
class VerifiedCertificate:
    """
    A certificate whose signatures were verified.
    """
    def __copy__(self, /) -> VerifiedCertificate: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedCertificate: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    @property
    def value(self, /) -> Certificate:
        """
        The verified value.
        """

@final
class VerifiedConflict:
    """
    Evidence whose certificates were verified: its culprits are at fault.
    """
    def __copy__(self, /) -> VerifiedConflict: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedConflict: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    @property
    def value(self, /) -> Conflict:
        """
        The verified value.
        """

@final
class VerifiedEquivocation:
    """
    Evidence whose signatures were verified: the member is at fault.
    """
    def __copy__(self, /) -> VerifiedEquivocation: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedEquivocation: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    @property
    def value(self, /) -> Equivocation:
        """
        The verified value.
        """

@final
class VerifiedKey:
    """
    A public key whose owner proved possession of the secret key. Only `UnverifiedKey.verify` and `from_secret` create
    one; a committee accepts nothing less.
    """
    def __copy__(self, /) -> VerifiedKey: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedKey: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: this object cannot be pickled.
        """
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        Returns the key's bytes in hex.
        """
    @staticmethod
    def from_secret(secret: SecretKey) -> VerifiedKey:
        """
        Returns the key of a secret key, which needs no proof.
        """
    @property
    def public(self, /) -> PublicKey:
        """
        The key.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Signature scheme of the object.
        """

@final
class VerifiedTicket:
    """
    A verified winning ticket.
    """
    def __copy__(self, /) -> VerifiedTicket: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedTicket: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    @property
    def score(self, /) -> Score:
        """
        Score of the ticket: the SMALLEST score ranks first.
        """
    @property
    def value(self, /) -> Ticket:
        """
        The verified value.
        """

@final
class VerifiedTimeoutCertificate:
    """
    A timeout certificate whose signatures were verified.
    """
    def __copy__(self, /) -> VerifiedTimeoutCertificate: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedTimeoutCertificate: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    @property
    def value(self, /) -> TimeoutCertificate:
        """
        The verified value.
        """

@final
class VerifiedTimeoutVote:
    """
    A timeout vote whose signature was verified.
    """
    def __copy__(self, /) -> VerifiedTimeoutVote: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedTimeoutVote: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    @property
    def value(self, /) -> TimeoutVote:
        """
        The verified value.
        """

@final
class VerifiedVote:
    """
    A vote whose signature was verified.
    """
    def __copy__(self, /) -> VerifiedVote: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedVote: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Raises `TypeError`: unpickling would bypass verification.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Committee against which it was verified: compare it with the id of the current one.
        """
    @property
    def value(self, /) -> Vote:
        """
        The verified value.
        """

@final
class Verifier:
    """
    Verifies signatures of admitted signers, fast if their batch was announced. Threads may share a verifier; even a
    hostile announcement never blocks another thread from verifying.
    """
    def __new__(cls, /, suite: str = "wots-blake3", *, announced: SupportsIndex = 32, checked: SupportsIndex = 8, burst: SupportsIndex = 32, interval: timedelta = timedelta(microseconds=200)) -> Verifier:
        """
        A verifier without admitted signers. For each signer, it remembers up to `announced` announced batches and
        `checked` batches of signatures without an announcement; the oldest are evicted, and each takes about 12 kB. It
        accepts bursts of `burst` announcements, and one more per `interval`. A signer has `low_water` / 128 + 1 batches
        for each of its groups; signatures of batches that do not fit verify slowly.
        """
    def __repr__(self, /) -> str: ...
    def admit(self, /, signer: PublicKey) -> None:
        """
        Admits a signer. Does nothing if the signer is known.
        """
    def announce(self, /, signer: PublicKey, announcement: Buffer, now: SupportsIndex | None = None) -> None:
        """
        Background work: processes an announcement received from its signer over an authenticated link. Raises
        `WrongContextError` for unknown signers and `RateLimitedError` above the allowance. Cost: 127 hashes, one
        Ed25519 verification.
        """
    def can_verify_fast(self, /, signer: PublicKey, signature: Buffer) -> bool:
        """
        Returns true if `verify` would not need an Ed25519 verification. Cost: one lookup.
        """
    def check_revocation(self, /, hook: Callable[[PublicKey], bool]) -> None:
        """
        Sets a hook that returns true for a key that an external list revokes. `announce`, `can_verify_fast`
        and `verify` call it first, on the calling thread. Its exceptions propagate, and then nothing is accepted. It
        may use this verifier, and should cost no more than a lookup.
        """
    def revoke(self, /, signer: PublicKey) -> bool:
        """
        Forgets a signer: all of its signatures are rejected from now on. Returns true if it was known.
        """
    @property
    def suite(self, /) -> str:
        """
        The name of the suite.
        """
    def verify(self, /, signer: PublicKey, message: Buffer, signature: Buffer) -> None:
        """
        Verifies a signature, whether or not its batch was announced. Raises `WrongContextError` for unknown signers,
        `BadSignatureError`, and `OneTimeReuseError` if the signature is valid but its key signed another message
        before: for evidence see `reuse`, and store each verified message. The interpreter is released only for the Ed25519
        verification of an unknown batch.
        """

@final
class Vote:
    """
    One member's signature on a statement. A decoded vote is not verified yet.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, statement: Statement, signer: SupportsIndex, signature: Signature) -> Vote:
        """
        Creates a vote from its parts. Nothing is verified.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> Vote:
        """
        Decodes a vote of that suite.
        """
    @staticmethod
    def decode_link(suite: Suite | str, data: Buffer) -> Vote:
        """
        Decodes the form for direct links.
        """
    def encode(self, /) -> bytes:
        """
        Returns the canonical encoding.
        """
    def encode_link(self, /) -> bytes:
        """
        Returns the form for direct links, with an uncompressed signature.
        """
    @staticmethod
    def sign_unguarded(secret: SecretKey, committee: Committee, statement: Statement) -> Vote:
        """
        Signs WITHOUT RECORDING IT, for statements that a member may contradict, and for tests. Use a `Guard` to sign
        anything that a protocol acts on.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The signature.
        """
    @property
    def signer(self, /) -> int:
        """
        The signer that the vote names.
        """
    @property
    def statement(self, /) -> Statement:
        """
        The signed statement.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedVote:
        """
        Verifies this vote alone; a collector verifies many at far lower cost.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedVote]:
        """
        As `verify`, on another thread.
        """

@final
class VoteCollector:
    """
    Collects the votes of one kind and view until one statement has a certificate. It stores at most one vote per member
    and verifies nothing until it has a quorum; then it verifies one sum. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, kind: SupportsIndex, view: SupportsIndex, *, batch_threshold: SupportsIndex | None = None, failure_limit: SupportsIndex | None = None) -> VoteCollector:
        """
        An empty collector. Fewer than `batch_threshold` pending votes are verified one by one. After `failure_limit`
        invalid votes, further votes of a member are dropped unverified: ONLY for links that authenticate each vote's
        signer; on other links any sender could silence a member.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, vote: Vote | VerifiedVote, suspects: Suspects) -> Collected[VerifiedCertificate]:
        """
        Adds a vote. The result contains the certificate, if this vote completed it, and the faults found. A
        `VerifiedVote` of the same committee, for instance the member's own, is not verified again. On a link that
        authenticates its sender, reject votes in another member's name before this call.
        """
    @property
    def committee(self, /) -> Committee:
        """
        Committee whose votes are collected.
        """
    @property
    def is_done(self, /) -> bool:
        """
        True if the certificate was returned.
        """
    @property
    def topic(self, /) -> tuple[int, int]:
        """
        Kind and view of the collected votes.
        """
    def weight_for(self, /, digest: Buffer) -> int:
        """
        Returns the weight of the votes for a digest of 32 bytes, verified or not.
        """

@final
class Writer:
    """
    Writes an encoding front to back.
    """
    def __len__(self, /) -> int:
        """
        Number of bytes written.
        """
    def __new__(cls, /) -> Writer:
        """
        An empty writer.
        """
    def __repr__(self, /) -> str: ...
    def bytes(self, /, data: Buffer) -> None:
        """
        Writes a length, then the bytes.
        """
    def count(self, /, n: SupportsIndex) -> None:
        """
        Writes a list length; the items follow.
        """
    def into_bytes(self, /) -> _Bytes:
        """
        Returns the written bytes. The writer is empty afterwards.
        """
    def option(self, /, present: bool) -> None:
        """
        Reads whether an optional value follows.
        """
    def raw(self, /, data: Buffer) -> None:
        """
        Writes bytes whose length the reader knows.
        """
    def u128(self, /, value: SupportsIndex) -> None:
        """
        Reads sixteen bytes, little-endian.
        """
    def u16(self, /, value: SupportsIndex) -> None:
        """
        Reads two bytes, little-endian.
        """
    def u32(self, /, value: SupportsIndex) -> None:
        """
        Reads four bytes, little-endian.
        """
    def u64(self, /, value: SupportsIndex) -> None:
        """
        Reads eight bytes, little-endian.
        """
    def u8(self, /, value: SupportsIndex) -> None:
        """
        Reads one byte.
        """
    def varint(self, /, value: SupportsIndex) -> None:
        """
        Writes LEB128 in its shortest form: 1 to 5 bytes.
        """

def aggregate(signatures: Iterable[Signature]) -> Signature:
    """
    Sums signatures. Nothing is verified; the sum verifies if all its parts do.
    """

def aggregate_verify(signed: Iterable[tuple[VerifiedKey, Buffer]], signature: Signature) -> None:
    """
    Verifies that each key signed its own message. Cost: one hash and one pairing per message, plus one pairing.
    """

def aggregate_verify_async(signed: Iterable[tuple[VerifiedKey, Buffer]], signature: Signature) -> Coroutine[Any, Any, None]:
    """
    As `aggregate_verify`, on another thread.
    """

def bls_beacon(signature: Signature) -> bytes:
    """
    Returns 32 bytes that were unpredictable before enough members had signed. VERIFY THE SIGNATURE FIRST.
    """

def bls_deal(suite: Suite | str, committee: CommitteeId, tolerance: Tolerance, agreement: Agreement | str) -> list[BlsKeyShare]:
    """
    Generates a key and shares it. THE PROCESS THAT RUNS THIS KNOWS THE KEY: run it once, offline, and give each member
    only its own share. Ed25519 has no shares: it raises `WrongContextError`.
    """

def core_codes() -> list[str]:
    """
    Returns the core's error codes.
    """

def domains() -> list[str]:
    """
    Returns all domain strings of quorate, each with exactly one purpose.
    """

def dsig_suites() -> list[tuple[str, int]]:
    """
    Names of all suites, ordered by number, with the size of a signature in bytes.
    """

def fast_aggregate_verify(keys: Iterable[VerifiedKey], message: Buffer, signature: Signature) -> None:
    """
    Verifies that all keys signed the same message. Cost: one addition per key, one hash, two pairings.
    """

def fast_aggregate_verify_async(keys: Iterable[VerifiedKey], message: Buffer, signature: Signature) -> Coroutine[Any, Any, None]:
    """
    As `fast_aggregate_verify`, on another thread.
    """

def hash(domain: str, data: Buffer) -> bytes:
    """
    Hashes `data` under a domain string: one of `DOMAINS`, or an application's own that no other protocol uses; never a
    received one.
    """

def reuse(signer: PublicKey, first: tuple[Buffer, Buffer], second: tuple[Buffer, Buffer]) -> bytes:
    """
    Combines two signatures of one one-time key, each with its message, into evidence against the signer; `verify_reuse`
    verifies it. Raises `NotEvidenceError` if they prove no fault.
    """

def verify(signer: PublicKey, message: Buffer, signature: Buffer) -> None:
    """
    Verifies a signature of any suite without prior knowledge of its batch. Cost: one Ed25519 verification, plus hashes.
    """

def verify_all(suite: str, entries: Iterable[tuple[PublicKey, Buffer, Buffer]]) -> list[QuorateError | None]:
    """
    Verifies several signatures of one suite, such as those of a log: each entry has a signer, a message and a
    signature. Returns an outcome for each, in input order: `None`, or the exception that an `Auditor` that remembers
    1,024 batches would raise. Cost: one Ed25519 verification per batch of keys, plus hashes.
    """

def verify_all_async(suite: str, entries: Iterable[tuple[PublicKey, Buffer, Buffer]]) -> Coroutine[Any, Any, list[QuorateError | None]]:
    """
    As `verify_all`, on another thread.
    """

def verify_reuse(suite: str, evidence: Buffer) -> PublicKey:
    """
    Verifies evidence of key reuse without prior knowledge, and returns the culprit.
    """
