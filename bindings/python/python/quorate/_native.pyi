"""
The native part of quorate; import `quorate` instead.
"""

from collections.abc import Callable, Coroutine, Iterable
from datetime import timedelta
from quorate.dsig import Announced
from quorate.errors import QuorateError
from quorate.faults import Collected, VoteFault
from quorate.gossip import Checked as GossipChecked, Received, Send
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

__all__ = ["DEFAULT_BATCH_THRESHOLD", "EXPECTED_WINNERS", "MAX_MEMBERS", "MAX_MESSAGE", "MAX_PARTIES", "MAX_SHARDS", "MAX_TIMEOUT_GROUPS", "MAX_TOTAL_WEIGHT", "POOL", "SEAL_MAX_CONTENT", "SEAL_OVERHEAD", "STACK", "TDH2_MAX_PLAINTEXT", "TDH2_OVERHEAD", "VERSION", "Aggregate", "Auditor", "BlsCombiner", "BlsGroupKey", "BlsKeyShare", "BlsShareFault", "BlsSignatureShare", "Cache", "Certificate", "ChainId", "CheckedShard", "Ciphertext", "Coder", "Coding", "Coin", "CoinKeyShare", "CoinName", "CoinPublicKeys", "CoinShare", "CoinValue", "CoinVerifiedShare", "CoinWrongShare", "Commitment", "Committee", "CommitteeId", "Conflict", "Deal", "Decryption", "DecryptionShare", "Dispersal", "EcdsaCombiner", "EcdsaGroupKey", "EcdsaShareFault", "EcdsaSignature", "EcdsaSignatureShare", "EncryptionKey", "Equivocation", "ErasureSuite", "Gossip", "Guard", "GuardRecord", "Lottery", "Members", "Merkle", "Opener", "Opening", "Packets", "Parameters", "Path", "Peers", "Plan", "Pool", "Presignature", "Presignatures", "PublicKey", "Reader", "Row", "Score", "SealingKey", "SealingPublicKey", "SecretKey", "Seed", "SeedProof", "Shape", "Signature", "Signer", "SignerSet", "Signing", "Statement", "Suspects", "Table", "Tag", "Tdh2KeyShare", "Tdh2PublicKeys", "Tdh2VerifiedShare", "Tdh2WrongShare", "Threshold", "Ticket", "TimeoutCertificate", "TimeoutCollector", "TimeoutVote", "Tolerance", "Toss", "TrustedDealer", "UnverifiedKey", "ValidCiphertext", "VerifiedAggregate", "VerifiedCertificate", "VerifiedConflict", "VerifiedEquivocation", "VerifiedKey", "VerifiedTicket", "VerifiedTimeoutCertificate", "VerifiedTimeoutVote", "VerifiedVote", "Verifier", "Vote", "VoteCollector", "Writer", "aggregate", "aggregate_verify", "aggregate_verify_async", "bls_beacon", "bls_deal", "core_codes", "domains", "dsig_suites", "fast_aggregate_verify", "fast_aggregate_verify_async", "hash", "reuse", "verify", "verify_all", "verify_all_async", "verify_reuse"]

DEFAULT_BATCH_THRESHOLD: Final[int]
EXPECTED_WINNERS: Final[int]
MAX_MEMBERS: Final[int]
MAX_MESSAGE: Final[int]
MAX_PARTIES: Final[int]
MAX_SHARDS: Final[int]
MAX_TIMEOUT_GROUPS: Final[int]
MAX_TOTAL_WEIGHT: Final[int]
POOL: Final[int]
SEAL_MAX_CONTENT: Final[int]
SEAL_OVERHEAD: Final[int]
STACK: Final[int]
TDH2_MAX_PLAINTEXT: Final[int]
TDH2_OVERHEAD: Final[int]
VERSION: Final[str]

@final
class Aggregate:
    """
    Some members' signatures on one statement, summed in any order: who signed, and how often each one's signature is in
    the sum. It needs no quorum. What decoded is canonical and of the committee's epoch; the sum is still to be checked.
    Only the suites `bls-min-sig-counted` and `bls-min-pk-counted` have aggregates.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    def count(self, /, member: SupportsIndex) -> int:
        """
        How often a member's signature is in the sum: 0 for who did not sign.
        """
    @property
    def counts(self, /) -> list[int]:
        """
        How often each signer's signature is in the sum, in ascending order of the signers.
        """
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> Aggregate:
        """
        Reads an aggregate of that committee: form and epoch are checked, the sum not yet.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encoded_len(self, /) -> int:
        """
        How many bytes `encode` gives.
        """
    @staticmethod
    def of_certificate(certificate: VerifiedCertificate) -> VerifiedAggregate:
        """
        The aggregate that a certificate is.
        """
    @staticmethod
    def of_vote(vote: VerifiedVote, committee: Committee) -> VerifiedAggregate:
        """
        The aggregate of one vote that was checked by itself.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The sum.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        Who signed: a set of one's own.
        """
    @property
    def statement(self, /) -> Statement:
        """
        What is signed.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedAggregate:
        """
        Checks the sum. Cost: two pairings, one hash to the curve, one subgroup check, and an addition for each signer, or
        for each member who is absent if all counts are 1.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedAggregate]:
        """
        As `verify`, on another thread.
        """
    @staticmethod
    def verify_batch(committee: Committee, aggregates: Iterable[Aggregate]) -> list[VerifiedAggregate | QuorateError]:
        """
        Checks many by a random linear combination and gives a verdict for each, in their order: the verified
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
        As `verify_batch`, with coefficients from a hash over everything that is checked, so that all nodes compute
        the same.
        """
    @staticmethod
    def verify_batch_derived_async(committee: Committee, aggregates: Iterable[Aggregate]) -> Coroutine[Any, Any, list[VerifiedAggregate | QuorateError]]:
        """
        As `verify_batch_derived`, on another thread.
        """

@final
class Auditor:
    """
    Verifies a log, one signature after the other, with nothing known beforehand and with one Ed25519 verification per
    batch of keys. It knows no signers: whom to trust is the caller's business. Threads may share an auditor.
    """
    def __new__(cls, /, suite: str = "wots-blake3", *, roots: SupportsIndex = ...) -> Auditor:
        """
        An auditor that remembers so many batches of keys (`roots`), at least one; the oldest give way, and each takes
        about 12 kB.
        """
    def __repr__(self, /) -> str: ...
    def check(self, /, signer: PublicKey, message: Buffer, signature: Buffer) -> None:
        """
        Verifies the next signature of a log. Raises `BadSignatureError`, or `OneTimeReuseError` if its key signed
        something else before, in a batch that is remembered.
        """
    @property
    def suite(self, /) -> str:
        """
        The name of the suite.
        """

@final
class BlsCombiner:
    """
    Shares come in, a signature goes out: combined on trust first, and only if that fails each share is checked and the wrong
    ones are named. Threads may share it.
    """
    def __new__(cls, /, key: BlsGroupKey, message: Buffer, cache: Cache | None = None) -> BlsCombiner:
        """
        A combiner for a message, as it is: what the signature must bind, the message must say. Those who share a `cache`
        spare each other the coefficients of their sets of members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, sender: SupportsIndex, share: BlsSignatureShare) -> Outcome[Signature, BlsShareFault]:
        """
        Takes a share that came over a link that authenticates `sender`. Raises `WrongContextError` for a share of something
        else, or of somebody else than the sender, and `UnknownSignerError`. No opening is ever wanted.
        """
    @property
    def counts(self, /) -> Counts:
        """
        What was done so far.
        """
    @property
    def key(self, /) -> BlsGroupKey:
        """
        Whose shares it collects.
        """
    @property
    def signature(self, /) -> Signature | None:
        """
        The signature, once there is one.
        """

@final
class BlsGroupKey:
    """
    The public side of a shared key.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Whose key it is.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> BlsGroupKey:
        """
        Reads a key of that suite. Cost: a square root and a subgroup check for each party.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def id(self, /) -> bytes:
        """
        Its name of 32 bytes, which every share binds.
        """
    def party(self, /, member: SupportsIndex) -> PublicKey | None:
        """
        The key of one party's shares; `None` if there is no such party.
        """
    @property
    def public(self, /) -> PublicKey:
        """
        The key that the signatures verify under.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    @property
    def threshold(self, /) -> Threshold:
        """
        How many shares make a signature.
        """
    @property
    def tolerance(self, /) -> Tolerance:
        """
        How many parties there are and how many may be faulty.
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
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    @staticmethod
    def from_bytes(suite: Suite | str, data: Buffer) -> BlsKeyShare:
        """
        Reads `to_bytes` for that suite. The bytes stay yours: give a `bytearray` and overwrite it.
        """
    @property
    def key(self, /) -> BlsGroupKey:
        """
        The public side.
        """
    @property
    def member(self, /) -> int:
        """
        Whose it is.
        """
    def sign(self, /, message: Buffer) -> BlsSignatureShare:
        """
        Signs. Whether the message may be signed is for the caller to know: nothing is noted.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def to_bytes(self, /) -> bytes:
        """
        All of it, to be sealed for its party. It is a Python object that nothing wipes.
        """

@final
class BlsShareFault:
    """
    A wrong share and what it was to sign. Anybody who has the key can judge it, if the share is attested.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> BlsShareFault:
        """
        Reads evidence of that suite, which is still to be verified.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
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
        Checks it and answers with the culprit. `attested` says whether a member's attestation of some bytes is good: it gets
        the member, the bytes and the attestation. Raises `NotEvidenceError` if it is not, or the share is right, and what
        `attested` raises.
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
        The share with the party's signature, of at most 8,192 bytes.
        """
    @property
    def attestation(self, /) -> bytes:
        """
        The party's signature of `attested_bytes`; empty if there is none.
        """
    def attested_bytes(self, /) -> bytes:
        """
        What a party signs so that a wrong share can be proven to be its.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> BlsSignatureShare:
        """
        Reads a share of that suite.
        """
    @property
    def digest(self, /) -> bytes:
        """
        A hash of the key and the message.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def member(self, /) -> int:
        """
        Whose it claims to be. Compare it with the sender.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """

@final
class Cache:
    """
    Lagrange coefficients of the sets of members that were used last. In a quiet network the same members answer first again
    and again: let everything that combines share one. Threads may share it.
    """
    def __new__(cls, /, capacity: SupportsIndex = ...) -> Cache:
        """
        A cache of at most so many sets for each group, at least one. Memory: 34 bytes for each member of a set.
        """

@final
class Certificate:
    """
    A quorum's signatures on one statement. What decoded is canonical, of the committee's epoch and above the quorum;
    the signatures are still to be checked. Two certificates of one statement may differ in their signers: compare
    statements, never certificates.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> Certificate:
        """
        Reads a certificate of that committee: form, epoch and quorum are checked, the signatures not yet.
        """
    @staticmethod
    def decode_detached(data: Buffer, statement: Statement, committee: Committee) -> Certificate:
        """
        Reads the form without suite and statement, where the statement is known.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encode_detached(self, /) -> bytes:
        """
        The form for where the statement is known: non-signers and proof.
        """
    def encoded_len(self, /) -> int:
        """
        How many bytes `encode` gives.
        """
    def proof(self, /) -> bytes:
        """
        The encoded aggregate (BLS), or the signatures in ascending order of the signers (Ed25519).
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        Who signed: a set of one's own.
        """
    @property
    def statement(self, /) -> Statement:
        """
        What is certified.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedCertificate:
        """
        Checks the signatures. Cost (BLS): two pairings, one hash to the curve, one subgroup check, and an addition
        for each member who is absent (or present, if they are fewer).
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedCertificate]:
        """
        As `verify`, on another thread.
        """
    @staticmethod
    def verify_batch(committee: Committee, certificates: Iterable[Certificate]) -> list[VerifiedCertificate | QuorateError]:
        """
        Checks many by a random linear combination and gives a verdict for each, in their order: the verified
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
        As `verify_batch`, with coefficients from a hash over everything that is checked, so that all nodes compute
        the same.
        """
    @staticmethod
    def verify_batch_derived_async(committee: Committee, certificates: Iterable[Certificate]) -> Coroutine[Any, Any, list[VerifiedCertificate | QuorateError]]:
        """
        As `verify_batch_derived`, on another thread.
        """

@final
class ChainId:
    """
    Which chain: 32 bytes that no other chain uses, for instance the hash of the genesis.
    """
    def __bytes__(self, /) -> bytes:
        """
        The 32 bytes.
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
        The bytes as 64 hex digits.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> ChainId:
        """
        The identifier of exactly 32 bytes.
        """
    @staticmethod
    def from_name(name: str) -> ChainId:
        """
        An identifier from a name, for tests and demonstrations: whoever knows the name can make the same one, so
        a live chain hashes its genesis instead.
        """

