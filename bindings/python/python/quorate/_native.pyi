"""
The native part of quorate; import `quorate` instead.
"""

from collections.abc import Callable, Coroutine, Iterable
from datetime import timedelta
from quorate.dsig import Announced
from quorate.errors import QuorateError
from quorate.faults import Collected, VoteFault
from quorate.suite import Suite
from typing import Any, Final, SupportsIndex, TypeAlias, final
from typing_extensions import Buffer

# `Reader` and `Writer` have methods of that name.
_Bytes: TypeAlias = bytes

__all__ = ["DEFAULT_BATCH_THRESHOLD", "MAX_MEMBERS", "MAX_TIMEOUT_GROUPS", "MAX_TOTAL_WEIGHT", "VERSION", "Auditor", "Certificate", "ChainId", "Committee", "CommitteeId", "Conflict", "Equivocation", "Guard", "GuardRecord", "Members", "Merkle", "Path", "PublicKey", "Reader", "SecretKey", "Signature", "Signer", "SignerSet", "Statement", "Suspects", "TimeoutCertificate", "TimeoutCollector", "TimeoutVote", "UnverifiedKey", "VerifiedCertificate", "VerifiedConflict", "VerifiedEquivocation", "VerifiedKey", "VerifiedTimeoutCertificate", "VerifiedTimeoutVote", "VerifiedVote", "Verifier", "Vote", "VoteCollector", "Writer", "aggregate", "aggregate_verify", "aggregate_verify_async", "core_codes", "domains", "dsig_suites", "fast_aggregate_verify", "fast_aggregate_verify_async", "hash", "reuse", "verify", "verify_all", "verify_all_async", "verify_reuse"]

DEFAULT_BATCH_THRESHOLD: Final[int]
MAX_MEMBERS: Final[int]
MAX_TIMEOUT_GROUPS: Final[int]
MAX_TOTAL_WEIGHT: Final[int]
VERSION: Final[str]

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
    @property
    def closed(self, /) -> bool:
        """
        Whether the guard was closed.
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
        The last record of each kind: all that a compacted log must keep.
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
    What was signed last of one kind. Make it durable before the vote leaves.
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
        The epoch of the statement.
        """
    @property
    def kind(self, /) -> int:
        """
        The kind of the statement.
        """
    @property
    def view(self, /) -> int:
        """
        The view of the statement.
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
    def verify_async(self, /, message: Buffer, signature: Signature) -> Coroutine[Any, Any, tuple[()]]:
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
    def of(secret: SecretKey) -> VerifiedKey:
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