@final
class CheckedShard:
    """
    A shard whose path leads to the root of its commitment: decoding it checks it, and nothing else can be decoded to a
    message.
    """
    def __copy__(self, /) -> CheckedShard: ...
    def __deepcopy__(self, memo: Any, /) -> CheckedShard: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
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
        What it belongs to.
        """
    @staticmethod
    def decode(data: Buffer, coding: Coding) -> CheckedShard:
        """
        Reads a shard of that coding and checks it. Cost: the hash of the shard.
        """
    def encode(self, /) -> _Bytes:
        """
        The canonical bytes: commitment, path, and the shard's own.
        """
    @property
    def index(self, /) -> int:
        """
        Its place: the data shards come first.
        """
    @staticmethod
    def max_encoded_len(coding: Coding) -> int:
        """
        The most bytes that an encoded shard of this coding has: what a link should let through.
        """

@final
class Ciphertext:
    """
    What a proposer sends. Nothing of it is checked but that it is one.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def check(self, /, key: EncryptionKey, epoch: SupportsIndex, proposer: SupportsIndex) -> ValidCiphertext:
        """
        Checks that this is a ciphertext for these keys, that this proposer proposed it in this epoch (who sent it is the
        link's word), and that payload and proof are its author's. Raises `WrongContextError` or `BadCiphertextError`. Cost:
        four multiplications, two of them short, and a hash of the payload.
        """
    def check_async(self, /, key: EncryptionKey, epoch: SupportsIndex, proposer: SupportsIndex) -> Coroutine[Any, Any, ValidCiphertext]:
        """
        As `check`, on another thread.
        """
    @staticmethod
    def decode(data: Buffer) -> Ciphertext:
        """
        Reads a ciphertext.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def label(self, /) -> Label:
        """
        Where it says it belongs.
        """
    @property
    def payload(self, /) -> bytes:
        """
        The encrypted payload, `OVERHEAD` bytes longer than the plain one.
        """

@final
class Coder:
    """
    Makes shards of messages and messages of shards, for one coding. It keeps tables and working memory, up to twice the
    size of the largest message so far: keep it. Threads may share it; they take turns, so that each had better have one.
    """
    def __new__(cls, /, coding: Coding) -> Coder:
        """
        A coder; raises `BadShapeError` if this build does not have the code.
        """
    def __repr__(self, /) -> str: ...
    @property
    def coding(self, /) -> Coding:
        """
        What it codes.
        """
    def decode(self, /, shards: Iterable[CheckedShard]) -> Dispersal:
        """
        Restores the message, and all shards, from as many shards of one commitment as there are data shards, or more.
        EVERYBODY WHO DECODES SHARDS OF THIS COMMITMENT COMES TO THE SAME VERDICT: a sender who committed to shards that are
        not of one message is found out by all, with `BadEncodingError`, and the shards are the evidence. Raises
        `WrongContextError` for shards of several commitments, `DuplicateSignerError`, and `BelowQuorumError` for too few.
        """
    def decode_async(self, /, shards: Iterable[CheckedShard]) -> Coroutine[Any, Any, Dispersal]:
        """
        As `decode`, on another thread.
        """
    def disperse(self, /, message: Buffer) -> Dispersal:
        """
        Makes all shards of a message and commits to them. Cost: making the parity shards, and hashing all shards.
        """
    def disperse_async(self, /, message: Buffer) -> Coroutine[Any, Any, Dispersal]:
        """
        As `disperse`, on another thread.
        """

@final
class Coding:
    """
    A code, a shape that it can do, and the longest message.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, shape: Shape, max_message: SupportsIndex, suite: ErasureSuite | None = None) -> Coding:
        """
        A coding of messages up to `max_message` bytes, with the recommended suite unless there is another. Raises `BadShapeError` if the suite cannot make these shards,
        `TooLargeError` above `MAX_MESSAGE`, or `MAX_SHARDS` bytes of all shards together.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def max_message(self, /) -> int:
        """
        The longest message, in bytes.
        """
    @property
    def shape(self, /) -> Shape:
        """
        How many shards.
        """
    def shard_len(self, /, message: SupportsIndex) -> int:
        """
        How long each shard of a message of this length is.
        """
    @property
    def suite(self, /) -> ErasureSuite:
        """
        The code.
        """

@final
class Coin:
    """
    A name, hashed to the group for the members of certain keys: what shares are made of.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def base(self, /) -> bytes:
        """
        The element that its shares are multiples of: 32 bytes.
        """
    def combine(self, /, keys: CoinPublicKeys, shares: Iterable[CoinVerifiedShare], cache: Cache | None = None) -> CoinValue:
        """
        The value, from verified shares. Raises `BelowQuorumError`, `DuplicateSignerError`, and `WrongContextError` for a
        share of another coin.
        """
    @property
    def id(self, /) -> bytes:
        """
        What the proofs of its shares name: 32 bytes.
        """
    @property
    def name(self, /) -> CoinName:
        """
        Its name.
        """
    @staticmethod
    def from_name(keys: CoinPublicKeys, name: CoinName) -> Coin:
        """
        The coin of that name. Cost: half a multiplication.
        """

@final
class CoinKeyShare:
    """
    A member's secret. It cannot be printed, pickled or copied, and is wiped when it is closed or collected: use it
    in a `with` block. Copies that others made are not wiped: the bytes that it was made from, and what `to_bytes`
    gave out.
    """
    LEN: Final[int]
    """
    Bytes of `to_bytes`.
    """
    def __enter__(self, /) -> CoinKeyShare: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def check(self, /, keys: CoinPublicKeys) -> None:
        """
        Checks that the dealer gave this member the secret of its verification key, or raises `BadShareError`. To
        be done once: with a wrong one a member makes wrong shares, and is the culprit.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    def coin_share(self, /, coin: Coin) -> CoinShare:
        """
        This member's part in a coin. SHOW IT ONLY WHEN THE PROTOCOL SAYS SO: who sees enough shares early knows the value
        early. Cost: three multiplications.
        """
    @property
    def committee(self, /) -> CommitteeId:
        """
        For which committee it was dealt.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> CoinKeyShare:
        """
        Reads `to_bytes`; `check` it then. The bytes stay yours: give a `bytearray` and overwrite it.
        """
    @property
    def member(self, /) -> int:
        """
        Whose share it is.
        """
    def to_bytes(self, /) -> bytes:
        """
        The 99 bytes, for a key file. They are a Python object that nothing wipes.
        """
    @property
    def verification_key(self, /) -> bytes:
        """
        What everybody knows of it: 32 bytes.
        """

@final
class CoinName:
    """
    Which coin. Each name is used for one decision.
    """
    LEN: Final[int]
    """
    Bytes of a name.
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
        The protocol that asks, a number of the caller's, so that two of them never share a coin; its epoch, which of the
        epoch's instances, and which of that one's rounds.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> CoinName:
        """
        Reads the 25 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The 25 bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        The protocol's epoch.
        """
    @property
    def instance(self, /) -> int:
        """
        Which of the epoch's instances.
        """
    @property
    def protocol(self, /) -> int:
        """
        Which protocol asks.
        """
    @property
    def round(self, /) -> int:
        """
        Which of the instance's rounds.
        """

@final
class CoinPublicKeys:
    """
    What everybody knows of dealt keys, checked to lie on one polynomial.
    """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        For which committee they were dealt.
        """
    @staticmethod
    def deal(committee: CommitteeId, threshold: Threshold) -> tuple[CoinPublicKeys, list[CoinKeyShare]]:
        """
        Deals a fresh key of which one share more is needed than members may be faulty. WHOEVER RUNS THIS KNOWS THE
        KEY: run it once, away from the network, and give each member its share alone.
        """
    @staticmethod
    def decode(data: Buffer) -> CoinPublicKeys:
        """
        Reads keys, and checks that they lie on one polynomial. Cost: a sum of n + 1 products.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def key(self, /) -> bytes:
        """
        The public key itself: 32 bytes.
        """
    def precomputed(self, /) -> CoinPublicKeys:
        """
        The same keys with a table for each member, which makes checking between n/8 and 46 shares at once
        somewhat cheaper. Memory: 10 kB for each member. Cost: as `decode`, and a quarter of a multiplication for
        each.
        """
    @property
    def threshold(self, /) -> Threshold:
        """
        How many shares of how many are needed.
        """
    def verification_key(self, /, member: SupportsIndex) -> bytes | None:
        """
        The member's verification key of 32 bytes; `None` if there is no such member.
        """
    def verify_share(self, /, instance: Coin, share: CoinShare) -> CoinVerifiedShare:
        """
        Checks one share, or raises `BadShareError`. Cost: 1.5 multiplications.
        """
    def verify_shares(self, /, instance: Coin, shares: Iterable[CoinShare]) -> Checked[CoinVerifiedShare, CoinShareFault]:
        """
        Checks many shares together and finds every wrong one; these are no error but among the `faults`. Cost:
        0.6 of a multiplication for each share.
        """
    def verify_shares_async(self, /, instance: Coin, shares: Iterable[CoinShare]) -> Coroutine[Any, Any, Checked[CoinVerifiedShare, CoinShareFault]]:
        """
        As `verify_shares`, on another thread.
        """

@final
class CoinShare:
    """
    A member's share with its proof, as it came in. That it decoded says nothing about whether it is right.
    """
    LEN: Final[int]
    """
    Bytes of a share.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> CoinShare:
        """
        Reads the 130 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The 130 bytes.
        """
    @property
    def member(self, /) -> int:
        """
        Whose share it says it is. Nothing is proven before it is verified.
        """

@final
class CoinValue:
    """
    32 random bytes that all have in common.
    """
    def __bytes__(self, /) -> bytes:
        """
        The 32 bytes.
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
        The bytes as 64 hex digits.
        """
    def below(self, /, n: SupportsIndex) -> int | None:
        """
        A number from 0 to n − 1, for choosing a leader; `None` for 0. The bias is below 2⁻²⁴⁰.
        """
    def bit(self, /) -> bool:
        """
        One bit.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> CoinValue:
        """
        A value that was known before, of exactly 32 bytes.
        """

@final
class CoinVerifiedShare:
    """
    A share that was verified, for one instance. Nothing else can be combined.
    """
    def __copy__(self, /) -> CoinVerifiedShare: ...
    def __deepcopy__(self, memo: Any, /) -> CoinVerifiedShare: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def member(self, /) -> int:
        """
        Whose it is.
        """

@final
class CoinWrongShare:
    """
    Proof that a member made a wrong share, for anybody who has the public keys.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> CoinWrongShare:
        """
        Reads evidence, which is still to be verified.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def verify(self, /, keys: CoinPublicKeys) -> int:
        """
        Checks it, with nothing known but the keys, and answers with the culprit; raises `NotEvidenceError` if the
        share is right, or not the member's own.
        """

@final
class Commitment:
    """
    All that decides what a message's shards are: code, shape, length, and the root of the tree over all shards. Who
    receives the same commitment decodes the same message or, with everybody else, none.
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
        Reads a commitment of that coding.
        """
    def encode(self, /) -> bytes:
        """
        The 43 bytes.
        """
    def identity(self, /) -> bytes:
        """
        What votes and certificates name the message by: 32 bytes.
        """
    @property
    def message_len(self, /) -> int:
        """
        Bytes of the message.
        """
    @property
    def root(self, /) -> bytes:
        """
        The root of the tree over the shards. It fixes neither code nor length: to name a message, use `identity`.
        """
    @property
    def shape(self, /) -> Shape:
        """
        How many shards.
        """
    @property
    def suite(self, /) -> ErasureSuite:
        """
        The code.
        """

@final
class Committee:
    """
    The members of one epoch of one chain, in their order. It is made once per epoch and then shared: it caches what
    verification needs, and nothing in it changes. Two are equal if their ids are.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, chain: ChainId, epoch: SupportsIndex, members: Iterable[tuple[VerifiedKey, SupportsIndex]]) -> Committee:
        """
        A committee of members whose possession was checked, each with its weight.
        """
    def __repr__(self, /) -> str: ...
    @property
    def chain(self, /) -> ChainId:
        """
        The chain that this committee belongs to.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch that this committee decides.
        """
    @staticmethod
    def from_attested(chain: ChainId, epoch: SupportsIndex, members: Iterable[tuple[PublicKey, SupportsIndex]], *, allow_repeats: bool = False) -> Committee:
        """
        A committee whose possession proofs SOMEBODY ELSE CHECKED, as a chain does when a validator registers: with a
        single unproven key in it, its owner can sign alone for everybody. With `allow_repeats` equal keys are taken,
        as in Ethereum's sync committees.
        """
    def has_quorum(self, /, signers: SignerSet) -> bool:
        """
        Whether a set weighs at least `quorum_weight`.
        """
    @property
    def honest_weight(self, /) -> int:
        """
        The smallest weight above one third of the total: at least one of them is honest.
        """
    @property
    def id(self, /) -> CommitteeId:
        """
        What every signed statement names, so that it cannot be replayed elsewhere.
        """
    def key(self, /, index: SupportsIndex) -> PublicKey | None:
        """
        A member's key; `None` if there is no such member.
        """
    def keys(self, /) -> list[PublicKey]:
        """
        All keys in the members' order.
        """
    def position(self, /, key: PublicKey) -> int | None:
        """
        Whose key this is; the first of them where a key is repeated, `None` if it is nobody's.
        """
    @property
    def quorum_weight(self, /) -> int:
        """
        The smallest weight above two thirds of the total.
        """
    def require_quorum(self, /, signers: SignerSet) -> None:
        """
        Raises `BelowQuorumError`, which says what is missing, unless a set has a quorum.
        """
    def signer_set(self, /, *, indices: Iterable[SupportsIndex] | None = None, lsb_first: Buffer | None = None, msb_first: Buffer | None = None) -> SignerSet:
        """
        Reads a signer set of this committee from exactly one of: indices, or a bitmap of ⌈n/8⌉ bytes with member 0 in
        the lowest or in the highest bit of the first byte.
        """
    def statement(self, /, kind: SupportsIndex, view: SupportsIndex, digest: Buffer) -> Statement:
        """
        A statement in this committee's epoch; the digest has 32 bytes.
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
        Checks that `signers` signed `message` as it is, for chains that frame in their own way, and returns their
        weight: COMPARE IT WITH YOUR THRESHOLD. `proof` is the encoded aggregate (BLS), or the signatures in ascending
        order of the signers (Ed25519).
        """
    def verify_raw_async(self, /, message: Buffer, signers: SignerSet, proof: Buffer) -> Coroutine[Any, Any, int]:
        """
        As `verify_raw`, on another thread.
        """
    def weight(self, /, index: SupportsIndex) -> int | None:
        """
        A member's weight; `None` if there is no such member.
        """
    def weight_of(self, /, signers: SignerSet) -> int:
        """
        The weight of a set; members that the committee does not have weigh nothing.
        """

@final
class CommitteeId:
    """
    Which committee of which chain in which epoch: a hash of all its parameters, and part of all it signs.
    """
    def __bytes__(self, /) -> bytes:
        """
        The 32 bytes.
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
        The bytes as 64 hex digits.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> CommitteeId:
        """
        The identifier of exactly 32 bytes.
        """

@final
class Conflict:
    """
    Two certificates of contradicting statements: the members of both quorums, who weigh more than a third of the
    committee, broke the protocol.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, first: Certificate, second: Certificate) -> Conflict:
        """
        Puts evidence together. The signatures are still to be checked.
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
        Who signed both, once `verify` has said so: a set of one's own.
        """
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> Conflict:
        """
        Reads evidence against members of that committee.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedConflict:
        """
        Checks both certificates.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedConflict]:
        """
        As `verify`, on another thread.
        """

@final
class Deal:
    """
    What was dealt for one epoch, as far as everybody may know it: whoever holds it can judge evidence. Compare the ids:
    parties who hold different deals cannot sign together.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> Deal:
        """
        Reads a deal.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch.
        """
    @property
    def id(self, /) -> bytes:
        """
        Its name: 32 bytes.
        """
    @property
    def key(self, /) -> bytes:
        """
        The name of the key.
        """
    @property
    def plan(self, /) -> Plan:
        """
        What the presignatures are for.
        """
    @property
    def roots(self, /) -> list[bytes]:
        """
        The roots of the parties' trees of openings.
        """

@final
class Decryption:
    """
    Collects the shares of one ciphertext until it opens: first on trust, then, if a share was wrong, with each checked
    once and the wrong ones named. Threads may share it.
    """
    def __new__(cls, /, keys: Tdh2PublicKeys, ciphertext: ValidCiphertext, cache: Cache | None = None) -> Decryption:
        """
        Of a ciphertext that was checked for these keys; else it raises `WrongContextError`. Those who share a `cache` spare
        each other the coefficients of their sets of members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, share: DecryptionShare) -> DecryptionCollected:
        """
        Takes a share in, and opens the ciphertext if that makes enough. Raises `UnknownSignerError`.
        """
    @property
    def is_done(self, /) -> bool:
        """
        Whether it is open, or known never to open.
        """

@final
class DecryptionShare:
    """
    A member's share with its proof, as it came in. That it decoded says nothing about whether it is right.
    """
    LEN: Final[int]
    """
    Bytes of a share.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> DecryptionShare:
        """
        Reads the 130 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The 130 bytes.
        """
    @property
    def member(self, /) -> int:
        """
        Whose share it says it is. Nothing is proven before it is verified.
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
        What the sender commits to.
        """
    @property
    def message(self, /) -> bytes:
        """
        The message, as new `bytes` each time.
        """
    def shard(self, /, index: SupportsIndex) -> CheckedShard:
        """
        The shard at this place, for the member at this place.
        """
    def shards(self, /) -> list[CheckedShard]:
        """
        All of them, in order.
        """

@final
class EcdsaCombiner:
    """
    Shares come in, a signature goes out: combined on trust first, and only if that fails each share is checked and the wrong
    ones are named. Threads may share it.
    """
    def __new__(cls, /, signing: Signing, cache: Cache | None = None) -> EcdsaCombiner:
        """
        A combiner without shares. Those who share a `cache` spare each other the coefficients of their sets of members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, sender: SupportsIndex, share: EcdsaSignatureShare) -> Outcome[EcdsaSignature, EcdsaShareFault]:
        """
        Takes a share that came over a link that authenticates `sender`. Raises `WrongContextError` for a share of something
        else, or of somebody else than the sender, and `UnknownSignerError`.
        """
    @property
    def counts(self, /) -> Counts:
        """
        What was done so far.
        """
    def open(self, /, member: SupportsIndex, opening: Opening) -> Outcome[EcdsaSignature, EcdsaShareFault]:
        """
        Takes the opening of a share of `member`'s, from whomever it came. It is ignored unless it was asked for.
        """
    @property
    def signature(self, /) -> EcdsaSignature | None:
        """
        The signature, once there is one.
        """
    @property
    def signing(self, /) -> Signing:
        """
        What it collects shares for.
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
        Whose key it is.
        """
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaGroupKey:
        """
        Reads a key over that group.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    @property
    def id(self, /) -> bytes:
        """
        Its name of 32 bytes, which every share and every record binds.
        """
    def to_spki_der(self, /) -> bytes:
        """
        The key over secp256k1 as a SubjectPublicKeyInfo in DER, which OpenSSL reads.
        """
    @property
    def tolerance(self, /) -> Tolerance:
        """
        How many parties there are and how many may be faulty.
        """
    def verify(self, /, tag: Tag, message: Buffer, signature: EcdsaSignature) -> None:
        """
        Checks a signature that was made under a tag, or raises `BadSignatureError`.
        """
    def verify_message(self, /, message: Buffer, signature: EcdsaSignature) -> None:
        """
        Checks a signature over secp256k1 as any ECDSA library would, with SHA-256, and refuses high s besides.
        """

@final
class EcdsaShareFault:
    """
    A wrong share, with what shows that it is wrong. Anybody who holds the deal can judge it, if the share is attested.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaShareFault:
        """
        Reads evidence over that group, which is still to be verified.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    @property
    def share(self, /) -> EcdsaSignatureShare:
        """
        The wrong share.
        """
    def verify(self, /, key: EcdsaGroupKey, deal: Deal, attested: Callable[[int, bytes, bytes], object]) -> int:
        """
        Checks it and answers with the culprit. `attested` says whether a member's attestation of some bytes is good: it gets
        the member, the bytes and the attestation, and is asked for every share of the evidence. Raises `NotEvidenceError` if
        one is not, or the share is right, and what `attested` raises.
        """

@final
class EcdsaSignature:
    """
    A signature that decoded: 64 bytes in the one accepted form. Over ristretto255 it is not standard ECDSA, and nothing but
    quorate verifies it.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaSignature:
        """
        Reads a signature over that group.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    def to_bytes(self, /) -> bytes:
        """
        The 64 bytes.
        """
    def to_der(self, /) -> bytes:
        """
        The form of a signature over secp256k1 that X.509 and OpenSSL expect.
        """

@final
class EcdsaSignatureShare:
    """
    One party's part of a signature. It names the key, the epoch, the index and the message that it is for.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def attest(self, /, attestation: Buffer) -> EcdsaSignatureShare:
        """
        The share with the party's signature, of at most 8,192 bytes.
        """
    @property
    def attestation(self, /) -> bytes:
        """
        The party's signature of `attested_bytes`; empty if there is none.
        """
    def attested_bytes(self, /) -> bytes:
        """
        What a party signs so that a wrong share can be proven to be its.
        """
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> EcdsaSignatureShare:
        """
        Reads a share over that group.
        """
    @property
    def digest(self, /) -> bytes:
        """
        A hash of what it signs.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch of the presignature.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    @property
    def index(self, /) -> int:
        """
        The index of the presignature.
        """
    @property
    def member(self, /) -> int:
        """
        Whose it claims to be. Compare it with the sender.
        """

@final
class EncryptionKey:
    """
    What encrypting and checking ciphertexts need: all that a client has of a committee.
    """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Whose members decrypt.
        """
    @staticmethod
    def decode(data: Buffer) -> EncryptionKey:
        """
        Reads the 65 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The 65 bytes.
        """
    def encrypt(self, /, epoch: SupportsIndex, proposer: SupportsIndex, plaintext: Buffer) -> Ciphertext:
        """
        Encrypts at most `MAX_PLAINTEXT` bytes. Epoch and proposer are part of it, so that nobody else can propose it, or in
        another epoch. Cost: five multiplications, and a cipher and a hash over the payload.
        """
    @property
    def key(self, /) -> bytes:
        """
        The public key itself: 32 bytes.
        """
    @staticmethod
    def from_public_keys(keys: Tdh2PublicKeys) -> EncryptionKey:
        """
        The key of a committee.
        """
    def precomputed(self, /) -> EncryptionKey:
        """
        The same key with tables, which make encrypting more than twice as fast and checking faster. Memory: 61,440 bytes.
        Cost: about 80 multiplications, which some fifty ciphertexts win back.
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
        Puts evidence together. The signatures are still to be checked.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def culprits(self, /) -> tuple[int]:
        """
        Who is guilty, once `verify` has said so: the signer alone.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> Equivocation:
        """
        Reads evidence of that suite.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def signer(self, /) -> int:
        """
        Who signed both.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedEquivocation:
        """
        Checks both signatures, each by itself.
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
    Which code makes the parity shards: the bytes on the wire depend on it, so all members use the same.
    """
    GF8: Final[ErasureSuite]
    """
    2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and the faster one for few of them.
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
        Reads the 3 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The 3 bytes.
        """
    def is_available(self, /) -> bool:
        """
        Whether this build can run the code.
        """
    @staticmethod
    def jerasure(packets: Packets) -> ErasureSuite:
        """
        3: Jerasure's Cauchy Reed–Solomon of exclusive-ors, to compare with; most builds cannot run it.
        """
    @property
    def name(self, /) -> str:
        """
        A name for people.
        """
    @property
    def number(self, /) -> int:
        """
        The byte that stands for it in encodings.
        """
    @property
    def packets(self, /) -> Packets | None:
        """
        The parameters of suite 3; `None` for the others.
        """
    @staticmethod
    def recommended(shape: Shape) -> ErasureSuite:
        """
        The one to take unless there is a reason for another: suite 2 up to its 256 shards, suite 1 above.
        """
    @property
    def unit(self, /) -> int:
        """
        Lengths of shards are multiples of this many bytes.
        """

@final
class Gossip:
    """
    One member's part in spreading the signatures on one statement. It does no input or output: who drives it carries
    bytes and tells the time (`now`: microseconds, of the clock that `Peers` is used with). `vote` takes in one's own
    vote, `receive` what comes, `check` verifies it together and merges what is good, `next` says what to send to whom,
    and `certificate` is there once a quorum has signed. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, me: SupportsIndex, statement: Statement, parameters: Parameters | None = None) -> Gossip:
        """
        Member `me` knows of no signature on the statement yet.
        """
    def __repr__(self, /) -> str: ...
    def adopt(self, /, aggregate: VerifiedAggregate) -> bool:
        """
        Takes in an aggregate that was verified elsewhere, for example a certificate in a proposal. False if it brings
        nothing new.
        """
    @property
    def certificate(self, /) -> VerifiedCertificate | None:
        """
        The certificate, once a quorum has signed.
        """
    def check(self, /, peers: Peers, *, entropy: Buffer | None = None, now: SupportsIndex | None = None) -> GossipChecked:
        """
        Verifies the newest of what waits, together, and merges what is good; who sent what is bad is left alone for a
        while. The coefficients come from `entropy`, 32 bytes that nobody could foresee; without them they are derived from
        all that is verified. Cost: as `Aggregate.verify_batch` of at most `Parameters.batch` aggregates.
        """
    def next(self, /, peers: Peers, *, draw: SupportsIndex | None = None, now: SupportsIndex | None = None) -> Send | None:
        """
        What to send, and to whom. Tell `peers` when it has `left`, was `sent` or `failed`: it holds a place until then.
        `None` if there is nothing to say now or no place is free: ask again when one is, when something was taken in, or
        after 50 ms. `draw` is random; without it the operating system's randomness is.
        """
    def offer(self, /, peer: SupportsIndex) -> Aggregate | None:
        """
        What to send to this peer, which somebody else picked; `None` if there is nothing that it may lack.
        """
    @property
    def pool(self, /) -> Pool:
        """
        What was taken in that is not of one half of the committee, as it is now.
        """
    def receive(self, /, peer: SupportsIndex, aggregate: Aggregate, peers: Peers, *, now: SupportsIndex | None = None) -> Received:
        """
        Takes in what `peer` sent, over a link that says who it is, and answers what became of it. Nothing is verified yet.
        Raises what is wrong with an aggregate that is not of this statement and committee, or has a count above the limit.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        Everybody whose signature is known and verified: a set of one's own.
        """
    @property
    def statement(self, /) -> Statement:
        """
        What is being signed.
        """
    def vote(self, /, vote: VerifiedVote) -> bool:
        """
        Takes in a vote that was checked by itself, above all one's own. False if it was known.
        """
    @property
    def waiting(self, /) -> int:
        """
        How many aggregates wait for their check.
        """

@final
class Guard:
    """
    A secret key that signs nothing contradictory: per kind, the pair (epoch, view) strictly increases, or is the last
    one again and the statement is identical. Each signature comes with a record: MAKE IT DURABLE, file and
    directory, BEFORE THE VOTE LEAVES. Threads may share a guard.
    """
    def __enter__(self, /) -> Guard: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __new__(cls, /, secret: SecretKey, chain: ChainId) -> Guard:
        """
        The guard of a key that has NEVER SIGNED ON THIS CHAIN; after a restart it is `restore`. It takes the key
        over: the `SecretKey` is closed afterwards.
        """
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    @property
    def chain(self, /) -> ChainId:
        """
        The chain that the guard signs for.
        """
    def close(self, /) -> None:
        """
        Wipes the key. What is called later raises `ClosedError`; closing again does nothing.
        """
    def close_epoch(self, /, key: Buffer, epoch: SupportsIndex) -> GuardRecord:
        """
        Ends an epoch of a threshold key and all before it: what is left of their presignatures never signs.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether the guard was closed.
        """
    def confirm(self, /, reservation: GuardRecord) -> None:
        """
        Says that the record of a reservation is durable; `WrongContextError` for any other record.
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
        The last record of each kind, and what is spent of open epochs: all that a compacted log must keep.
        """
    def reserve(self, /, key: Buffer, epoch: SupportsIndex, index: SupportsIndex) -> GuardRecord:
        """
        Reserves the block of presignatures of a threshold key that `index` lies in. Once the record is durable and
        confirmed, signing with them needs no record of its own. AFTER A CRASH ALL OF IT IS BURNT, spent or not. Raises
        `ExhaustedError` if it is burnt already, or its epoch is over.
        """
    @staticmethod
    def restore(secret: SecretKey, chain: ChainId, records: Iterable[GuardRecord]) -> Guard:
        """
        The guard of a key that may have signed before, from all records that are durable, in any order. The
        `SecretKey` is closed afterwards, also if the records cannot be read or are refused: nobody should sign on
        without them.
        """
    def sign(self, /, committee: Committee, statement: Statement) -> tuple[Vote, GuardRecord]:
        """
        Signs a statement, or raises `ContradictionError`. The same statement again gives the same vote and record.
        """
    def sign_timeout(self, /, committee: Committee, kind: SupportsIndex, view: SupportsIndex, value: SupportsIndex) -> tuple[TimeoutVote, GuardRecord]:
        """
        Signs a timeout vote under the same rule: in one view of a kind only ever one value.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """

@final
class GuardRecord:
    """
    What was signed last of one kind, or what is spent of presignatures. Make it durable before the vote or the share leaves.
    """
    LEN: Final[int]
    """
    Bytes of an encoded record.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> GuardRecord:
        """
        Reads the 81 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The 81 bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch of the statement or of the presignatures.
        """
    @property
    def kind(self, /) -> int:
        """
        The kind of the statement, or what the record says of presignatures.
        """
    @property
    def view(self, /) -> int:
        """
        The view of the statement, or which presignatures.
        """

@final
class Lottery:
    """
    One round's lottery among the members of a committee, which each plays in secret and whose winners can prove that
    they won. It needs unique signatures: any suite but Ed25519.
    """
    def __new__(cls, /, committee: Committee, seed: Seed, round: SupportsIndex, expected: SupportsIndex = ...) -> Lottery:
        """
        The lottery of `round`, in which `expected` members win on average. Every member counts once, whatever its weight.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> Committee:
        """
        Among whom.
        """
    def draw(self, /, secret: SecretKey) -> VerifiedTicket | None:
        """
        This member's ticket, if it won. Raises `WrongContextError` if the key is no member's. Cost: one multiplication, one
        signature.
        """
    @property
    def expected(self, /) -> int:
        """
        How many win on average.
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
    The members of a set as it was when the iteration began, ascending.
    """
    def __iter__(self, /) -> Members: ...
    def __next__(self, /) -> int: ...

@final
class Merkle:
    """
    A kind of tree: the domain strings of its leaves and of its nodes, which are different and used for nothing else.
    THE ROOT ALONE DOES NOT FIX THE NUMBER OF LEAVES: whoever signs a root signs the count with it.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, leaf_domain: str, node_domain: str) -> Merkle:
        """
        A kind of tree.
        """
    def __repr__(self, /) -> str: ...
    def leaf(self, /, item: Buffer) -> bytes:
        """
        The leaf of one item.
        """
    def leaves(self, /, items: Iterable[Buffer]) -> list[bytes]:
        """
        The leaves of many items.
        """
    def path(self, /, leaves: Iterable[Buffer], index: SupportsIndex) -> Path:
        """
        The path of the leaf at `index`.
        """
    def root(self, /, leaves: Iterable[Buffer]) -> bytes:
        """
        The root over leaves of 32 bytes each.
        """
    def verify(self, /, root: Buffer, leaf: Buffer, path: Path) -> None:
        """
        Checks that `leaf` is where the path says in the tree under `root`; `WrongContextError` if it is not. Compare
        `path.count` with the count that was signed.
        """

@final
class Opener:
    """
    Opens a share that was sent, if others ask for it.
    """
    def __enter__(self, /) -> Opener: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    def open(self, /) -> Opening:
        """
        The opening, for whoever has the share. Raises `WrongContextError` if the dealer made a mistake.
        """

@final
class Opening:
    """
    What lets others check a party's share.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(group: Group | str, data: Buffer) -> Opening:
        """
        Reads an opening over that group.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    @property
    def index(self, /) -> int:
        """
        Which presignature it opens.
        """
    @property
    def member(self, /) -> int:
        """
        Whose it is.
        """

@final
class Packets:
    """
    The parameters of suite 3 that the tuner searches: bits of a word, and bytes of a packet.
    """
    MAX_LOG2_PACKET: Final[int]
    """
    The largest packet, as a power of two.
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
        Words of 2 to 16 bits, packets of 2**`log2_packet` bytes.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def log2_packet(self, /) -> int:
        """
        The packet's size as a power of two.
        """
    @property
    def packet(self, /) -> int:
        """
        Bytes of a packet.
        """
    @property
    def word(self, /) -> int:
        """
        Bits of a word.
        """

@final
class Parameters:
    """
    What can be chosen. The values change how fast and how cheap spreading is, never what is accepted.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, *, limit: SupportsIndex = ..., preferred: SupportsIndex = ..., batch: SupportsIndex = ..., fan_out: SupportsIndex = ..., back_off: timedelta = ..., patience: timedelta = ...) -> Parameters:
        """
        No count grows past `limit`, and no count of a pool's sum past `preferred` if it can be. So many aggregates are
        verified together at most (`batch`), so many sends are under way at once (`fan_out`). A peer that
        failed is left alone for `back_off`, and for as much more after each further failure in a row; a send that is not
        answered holds its place for `patience` and then counts as failed.
        """
    def __repr__(self, /) -> str: ...
    @property
    def back_off(self, /) -> timedelta:
        """
        How long a peer that failed is left alone.
        """
    @property
    def batch(self, /) -> int:
        """
        How many aggregates are verified together at most.
        """
    @property
    def fan_out(self, /) -> int:
        """
        How many sends are under way at once at most, and to how many members news are told.
        """
    @property
    def limit(self, /) -> int:
        """
        No count grows past this.
        """
    @property
    def patience(self, /) -> timedelta:
        """
        How long a send that is not answered holds its place.
        """
    @property
    def preferred(self, /) -> int:
        """
        No count of a pool's sum grows past this, unless sums that are above it make a quorum.
        """

@final
class Path:
    """
    The way from one leaf to the root.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def count(self, /) -> int:
        """
        How many leaves the tree has, as far as this path knows.
        """
    @staticmethod
    def decode(data: Buffer) -> Path:
        """
        Reads a path.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def index(self, /) -> int:
        """
        The leaf's place.
        """
    @property
    def siblings(self, /) -> list[bytes]:
        """
        The siblings on the way, bottom first.
        """

@final
class Peers:
    """
    The other members as one member sees them: who is being sent something, who did not answer and is left alone for a
    while, who was heard lately. Every `Gossip` of a committee's term shares one, so that what is learnt of a peer holds
    in all, and the limit of concurrent sends is one for all. Threads may share it. `now` is in microseconds, of any
    clock that does not run backwards; without it the system's is read.
    """
    def __new__(cls, /, me: SupportsIndex, committee_len: SupportsIndex, parameters: Parameters | None = None) -> Peers:
        """
        The peers of member `me` in a committee of `committee_len`.
        """
    def __repr__(self, /) -> str: ...
    def accuse(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> None:
        """
        A peer sent what does not verify: for a while nothing is sent to it, nor taken from it. `Gossip.check` says it
        itself.
        """
    def begin(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> None:
        """
        A send to a peer begins: it holds a place until it has `left`, was `sent` or `failed`, at most for the patience.
        `Gossip.next` says it itself.
        """
    def failed(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> None:
        """
        A send failed: the peer is left alone for a while, after each further failure in a row for so much longer.
        """
    def has_room(self, /, now: SupportsIndex | None = None) -> bool:
        """
        Whether one more send may begin.
        """
    def heard(self, /, peer: SupportsIndex) -> None:
        """
        Something came from a peer: it is there.
        """
    def is_available(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> bool:
        """
        Whether something may be sent to this peer, were there a place.
        """
    def is_refused(self, /, peer: SupportsIndex, now: SupportsIndex | None = None) -> bool:
        """
        Whether nothing is taken from this peer now.
        """
    def left(self, /, peer: SupportsIndex) -> None:
        """
        A message has left: its place is free again, though nobody knows yet whether it arrives.
        """
    def next_free(self, /) -> int | None:
        """
        When the next place gets free by itself, in microseconds, if no answer comes; `None` if no send is under way.
        """
    def pick(self, /, *, draw: SupportsIndex | None = None, now: SupportsIndex | None = None) -> int | None:
        """
        A member to whom something may be sent now: not oneself, not in the middle of a send, not left alone; by the
        randomness of `draw`, or of the operating system. `None` if as many sends as may be are under way, or there is
        nobody. Nothing is noted until `begin`.
        """
    def sent(self, /, peer: SupportsIndex) -> None:
        """
        A send was answered.
        """

@final
class Plan:
    """
    What the presignatures of an epoch are for: which one signs what, and how many shares that takes.
    """
    LEN: Final[int]
    """
    Bytes of an encoded plan.
    """
    MAX_COUNT: Final[int]
    """
    The most presignatures that an epoch can have.
    """
    ROUNDS: Final[int]
    """
    The rounds of agreement that are enough for all but one epoch in a million.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def agreed(self, /, epoch: SupportsIndex, number: SupportsIndex) -> Tag:
        """
        Presignature number `number` of a plan `of_agreed`.
        """
    def agreement(self, /, index: SupportsIndex) -> Agreement | None:
        """
        The class of a presignature; `None` past the end.
        """
    def completion(self, /, epoch: SupportsIndex, round: SupportsIndex) -> Tag:
        """
        A round, from 0, has enough promotions.
        """
    @property
    def count(self, /) -> int:
        """
        How many presignatures it takes.
        """
    @staticmethod
    def decode(data: Buffer) -> Plan:
        """
        Reads the 5 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The 5 bytes.
        """
    @staticmethod
    def of_agreed(count: SupportsIndex) -> Plan:
        """
        So many, all for messages on which the parties agree, for a use that numbers them itself.
        """
    @staticmethod
    def of_agreement(parties: SupportsIndex, rounds: SupportsIndex = ...) -> Plan:
        """
        An asynchronous agreement, of whose tags `prbc`, `promotion` and `completion` tell.
        """
    @staticmethod
    def of_unagreed(count: SupportsIndex) -> Plan:
        """
        So many, all for messages that somebody chooses.
        """
    def prbc(self, /, epoch: SupportsIndex, member: SupportsIndex) -> Tag:
        """
        Member's broadcast was delivered. All tags raise `WrongContextError` in a plan of another kind, and `ExhaustedError`
        past its end.
        """
    def promotion(self, /, epoch: SupportsIndex, round: SupportsIndex, member: SupportsIndex, step: SupportsIndex) -> Tag:
        """
        Step `step` of 1 to 4 of the member's promotion of its proposal in a round, from 0. The member chooses it.
        """
    def unagreed(self, /, epoch: SupportsIndex, number: SupportsIndex) -> Tag:
        """
        Presignature number `number` of a plan `of_unagreed`.
        """

@final
class Pool:
    """
    A few verified aggregates of one statement, from whatever source, and single signatures: the sum of what can be added
    with low counts. It is what `Gossip` keeps beside its own sums, and all that a protocol needs that spreads in another
    way. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, me: SupportsIndex, statement: Statement, parameters: Parameters | None = None) -> Pool:
        """
        An empty pool of member `me`.
        """
    def __repr__(self, /) -> str: ...
    @property
    def aggregates(self, /) -> list[VerifiedAggregate]:
        """
        All aggregates that are kept.
        """
    @property
    def best(self, /) -> VerifiedAggregate | None:
        """
        The sum of everything that can be added, or the certificate's; `None` of an empty pool.
        """
    @property
    def certificate(self, /) -> VerifiedCertificate | None:
        """
        The certificate, once the signers are a quorum.
        """
    def insert(self, /, aggregate: VerifiedAggregate) -> bool:
        """
        Takes in an aggregate that was verified. False if nothing changes by it. Raises `WrongContextError` for another
        committee's or statement's, and `TooLargeError` for a count above the limit.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        Everybody whose signature is in some aggregate of the pool: a set of one's own.
        """
    @property
    def statement(self, /) -> Statement:
        """
        What is signed.
        """
    def wants(self, /, aggregate: Aggregate) -> bool:
        """
        Whether `insert` would take this in: it brings something new, and there is no certificate yet. It costs no
        cryptography, so it comes before verifying. Raises as `insert`.
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
        Refused.
        """
    def __repr__(self, /) -> str: ...
    @property
    def agreement(self, /) -> Agreement:
        """
        Of which class its tag is.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    def sign(self, /, guard: Guard, message: Buffer) -> Signed:
        """
        Signs a message with it, after the guard has noted what it is spent on. MAKE THE RECORD DURABLE BEFORE THE SHARE
        LEAVES. The presignature is gone then, also if this fails: a second time is `ExhaustedError`. Raises
        `ContradictionError` if the guard's journal says that another message was signed with it, and `ExhaustedError` if
        it is burnt or its epoch is over. Under an agreed tag you know that no honest party signs another message.
        """

@final
class Presignatures:
    """
    One party's presignatures of one epoch, each to sign ONE message. Its file is written by the dealer alone; after a crash it
    is read again, and the guard's journal says which of them are spent. Wiped when it is closed or collected.
    """
    def __enter__(self, /) -> Presignatures: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def audit(self, /, index: SupportsIndex) -> None:
        """
        Checks what the dealer gave for one index; `WrongContextError` if it made a mistake.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    @property
    def deal(self, /) -> Deal:
        """
        What was dealt, as far as everybody may know it.
        """
    def destroy(self, /, guard: Guard) -> GuardRecord:
        """
        Ends the epoch: wipes what is left, and has the guard refuse these presignatures from now on. MAKE THE RECORD
        DURABLE. What is called later raises `ExhaustedError`.
        """
    @staticmethod
    def from_bytes(group: Group | str, data: Buffer) -> Presignatures:
        """
        Reads a file for that group. The bytes stay yours: give a `bytearray` and overwrite it.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group they are.
        """
    @property
    def key(self, /) -> EcdsaGroupKey:
        """
        The committee's public key.
        """
    @property
    def left(self, /) -> int:
        """
        How many are left.
        """
    @property
    def member(self, /) -> int:
        """
        Whose they are.
        """
    def signing(self, /, tag: Tag, message: Buffer) -> Signing:
        """
        What combines shares of a message under a tag, be the own presignature spent or not.
        """
    def take(self, /, tag: Tag) -> Presignature:
        """
        Takes the presignature of a tag, once: then it is `ExhaustedError`.
        """
    def to_bytes(self, /) -> bytes:
        """
        The file, for the dealer to seal; `ExhaustedError` once any was taken. It is a Python object that nothing wipes.
        """

@final
class PublicKey:
    """
    A public key that decoded: canonical, in the subgroup and not the neutral element.
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
        The bytes in hex.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> PublicKey:
        """
        Reads the canonical bytes.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Which signature scheme it belongs to.
        """
    def verify(self, /, message: Buffer, signature: Signature) -> None:
        """
        Checks one signature over bytes as they are.
        """
    def verify_async(self, /, message: Buffer, signature: Signature) -> Coroutine[Any, Any, None]:
        """
        As `verify`, on another thread.
        """
    def verify_possession(self, /, possession: Signature) -> None:
        """
        Checks a proof of possession.
        """
    def verify_possession_async(self, /, possession: Signature) -> Coroutine[Any, Any, None]:
        """
        As `verify_possession`, on another thread.
        """

@final
class Reader:
    """
    Takes an encoding apart front to back. Each call checks that enough bytes are left, and a call that raises leaves
    the reader where it was.
    """
    def __new__(cls, /, data: Buffer) -> Reader:
        """
        A reader over all of `data`.
        """
    def __repr__(self, /) -> str: ...
    def bytes(self, /, cap: SupportsIndex) -> _Bytes:
        """
        A length of at most `cap`, then that many bytes.
        """
    def count(self, /, cap: SupportsIndex) -> int:
        """
        A list length of at most `cap`; the items follow.
        """
    def finish(self, /) -> None:
        """
        Raises `MalformedError` if bytes are left.
        """
    def option(self, /) -> bool:
        """
        Whether an optional value follows.
        """
    def raw(self, /, n: SupportsIndex) -> _Bytes:
        """
        The next `n` bytes.
        """
    @property
    def remaining(self, /) -> int:
        """
        How many bytes are left.
        """
    def u128(self, /) -> int:
        """
        Sixteen bytes, little endian.
        """
    def u16(self, /) -> int:
        """
        Two bytes, little endian.
        """
    def u32(self, /) -> int:
        """
        Four bytes, little endian.
        """
    def u64(self, /) -> int:
        """
        Eight bytes, little endian.
        """
    def u8(self, /) -> int:
        """
        One byte.
        """
    def varint(self, /) -> int:
        """
        LEB128 in its shortest form, at most 2³² − 1.
        """

@final
class Row:
    """
    What was found for a shape, a length and a suite: encoding a message of so many bytes and decoding it with f and with 2f
    shards lost takes `cost` nanoseconds in all.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def cost(self, /) -> int:
        """
        Nanoseconds.
        """
    @property
    def message(self, /) -> int:
        """
        The message's length.
        """
    @property
    def shape(self, /) -> Shape:
        """
        How many shards.
        """
    @property
    def suite(self, /) -> ErasureSuite:
        """
        The suite, with its parameters.
        """

@final
class Score:
    """
    What a winning ticket is worth: 32 bytes that are as good as random. The smallest is the best; the order is that of
    the bytes.
    """
    def __bytes__(self, /) -> bytes:
        """
        The 32 bytes.
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
        Refused: only a ticket that was verified has one.
        """
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        The bytes as 64 hex digits.
        """

@final
class SealingKey:
    """
    What opens files that were sealed to its public key. It cannot be printed, pickled or copied, and is wiped when it is
    closed or collected: use it in a `with` block.
    """
    def __enter__(self, /) -> SealingKey: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> SealingKey:
        """
        The key of exactly 32 bytes. These stay yours: give a `bytearray` and overwrite it; nothing wipes `bytes`.
        """
    @staticmethod
    def generate() -> SealingKey:
        """
        A new key from the operating system's generator.
        """
    def open(self, /, context: Buffer, sealed: Buffer) -> bytes:
        """
        Opens a file. Raises `WrongContextError` for what was not sealed to this key with this context. The content is a
        Python object that nothing wipes. A SEAL HIDES AND DOES NOT SIGN: whoever knows the public key can seal to it.
        """
    @property
    def public(self, /) -> SealingPublicKey:
        """
        To whom to seal.
        """
    def to_bytes(self, /) -> bytes:
        """
        The 32 bytes, for a key file. They are a Python object that nothing wipes.
        """

@final
class SealingPublicKey:
    """
    To whom files are sealed: an X25519 public key.
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
        The bytes in hex.
        """
    @staticmethod
    def decode(data: Buffer) -> SealingPublicKey:
        """
        Reads the 32 bytes. One of small order is refused when it is used.
        """
    def encode(self, /) -> bytes:
        """
        The 32 bytes.
        """
    def seal(self, /, context: Buffer, content: Buffer) -> bytes:
        """
        Seals content of at most `MAX_CONTENT` bytes to this key. `context` says what it is, to whoever opens it: the same
        bytes are needed for that. Cost: two multiplications, and a nanosecond for each byte.
        """

@final
class SecretKey:
    """
    A secret key. It prints its suite only, cannot be pickled or copied, and is wiped when it is closed or collected:
    use it in a `with` block. It lies in one place, also while a `Guard` has it. Copies that others made are not wiped:
    the bytes that it was made from, what `to_bytes` gave out, and what signing left in registers and on the stack.
    """
    def __enter__(self, /) -> SecretKey: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the key. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether the key was closed or handed over.
        """
    @staticmethod
    def from_bytes(suite: Suite | str, data: Buffer) -> SecretKey:
        """
        The key of exactly 32 bytes. These stay yours: give a `bytearray` and overwrite it; nothing wipes `bytes`.
        """
    @staticmethod
    def generate(suite: Suite | str) -> SecretKey:
        """
        A new key from the operating system's generator.
        """
    def prove_possession(self, /) -> Signature:
        """
        Proves to hold the key; see also `UnverifiedKey.prove`.
        """
    def public_key(self, /) -> PublicKey:
        """
        Computes the public key. Cost: one multiplication.
        """
    def sign(self, /, message: Buffer) -> Signature:
        """
        Signs bytes as they are. What decides anything in a protocol is signed by a `Guard`.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Which signature scheme the key belongs to.
        """
    def to_bytes(self, /) -> bytes:
        """
        The 32 bytes, for a key file. They are a Python object that nothing wipes.
        """

@final
class Seed:
    """
    What lotteries draw from: after each block another one. All whose chains are equal to that height have the same.
    """
    LEN: Final[int]
    """
    Bytes of an encoded seed.
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
        Reads the 40 bytes.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @staticmethod
    def genesis(chain: ChainId, data: Buffer) -> Seed:
        """
        The first seed of a chain, from bytes that NO MEMBER CHOSE and nobody knew when the keys were fixed: whoever
        chooses them decides who proposes first.
        """
    @property
    def height(self, /) -> int:
        """
        How many proofs lead to it.
        """
    def next(self, /, proof: SeedProof, committee: Committee) -> Seed:
        """
        The seed that follows: the hash of the proof. WHO HAS TO PROVE is the protocol's rule, usually who proposed the
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
    A member's signature on a seed, whose hash is the next one. It is unique: the member can show it or not, and has
    nothing else to choose. Until it is shown nobody else knows the next seed.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, signer: SupportsIndex, signature: Signature) -> SeedProof:
        """
        Puts a proof together from its parts. Nothing is checked.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite, data: Buffer) -> SeedProof:
        """
        Reads a proof of that suite.
        """
    @staticmethod
    def decode_detached(suite: Suite, data: Buffer, signer: SupportsIndex) -> SeedProof:
        """
        Reads the signature of a member who is known.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encode_detached(self, /) -> bytes:
        """
        The signature alone, for formats that hold the rest already.
        """
    @staticmethod
    def sign(secret: SecretKey, committee: Committee, seed: Seed) -> SeedProof:
        """
        This member's proof for a seed. Raises `WrongContextError` if the key is no member's, and for Ed25519, whose
        signatures are not unique.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The signature.
        """
    @property
    def signer(self, /) -> int:
        """
        Whose it is, or claims to be.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """

@final
class Shape:
    """
    How many shards there are: `data` that hold the message and `parity` that make up for lost ones.
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
        So many shards; raises `BadShapeError` without data shards, or above 32,768 in all.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def data(self, /) -> int:
        """
        Data shards: as many of any kind restore the message.
        """
    @staticmethod
    def of_committee(members: SupportsIndex, faulty: SupportsIndex) -> Shape:
        """
        One shard for each member, as a reliable broadcast needs it that outlives `faulty` of them: twice as many parity
        shards as those.
        """
    @property
    def parity(self, /) -> int:
        """
        Parity shards.
        """
    @property
    def shards(self, /) -> int:
        """
        All shards.
        """

@final
class Signature:
    """
    A signature that decoded. That says nothing about whether it verifies.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        The bytes in hex.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> Signature:
        """
        Reads the canonical bytes.
        """
    @staticmethod
    def decode_link(suite: Suite | str, data: Buffer) -> Signature:
        """
        Reads the form for direct links: uncompressed where that saves a square root.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encode_link(self, /) -> bytes:
        """
        The form for direct links.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Which signature scheme it belongs to.
        """

@final
class Signer:
    """
    Makes one-time keys ahead of time and signs with each of them once. Nothing copies or stores them: they are wiped
    when they expire, in a forked child, and when the signer is closed or collected. Threads may share a signer; one
    that prepares never keeps another from signing.
    """
    def __enter__(self, /) -> Signer: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __new__(cls, /, secret: SecretKey, suite: str = "wots-blake3", *, groups: Iterable[Iterable[SupportsIndex]] = ..., log2_batch: SupportsIndex = ..., low_water: SupportsIndex = ..., lifetime: timedelta = ...) -> Signer:
        """
        A signer under an Ed25519 key, which it takes over: the `SecretKey` is closed afterwards, also if the signer is
        refused. `groups` are sets of likely verifiers; that of everybody is always there. A batch has 2**`log2_batch`
        keys, at most 128; a group with fewer keys than `low_water` gets another; keys older than `lifetime` are wiped.
        """
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def announcements(self, /) -> list[Announced]:
        """
        What announces all batches that still have keys: for a verifier that comes late or starts again.
        """
    def close(self, /) -> None:
        """
        Wipes all keys. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether the signer was closed.
        """
    def detect_copies(self, /, hook: Callable[[], int]) -> None:
        """
        Sets a hook that tells this machine's copies apart: it answers with a virtual machine's generation identifier, a
        counter of restored checkpoints, any integer of 64 bits. `sign` and `prepare` ask it first, on whatever thread
        they run, and whenever its answer changes, all keys are wiped. What it raises they raise, and nothing is signed.
        It may use this signer. Forks are noticed without it, and what nobody notices expires.
        """
    def invalidate(self, /) -> None:
        """
        Wipes every key: for whoever learns that the machine was copied, or is about to be.
        """
    def prepare(self, /, now: SupportsIndex | None = None) -> Announced | None:
        """
        Background work: makes one batch for the group that is shortest of keys, and answers with what to send to whom;
        `None` if no group is short. Call it until then, and again while the signer lives. Cost: 128 times what a
        signature takes to make and to verify, and more in the suites with HORS. One call at a time: two make a batch
        each.
        """
    def prepare_async(self, /, now: SupportsIndex | None = None) -> Coroutine[Any, Any, Announced | None]:
        """
        As `prepare`, on another thread.
        """
    @property
    def public_key(self, /) -> PublicKey:
        """
        The key that verifies what this signer signs.
        """
    @property
    def ready(self, /) -> int:
        """
        How many keys are ready in all groups.
        """
    def sign(self, /, message: Buffer, hint: Iterable[SupportsIndex] = ..., now: SupportsIndex | None = None) -> bytes:
        """
        Signs with a fresh key of the smallest group that contains all of `hint` and has one; an empty hint means
        everybody. The hint decides who verifies fast, never who can verify. Raises `ExhaustedError` if no key is left.

        `now`, here and everywhere, is in microseconds, of a clock that goes on while the machine sleeps; without it,
        it is the system's time of day.
        """
    @property
    def suite(self, /) -> str:
        """
        The name of the suite.
        """

@final
class SignerSet:
    """
    A set of members of a committee of `n`. It can grow, so it has no hash; it is iterated in ascending order.
    """
    def __and__(self, other: object, /) -> SignerSet: ...
    def __contains__(self, index: SupportsIndex, /) -> bool: ...
    def __copy__(self, /) -> SignerSet: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __invert__(self, /) -> SignerSet: ...
    def __iter__(self, /) -> Members:
        """
        The members as they are now, ascending.
        """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, committee_len: SupportsIndex, members: Iterable[SupportsIndex] = ...) -> SignerSet:
        """
        The set of these members, each once, of a committee of `committee_len`.
        """
    def __or__(self, other: object, /) -> SignerSet: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee_len(self, /) -> int:
        """
        How large the committee is.
        """
    def complement(self, /) -> SignerSet:
        """
        Everybody who is not in the set.
        """
    @staticmethod
    def full(committee_len: SupportsIndex) -> SignerSet:
        """
        The set of all members.
        """
    def insert(self, /, index: SupportsIndex) -> bool:
        """
        Adds a member; false if it was there, or if the committee has no such member.
        """
    def intersection(self, /, other: SignerSet) -> SignerSet:
        """
        Members of both sets, which should be of the same committee.
        """
    def is_disjoint(self, /, other: SignerSet) -> bool:
        """
        Whether the two sets have no member in common.
        """
    def union(self, /, other: SignerSet) -> SignerSet:
        """
        Members of either set, which should be of the same committee.
        """

@final
class Signing:
    """
    A message under a tag: what a combiner collects shares for.
    """
    def __new__(cls, /, key: EcdsaGroupKey, deal: Deal, nonce: Buffer, tag: Tag, message: Buffer) -> Signing:
        """
        For whoever combines without a party's file; parties call `Presignatures.signing`. A wrong nonce makes every
        combination fail.
        """
    def __repr__(self, /) -> str: ...
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    @property
    def message(self, /) -> bytes:
        """
        What is signed.
        """
    @property
    def nonce(self, /) -> bytes:
        """
        The presignature's public half: what every signing of this tag has in common.
        """
    @property
    def tag(self, /) -> Tag:
        """
        Under which tag.
        """

@final
class Statement:
    """
    What members sign: that `digest` is right for this kind, epoch and view. Usually made by `Committee.statement`,
    which knows the epoch.
    """
    LEN: Final[int]
    """
    Bytes of an encoded statement.
    """
    SIGNED_LEN: Final[int]
    """
    Bytes that are signed.
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
        A statement of its parts; the digest has 32 bytes.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def contradicts(self, /, other: Statement) -> bool:
        """
        Whether one member must not sign both: the same kind, epoch and view, another digest.
        """
    @staticmethod
    def decode(data: Buffer) -> Statement:
        """
        Reads the 49 bytes.
        """
    @property
    def digest(self, /) -> bytes:
        """
        The value, usually the hash of a block.
        """
    def encode(self, /) -> bytes:
        """
        The 49 bytes.
        """
    @property
    def epoch(self, /) -> int:
        """
        The committee's term.
        """
    def identity(self, /, committee: CommitteeId) -> bytes:
        """
        The name of what was certified. Certificates of one statement differ; this does not.
        """
    @property
    def kind(self, /) -> int:
        """
        What it is about: each phase of a protocol has a kind of its own.
        """
    def signed_bytes(self, /, committee: CommitteeId) -> bytes:
        """
        The bytes that a member of that committee signs.
        """
    @property
    def view(self, /) -> int:
        """
        The attempt to agree within the epoch.
        """

@final
class Suspects:
    """
    Members in whose name bad signatures came in, shared by all collectors of one committee: their votes are checked
    one by one, so that they cannot make every batch fail. Each certificate that is formed forgives a little.
    """
    def __contains__(self, member: SupportsIndex, /) -> bool: ...
    def __iter__(self, /) -> Members:
        """
        The suspects as they are now, ascending.
        """
    def __len__(self, /) -> int: ...
    def __new__(cls, /) -> Suspects:
        """
        Nobody is suspected.
        """
    def __repr__(self, /) -> str: ...
    def accuse(self, /, member: SupportsIndex) -> None:
        """
        Counts an offence. Collectors do that themselves; this is for bad votes that were found elsewhere.
        """
    def decay(self, /) -> None:
        """
        Takes one certificate off every term. Collectors do that themselves when they form one.
        """

@final
class Table:
    """
    Rows by shape, length and suite, one of each. Members of a committee use one table, or one row of it: the suite decides
    the bytes of the shards.
    """
    MAX_ROWS: Final[int]
    """
    The most rows of a table.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def best(self, /, shape: Shape, message: SupportsIndex, allow: Callable[[ErasureSuite], object] | None = None) -> Row | None:
        """
        The fastest of the suites that `allow` says yes to, for shards of this shape, as measured with the length nearest to
        `message` as a ratio. `None` if nothing was measured for this shape. Without `allow` it is whichever this build can
        run; a committee whose members have other builds says what all can.
        """
    @staticmethod
    def decode(data: Buffer) -> Table:
        """
        Reads a file of the tuner.
        """
    def encode(self, /) -> bytes:
        """
        The bytes of the file.
        """
    @property
    def rows(self, /) -> list[Row]:
        """
        All rows, ascending by shape, length and suite.
        """

@final
class Tag:
    """
    One presignature of one epoch, and the class of messages that it may sign. Only a plan makes one.
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
        The class.
        """
    @property
    def epoch(self, /) -> int:
        """
        The epoch.
        """
    @property
    def index(self, /) -> int:
        """
        The index within the epoch.
        """

@final
class Tdh2KeyShare:
    """
    A member's secret. It cannot be printed, pickled or copied, and is wiped when it is closed or collected: use it
    in a `with` block. Copies that others made are not wiped: the bytes that it was made from, and what `to_bytes`
    gave out.
    """
    LEN: Final[int]
    """
    Bytes of `to_bytes`.
    """
    def __enter__(self, /) -> Tdh2KeyShare: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def check(self, /, keys: Tdh2PublicKeys) -> None:
        """
        Checks that the dealer gave this member the secret of its verification key, or raises `BadShareError`. To
        be done once: with a wrong one a member makes wrong shares, and is the culprit.
        """
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    @property
    def committee(self, /) -> CommitteeId:
        """
        For which committee it was dealt.
        """
    def decryption_share(self, /, ciphertext: ValidCiphertext) -> DecryptionShare:
        """
        This member's part in a decryption, which stands for nothing but this ciphertext. Only one that was checked makes
        shares. Cost: three multiplications.
        """
    @staticmethod
    def from_bytes(data: Buffer) -> Tdh2KeyShare:
        """
        Reads `to_bytes`; `check` it then. The bytes stay yours: give a `bytearray` and overwrite it.
        """
    @property
    def member(self, /) -> int:
        """
        Whose share it is.
        """
    def to_bytes(self, /) -> bytes:
        """
        The 99 bytes, for a key file. They are a Python object that nothing wipes.
        """
    @property
    def verification_key(self, /) -> bytes:
        """
        What everybody knows of it: 32 bytes.
        """

@final
class Tdh2PublicKeys:
    """
    What everybody knows of dealt keys, checked to lie on one polynomial.
    """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        For which committee they were dealt.
        """
    @staticmethod
    def deal(committee: CommitteeId, threshold: Threshold) -> tuple[Tdh2PublicKeys, list[Tdh2KeyShare]]:
        """
        Deals a fresh key of which one share more is needed than members may be faulty. WHOEVER RUNS THIS KNOWS THE
        KEY: run it once, away from the network, and give each member its share alone.
        """
    @staticmethod
    def decode(data: Buffer) -> Tdh2PublicKeys:
        """
        Reads keys, and checks that they lie on one polynomial. Cost: a sum of n + 1 products.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    @property
    def key(self, /) -> bytes:
        """
        The public key itself: 32 bytes.
        """
    def precomputed(self, /) -> Tdh2PublicKeys:
        """
        The same keys with a table for each member, which makes checking between n/8 and 46 shares at once
        somewhat cheaper. Memory: 10 kB for each member. Cost: as `decode`, and a quarter of a multiplication for
        each.
        """
    @property
    def threshold(self, /) -> Threshold:
        """
        How many shares of how many are needed.
        """
    def verification_key(self, /, member: SupportsIndex) -> bytes | None:
        """
        The member's verification key of 32 bytes; `None` if there is no such member.
        """
    def verify_share(self, /, instance: ValidCiphertext, share: DecryptionShare) -> Tdh2VerifiedShare:
        """
        Checks one share, or raises `BadShareError`. Cost: 1.5 multiplications.
        """
    def verify_shares(self, /, instance: ValidCiphertext, shares: Iterable[DecryptionShare]) -> Checked[Tdh2VerifiedShare, Tdh2ShareFault]:
        """
        Checks many shares together and finds every wrong one; these are no error but among the `faults`. Cost:
        0.6 of a multiplication for each share.
        """
    def verify_shares_async(self, /, instance: ValidCiphertext, shares: Iterable[DecryptionShare]) -> Coroutine[Any, Any, Checked[Tdh2VerifiedShare, Tdh2ShareFault]]:
        """
        As `verify_shares`, on another thread.
        """

@final
class Tdh2VerifiedShare:
    """
    A share that was verified, for one instance. Nothing else can be combined.
    """
    def __copy__(self, /) -> Tdh2VerifiedShare: ...
    def __deepcopy__(self, memo: Any, /) -> Tdh2VerifiedShare: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def member(self, /) -> int:
        """
        Whose it is.
        """

@final
class Tdh2WrongShare:
    """
    Proof that a member made a wrong share, for anybody who has the public keys.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer) -> Tdh2WrongShare:
        """
        Reads evidence, which is still to be verified.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def verify(self, /, keys: Tdh2PublicKeys) -> int:
        """
        Checks it, with nothing known but the keys, and answers with the culprit; raises `NotEvidenceError` if the
        share is right, or not the member's own.
        """

@final
class Threshold:
    """
    How many shares of how many are needed.
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
        How many are needed.
        """
    @property
    def parties(self, /) -> int:
        """
        How many there are.
        """

@final
class Ticket:
    """
    A member's claim to have won. That it decoded says nothing.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, round: SupportsIndex, member: SupportsIndex, signature: Signature) -> Ticket:
        """
        Puts a ticket together from its parts. Nothing is checked.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite, data: Buffer) -> Ticket:
        """
        Reads a ticket of that suite.
        """
    @staticmethod
    def decode_detached(suite: Suite, data: Buffer, round: SupportsIndex, member: SupportsIndex) -> Ticket:
        """
        Reads the signature of a ticket whose round and member are known.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encode_detached(self, /) -> bytes:
        """
        The signature alone, for formats that hold the rest already.
        """
    @property
    def member(self, /) -> int:
        """
        Whose it is, or claims to be.
        """
    @property
    def round(self, /) -> int:
        """
        Of which round.
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
        Checks that this member won this lottery. Raises `NotDrawnError` for a ticket that does not win, before any
        pairing. Cost: one subgroup check and a hash; if it wins, one hash to the curve and two pairings.
        """
    def verify_async(self, /, lottery: Lottery) -> Coroutine[Any, Any, VerifiedTicket]:
        """
        As `verify`, on another thread.
        """

@final
class TimeoutCertificate:
    """
    A quorum gave up a view. The members are grouped by the value that they named, and one aggregate covers the
    different statements of all groups.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(data: Buffer, committee: Committee) -> TimeoutCertificate:
        """
        Reads a timeout certificate of that committee: form, epoch and quorum are checked, the signatures not yet.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encoded_len(self, /) -> int:
        """
        How many bytes `encode` gives.
        """
    @property
    def epoch(self, /) -> int:
        """
        The committee's term.
        """
    @property
    def groups(self, /) -> list[tuple[int, SignerSet]]:
        """
        The values, ascending, each with the members who named it.
        """
    @property
    def highest_value(self, /) -> int:
        """
        The highest value that a signer named.
        """
    @property
    def kind(self, /) -> int:
        """
        What it is about: each phase of a protocol has a kind of its own.
        """
    @property
    def signers(self, /) -> SignerSet:
        """
        Everybody who signed: a set of one's own.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedTimeoutCertificate:
        """
        Checks the signatures. Cost: as `Certificate.verify`, and one more pairing and hash per further value.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedTimeoutCertificate]:
        """
        As `verify`, on another thread.
        """
    @property
    def view(self, /) -> int:
        """
        The view that was given up.
        """

@final
class TimeoutCollector:
    """
    Gathers timeout votes of one kind and view until a quorum, whatever values they name, makes a certificate. It
    works as `VoteCollector` does. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, kind: SupportsIndex, view: SupportsIndex, *, batch_threshold: SupportsIndex | None = None, failure_limit: SupportsIndex | None = None) -> TimeoutCollector:
        """
        An empty collector; the options are those of `VoteCollector`.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, vote: TimeoutVote | VerifiedTimeoutVote, suspects: Suspects) -> Collected[VerifiedTimeoutCertificate]:
        """
        Takes a timeout vote in. A `VerifiedTimeoutVote` of the same committee is not checked again.
        """
    @property
    def committee(self, /) -> Committee:
        """
        Whose votes are collected.
        """
    def has_honest(self, /) -> bool:
        """
        Whether votes of more than a third of the weight are held, VERIFIED OR NOT.
        """
    @property
    def is_done(self, /) -> bool:
        """
        Whether the certificate was handed out.
        """
    @property
    def topic(self, /) -> tuple[int, int]:
        """
        The kind and the view that are collected.
        """
    def verify_honest(self, /, suspects: Suspects) -> tuple[bool, list[VoteFault]]:
        """
        Checks what is pending, if it may be enough, and says whether verified votes weigh more than a third, so that
        at least one honest member gave up the view; and what was found wrong.
        """
    def weight(self, /) -> int:
        """
        The weight of the timeout votes held, verified or not.
        """

@final
class TimeoutVote:
    """
    A member gives up a view and names a value, in HotStuff-like protocols the view of the highest certificate it
    knows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, kind: SupportsIndex, epoch: SupportsIndex, view: SupportsIndex, value: SupportsIndex, signer: SupportsIndex, signature: Signature) -> TimeoutVote:
        """
        Puts a timeout vote together from its parts. Nothing is checked.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def as_vote(self, /) -> Vote:
        """
        The plain vote that it is.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> TimeoutVote:
        """
        Reads a timeout vote of that suite.
        """
    @staticmethod
    def decode_link(suite: Suite | str, data: Buffer) -> TimeoutVote:
        """
        Reads the form for direct links.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encode_link(self, /) -> bytes:
        """
        The form for direct links, with an uncompressed signature.
        """
    @property
    def epoch(self, /) -> int:
        """
        The committee's term.
        """
    @property
    def kind(self, /) -> int:
        """
        What it is about: each phase of a protocol has a kind of its own.
        """
    @staticmethod
    def sign_unguarded(secret: SecretKey, committee: Committee, kind: SupportsIndex, view: SupportsIndex, value: SupportsIndex) -> TimeoutVote:
        """
        Signs WITHOUT REMEMBERING IT, for tests. A node signs through its `Guard`.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The signature.
        """
    @property
    def signer(self, /) -> int:
        """
        Who claims to have signed.
        """
    @staticmethod
    def statement_of(kind: SupportsIndex, epoch: SupportsIndex, view: SupportsIndex, value: SupportsIndex) -> Statement:
        """
        What a timeout vote signs: the statement whose digest is the value as eight little-endian bytes and 24 zeros.
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
        Checks the vote by itself.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedTimeoutVote]:
        """
        As `verify`, on another thread.
        """
    @property
    def view(self, /) -> int:
        """
        The view that is given up.
        """

@final
class Tolerance:
    """
    How many of how many parties may do whatever they like: fewer than a third.
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
        How many of them may be faulty.
        """
    @property
    def parties(self, /) -> int:
        """
        How many parties there are.
        """
    def threshold(self, /, agreement: Agreement | str) -> Threshold:
        """
        How many shares a signature of this class needs.
        """

@final
class Toss:
    """
    Collects the shares of one coin until there are enough good ones. All are checked, many with one sum, before they are
    combined, since a value cannot be looked at to see whether it is right. Threads may share it.
    """
    def __new__(cls, /, keys: CoinPublicKeys, coin: Coin, cache: Cache | None = None) -> Toss:
        """
        Of a coin of these keys; else it raises `WrongContextError`. Those who share a `cache` spare each other the
        coefficients of their sets of members.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, share: CoinShare) -> SharesCollected[CoinValue, CoinShareFault]:
        """
        Takes a share in. The output is the value, once there are enough good shares; it comes once. Raises
        `UnknownSignerError`.
        """
    @property
    def is_done(self, /) -> bool:
        """
        Whether the value is out.
        """

@final
class TrustedDealer:
    """
    Makes a key and deals presignatures of it. IT KNOWS THE KEY: it can sign anything alone, and so can whoever breaks into
    it. Run it offline, seal each party's file, and wipe the machine. It cannot be printed, pickled or copied, and is wiped
    when it is closed or collected: use it in a `with` block.
    """
    def __enter__(self, /) -> TrustedDealer: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...
    def __new__(cls, /, group: Group | str, committee: CommitteeId, tolerance: Tolerance) -> TrustedDealer:
        """
        The dealer of a new key for a committee.
        """
    def __reduce__(self, /) -> Any:
        """
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Wipes the secret. What is called later raises `ClosedError`; closing again does nothing.
        """
    @property
    def closed(self, /) -> bool:
        """
        Whether it was closed or handed over.
        """
    def deal(self, /, epoch: SupportsIndex, plan: Plan) -> list[Presignatures]:
        """
        Deals the presignatures of one epoch, to each party its own, in the parties' order. NEVER DEAL AN EPOCH TWICE.
        Cost: a tenth of a millisecond for each presignature and party.
        """
    def deal_async(self, /, epoch: SupportsIndex, plan: Plan) -> Coroutine[Any, Any, list[Presignatures]]:
        """
        As `deal`, on another thread.
        """
    @staticmethod
    def from_bytes(group: Group | str, committee: CommitteeId, tolerance: Tolerance, data: Buffer) -> TrustedDealer:
        """
        The dealer of a key of 32 bytes that was written down, to deal for further epochs. The bytes stay yours: give a
        `bytearray` and overwrite it.
        """
    @property
    def group(self, /) -> Group:
        """
        Over which group it is.
        """
    @property
    def key(self, /) -> EcdsaGroupKey:
        """
        The public key.
        """
    def to_bytes(self, /) -> bytes:
        """
        The secret key itself: 32 bytes in a Python object that nothing wipes.
        """

@final
class UnverifiedKey:
    """
    A public key with a proof of possession that nobody checked yet: what a member hands in.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, public: PublicKey, possession: Signature) -> UnverifiedKey:
        """
        Puts together what came in. Nothing is checked but that both are of one suite.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        The bytes in hex.
        """
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> UnverifiedKey:
        """
        Reads the canonical bytes.
        """
    def encode(self, /) -> bytes:
        """
        The key's bytes, then the proof's.
        """
    @property
    def possession(self, /) -> Signature:
        """
        The proof as it came in.
        """
    @staticmethod
    def prove(secret: SecretKey) -> UnverifiedKey:
        """
        The key of `secret` with a fresh proof.
        """
    @property
    def public(self, /) -> PublicKey:
        """
        The key, which proves nothing yet.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Which signature scheme it belongs to.
        """
    def verify(self, /) -> VerifiedKey:
        """
        Checks the proof. Cost: one signature verification.
        """
    def verify_async(self, /) -> Coroutine[Any, Any, VerifiedKey]:
        """
        As `verify`, on another thread.
        """

@final
class ValidCiphertext:
    """
    A ciphertext that was checked: what shares are made of. It comes from `Ciphertext.check` and in no other way.
    """
    def __copy__(self, /) -> ValidCiphertext: ...
    def __deepcopy__(self, memo: Any, /) -> ValidCiphertext: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def base(self, /) -> bytes:
        """
        The element that its shares are multiples of: 32 bytes.
        """
    @property
    def ciphertext(self, /) -> Ciphertext:
        """
        The ciphertext alone, which forgets that it was checked.
        """
    def combine(self, /, keys: Tdh2PublicKeys, shares: Iterable[Tdh2VerifiedShare], cache: Cache | None = None) -> bytes:
        """
        Decrypts with verified shares. Raises `BelowQuorumError`, `DuplicateSignerError`, `WrongContextError` for a share of
        another ciphertext; and `BadCiphertextError` if the author encrypted nothing sensible: take it for empty, as all will.
        """
    @property
    def id(self, /) -> bytes:
        """
        What the proofs of its shares name: 32 bytes.
        """
    @property
    def label(self, /) -> Label:
        """
        Where it belongs.
        """

@final
class VerifiedAggregate:
    """
    An aggregate whose sum was checked: only such are added.
    """
    def __copy__(self, /) -> VerifiedAggregate: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedAggregate: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    def certificate(self, /, committee: Committee) -> VerifiedCertificate | None:
        """
        The certificate that this is once the signers are a quorum; `None` before.
        """
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    def merge(self, /, other: VerifiedAggregate, limit: SupportsIndex = ...) -> VerifiedAggregate:
        """
        The sum of two aggregates of one statement. Raises `WrongContextError` for another committee or statement, and
        `TooLargeError` if a count would be above `limit`. Cost: one addition.
        """
    def normalised(self, /, parts: Iterable[VerifiedAggregate]) -> VerifiedAggregate:
        """
        The same signers with lower counts: of each of `parts`, in their order, as much is taken away as leaves every
        signer in at least once. Parts of another statement or committee, and those whose signers are not all in this
        aggregate, are passed over.
        """
    @property
    def value(self, /) -> Aggregate:
        """
        What was checked.
        """

@final
class VerifiedCertificate:
    """
    A certificate whose signatures were checked.
    """
    def __copy__(self, /) -> VerifiedCertificate: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedCertificate: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    @property
    def value(self, /) -> Certificate:
        """
        What was checked.
        """

@final
class VerifiedConflict:
    """
    Evidence whose certificates were checked: its culprits are guilty.
    """
    def __copy__(self, /) -> VerifiedConflict: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedConflict: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    @property
    def value(self, /) -> Conflict:
        """
        What was checked.
        """

@final
class VerifiedEquivocation:
    """
    Evidence whose signatures were checked: the member is guilty.
    """
    def __copy__(self, /) -> VerifiedEquivocation: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedEquivocation: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    @property
    def value(self, /) -> Equivocation:
        """
        What was checked.
        """

@final
class VerifiedKey:
    """
    A public key whose owner proved to hold the secret key. It comes from `UnverifiedKey.verify` or from `of`, and in
    no other way; a committee takes nothing less.
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
        Refused.
        """
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        The key's bytes in hex.
        """
    @staticmethod
    def from_secret(secret: SecretKey) -> VerifiedKey:
        """
        The key of a secret key at hand needs no proof.
        """
    @property
    def public(self, /) -> PublicKey:
        """
        The key.
        """
    @property
    def suite(self, /) -> Suite:
        """
        Which signature scheme it belongs to.
        """

@final
class VerifiedTicket:
    """
    A ticket that won.
    """
    def __copy__(self, /) -> VerifiedTicket: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedTicket: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    @property
    def score(self, /) -> Score:
        """
        What the ticket is worth: the SMALLEST score is the best.
        """
    @property
    def value(self, /) -> Ticket:
        """
        What was checked.
        """

@final
class VerifiedTimeoutCertificate:
    """
    A timeout certificate whose signatures were checked.
    """
    def __copy__(self, /) -> VerifiedTimeoutCertificate: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedTimeoutCertificate: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    @property
    def value(self, /) -> TimeoutCertificate:
        """
        What was checked.
        """

@final
class VerifiedTimeoutVote:
    """
    A timeout vote whose signature was checked.
    """
    def __copy__(self, /) -> VerifiedTimeoutVote: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedTimeoutVote: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    @property
    def value(self, /) -> TimeoutVote:
        """
        What was checked.
        """

@final
class VerifiedVote:
    """
    A vote whose signature was checked.
    """
    def __copy__(self, /) -> VerifiedVote: ...
    def __deepcopy__(self, memo: Any, /) -> VerifiedVote: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any:
        """
        Refused: what comes out of a pickle was checked by nobody.
        """
    def __repr__(self, /) -> str: ...
    @property
    def committee(self, /) -> CommitteeId:
        """
        Against which committee: compare it with the id of the one at hand.
        """
    @property
    def value(self, /) -> Vote:
        """
        What was checked.
        """

@final
class Verifier:
    """
    Verifies signatures of the signers that were let in, fast where their batch was announced. Threads may share a
    verifier; an announcement, however hostile, never keeps another thread from verifying.
    """
    def __new__(cls, /, suite: str = "wots-blake3", *, announced: SupportsIndex = ..., checked: SupportsIndex = ..., burst: SupportsIndex = ..., interval: timedelta = ...) -> Verifier:
        """
        A verifier that knows nobody yet. It remembers, for each signer, so many batches that were `announced`, and that
        it `checked` when signatures came without an announcement; the oldest give way, and each takes about 12 kB. So
        many announcements may come at once (`burst`), and one more each `interval`. A signer has `low_water` / 128 + 1
        batches for each of its groups; those that do not fit verify slowly.
        """
    def __repr__(self, /) -> str: ...
    def admit(self, /, signer: PublicKey) -> None:
        """
        Lets a signer in. Does nothing if it is known.
        """
    def announce(self, /, signer: PublicKey, announcement: Buffer, now: SupportsIndex | None = None) -> None:
        """
        Background work: takes in an announcement of the signer that it came from, over a link that says who it is.
        Raises `WrongContextError` for strangers, `RateLimitedError` for too many. Cost: 127 hashes, one Ed25519
        verification.
        """
    def can_verify_fast(self, /, signer: PublicKey, signature: Buffer) -> bool:
        """
        Whether `verify` would not need an Ed25519 verification. Cost: one lookup.
        """
    def check_revocation(self, /, hook: Callable[[PublicKey], bool]) -> None:
        """
        Sets a hook that says whether a key is revoked: a list that somebody else keeps. `announce`, `can_verify_fast` and
        `verify` ask it first, on whatever thread they run. What it raises they raise, and nothing is accepted. It may use
        this verifier, and should cost no more than a lookup.
        """
    def revoke(self, /, signer: PublicKey) -> bool:
        """
        Forgets a signer: all of its signatures are refused from now on. Answers whether it was known.
        """
    @property
    def suite(self, /) -> str:
        """
        The name of the suite.
        """
    def verify(self, /, signer: PublicKey, message: Buffer, signature: Buffer) -> None:
        """
        Verifies a signature, whatever was announced. Raises `WrongContextError` for strangers, `BadSignatureError`, and
        `OneTimeReuseError` if the signature is valid but its key signed something else before: for evidence see `reuse`,
        and keep what you verified. Only Ed25519, where the batch is not known, lets other threads run meanwhile.
        """

@final
class Vote:
    """
    One member's signature on a statement. That it decoded says nothing about the signature.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, statement: Statement, signer: SupportsIndex, signature: Signature) -> Vote:
        """
        Puts a vote together from its parts. Nothing is checked.
        """
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def decode(suite: Suite | str, data: Buffer) -> Vote:
        """
        Reads a vote of that suite.
        """
    @staticmethod
    def decode_link(suite: Suite | str, data: Buffer) -> Vote:
        """
        Reads the form for direct links.
        """
    def encode(self, /) -> bytes:
        """
        The canonical bytes.
        """
    def encode_link(self, /) -> bytes:
        """
        The form for direct links, with an uncompressed signature.
        """
    @staticmethod
    def sign_unguarded(secret: SecretKey, committee: Committee, statement: Statement) -> Vote:
        """
        Signs WITHOUT REMEMBERING IT: right for statements that a member may contradict, and for tests. What decides
        anything is signed by a `Guard`.
        """
    @property
    def signature(self, /) -> Signature:
        """
        The signature.
        """
    @property
    def signer(self, /) -> int:
        """
        Who claims to have voted.
        """
    @property
    def statement(self, /) -> Statement:
        """
        What was voted for.
        """
    @property
    def suite(self, /) -> Suite:
        """
        The signature scheme.
        """
    def verify(self, /, committee: Committee) -> VerifiedVote:
        """
        Checks the vote by itself; a collector does with far less for many.
        """
    def verify_async(self, /, committee: Committee) -> Coroutine[Any, Any, VerifiedVote]:
        """
        As `verify`, on another thread.
        """

@final
class VoteCollector:
    """
    Gathers the votes of one kind and view until some statement has a certificate. It holds at most one vote per
    member, whatever arrives, and checks nothing until a quorum is held: then one sum. Threads may share it.
    """
    def __new__(cls, /, committee: Committee, kind: SupportsIndex, view: SupportsIndex, *, batch_threshold: SupportsIndex | None = None, failure_limit: SupportsIndex | None = None) -> VoteCollector:
        """
        An empty collector. Below `batch_threshold` pending votes are checked one by one. After `failure_limit` bad
        votes a member's are dropped unseen: ONLY for links that authenticate each vote's signer, elsewhere anybody
        could silence a member.
        """
    def __repr__(self, /) -> str: ...
    def add(self, /, vote: Vote | VerifiedVote, suspects: Suspects) -> Collected[VerifiedCertificate]:
        """
        Takes a vote in, and tells whether it completed the certificate and what was found wrong. A `VerifiedVote` of
        the same committee, for instance one's own, is not checked again. Over a link that authenticates its sender,
        refuse votes in other members' names before they come here.
        """
    @property
    def committee(self, /) -> Committee:
        """
        Whose votes are collected.
        """
    @property
    def is_done(self, /) -> bool:
        """
        Whether the certificate was handed out.
        """
    @property
    def topic(self, /) -> tuple[int, int]:
        """
        The kind and the view that are collected.
        """
    def weight_for(self, /, digest: Buffer) -> int:
        """
        The weight of the votes held for a digest of 32 bytes, verified or not.
        """

@final
class Writer:
    """
    Builds an encoding front to back.
    """
    def __len__(self, /) -> int:
        """
        How many bytes were written.
        """
    def __new__(cls, /) -> Writer:
        """
        An empty writer.
        """
    def __repr__(self, /) -> str: ...
    def bytes(self, /, data: Buffer) -> None:
        """
        A length, then the bytes.
        """
    def count(self, /, n: SupportsIndex) -> None:
        """
        A list length; the items follow.
        """
    def into_bytes(self, /) -> _Bytes:
        """
        What was written. The writer is empty afterwards.
        """
    def option(self, /, present: bool) -> None:
        """
        Whether an optional value follows.
        """
    def raw(self, /, data: Buffer) -> None:
        """
        Bytes whose length the reader knows.
        """
    def u128(self, /, value: SupportsIndex) -> None:
        """
        Sixteen bytes, little endian.
        """
    def u16(self, /, value: SupportsIndex) -> None:
        """
        Two bytes, little endian.
        """
    def u32(self, /, value: SupportsIndex) -> None:
        """
        Four bytes, little endian.
        """
    def u64(self, /, value: SupportsIndex) -> None:
        """
        Eight bytes, little endian.
        """
    def u8(self, /, value: SupportsIndex) -> None:
        """
        One byte.
        """
    def varint(self, /, value: SupportsIndex) -> None:
        """
        LEB128, shortest form: 1 to 5 bytes.
        """

def aggregate(signatures: Iterable[Signature]) -> Signature:
    """
    Sums signatures. Nothing is verified; the sum verifies if all parts do.
    """

def aggregate_verify(signed: Iterable[tuple[VerifiedKey, Buffer]], signature: Signature) -> None:
    """
    Checks that each key signed its own message. Cost: one hash and one pairing per message, and one.
    """

def aggregate_verify_async(signed: Iterable[tuple[VerifiedKey, Buffer]], signature: Signature) -> Coroutine[Any, Any, None]:
    """
    As `aggregate_verify`, on another thread.
    """

def bls_beacon(signature: Signature) -> bytes:
    """
    32 bytes that nobody knew before enough members had signed. VERIFY THE SIGNATURE FIRST.
    """

def bls_deal(suite: Suite | str, committee: CommitteeId, tolerance: Tolerance, agreement: Agreement | str) -> list[BlsKeyShare]:
    """
    Makes a key and shares it. WHOEVER RUNS THIS KNOWS THE KEY: run it once, away from the network, and give each member its
    share alone. Ed25519 has no shares: there it is `WrongContextError`.
    """

def core_codes() -> list[str]:
    """
    The core's error codes.
    """

def domains() -> list[str]:
    """
    All domain strings of quorate, each for exactly one purpose.
    """

def dsig_suites() -> list[tuple[str, int]]:
    """
    The names of all suites, by number, with the bytes of a signature.
    """

def fast_aggregate_verify(keys: Iterable[VerifiedKey], message: Buffer, signature: Signature) -> None:
    """
    Checks that all keys signed the same message. Cost: one addition per key, one hash, two pairings.
    """

def fast_aggregate_verify_async(keys: Iterable[VerifiedKey], message: Buffer, signature: Signature) -> Coroutine[Any, Any, None]:
    """
    As `fast_aggregate_verify`, on another thread.
    """

def hash(domain: str, data: Buffer) -> bytes:
    """
    The hash of `data` under a domain string: one of `DOMAINS`, or one of your own that no other protocol uses, never
    one that came from outside.
    """

def reuse(signer: PublicKey, first: tuple[Buffer, Buffer], second: tuple[Buffer, Buffer]) -> bytes:
    """
    Puts two signatures of one one-time key side by side, each with its message: evidence against the signer, which
    anybody checks with `verify_reuse`. Raises `NotEvidenceError` if it is none.
    """

def verify(signer: PublicKey, message: Buffer, signature: Buffer) -> None:
    """
    Verifies a signature of any suite, with nothing known beforehand. Cost: one Ed25519 verification, and hashes.
    """

def verify_all(suite: str, entries: Iterable[tuple[PublicKey, Buffer, Buffer]]) -> list[QuorateError | None]:
    """
    Verifies many signatures of one suite, as of a log: each is a signer, a message and a signature. There is an outcome
    for each, in their order: `None`, or the exception that an `Auditor` would have raised, which remembers 1,024
    batches. Cost: one Ed25519 verification per batch of keys, and hashes.
    """

def verify_all_async(suite: str, entries: Iterable[tuple[PublicKey, Buffer, Buffer]]) -> Coroutine[Any, Any, list[QuorateError | None]]:
    """
    As `verify_all`, on another thread.
    """

def verify_reuse(suite: str, evidence: Buffer) -> PublicKey:
    """
    Checks evidence of reuse, with nothing known beforehand, and answers with the culprit.
    """
