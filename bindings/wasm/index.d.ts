/**
 * quorate: consensus building blocks that are hard to misuse. Keys, committees, votes, certificates and evidence.
 *
 * - Bytes go in as `Uint8Array` (a `Buffer` is one) and come out as a fresh `Uint8Array` that is yours to change.
 * - Integers of 64 and 128 bits are `bigint`, smaller ones `number`. A member is an index from 0 in a committee.
 * - What fails throws a {@link QuorateError} with a stable `code`; a value of the wrong type is a `TypeError`, a number
 *   out of range a `RangeError`. `verify` returns nothing or something checked; it never returns `false`.
 * - Objects are immutable unless a method says that it changes them; they live in one thread and cannot be cloned or
 *   posted: send their encodings.
 *
 * The library has not been audited.
 *
 * @packageDocumentation
 */

/// <reference lib="es2020" />
/// <reference lib="esnext.disposable" />

// ------------------------------------------------------------------------------------------------------ loading

/**
 * Loads the module; everything else works after it, and not before. Calling it again does nothing. In Node it is loaded
 * while the package is imported, and this returns at once.
 *
 * @param source - from where, if not from beside the package: a URL, a `Response`, bytes or a `WebAssembly.Module`
 */
export function init(source?: unknown): Promise<void>;
export default init;

// ---------------------------------------------------------------------------------------------------- constants

/** The version of this package. */
export const VERSION: string;
/** Every code that {@link QuorateError.code} can have. */
export const CODES: readonly ErrorCode[];
/** The most members a committee can have: 65,535. */
export const MAX_MEMBERS: number;
/** The largest sum of the weights of a committee: 2¹²⁵. */
export const MAX_TOTAL_WEIGHT: bigint;
/** The most different values in one timeout certificate. */
export const MAX_TIMEOUT_GROUPS: number;
/** With fewer pending votes than this, collectors check them one by one. */
export const DEFAULT_BATCH_THRESHOLD: number;

/**
 * A signature scheme, by its name.
 *
 * | suite | public key | signature | |
 * |---|---|---|---|
 * | `MinSig` | 96 bytes | 48 bytes | BLS12-381; certificates of one short signature |
 * | `MinPk` | 48 bytes | 96 bytes | BLS12-381 as in Ethereum |
 * | `Ed25519` | 32 bytes | 64 bytes | certificates list one signature per signer |
 * | `MinSigCounted`, `MinPkCounted` | as above | as above | for aggregates that are summed in any order: {@link gossip} |
 *
 * Whoever decodes names the suite; a peer's bytes never choose it. Putting things of two suites together throws {@link WrongContextError} with `details.what` `"suite"`, and so does a
 * name that there is not.
 */
export const Suite: {
  readonly MinSig: 'bls-min-sig';
  readonly MinPk: 'bls-min-pk';
  readonly Ed25519: 'ed25519';
  readonly MinSigCounted: 'bls-min-sig-counted';
  readonly MinPkCounted: 'bls-min-pk-counted';
};
export type Suite = (typeof Suite)[keyof typeof Suite];
/** The byte that stands for each suite in encodings. */
export const SUITE_NUMBERS: { readonly [suite in Suite]: number };

// ------------------------------------------------------------------------------------------------------- errors

/** A code that never changes its meaning, the same in all languages. */
export type ErrorCode =
  | 'MALFORMED'
  | 'NON_CANONICAL'
  | 'TOO_LARGE'
  | 'NOT_IN_SUBGROUP'
  | 'INFINITY'
  | 'UNKNOWN_SIGNER'
  | 'DUPLICATE_SIGNER'
  | 'RELATED_KEYS'
  | 'BAD_COMMITTEE'
  | 'BAD_SHAPE'
  | 'BAD_ENCODING'
  | 'BELOW_QUORUM'
  | 'BAD_SIGNATURE'
  | 'BAD_POSSESSION'
  | 'BAD_SHARE'
  | 'BAD_CIPHERTEXT'
  | 'WRONG_CONTEXT'
  | 'CONTRADICTION'
  | 'NOT_EVIDENCE'
  | 'EXHAUSTED'
  | 'ONE_TIME_REUSE'
  | 'NOT_DRAWN'
  | 'RATE_LIMITED'
  | 'RNG'
  | 'CLOSED';

/** What an error says beyond its message. Each subclass has its own fields. */
export type ErrorDetails = { readonly [name: string]: string | number | bigint | readonly number[] };

/** Everything that this package throws, but for wrong types (`TypeError`), wrong ranges (`RangeError`) and aborts. */
export class QuorateError extends Error {
  protected constructor();
  /** What went wrong. */
  readonly code: ErrorCode;
  /** The members whose fault it is, ascending; empty where nobody's fault is known. */
  readonly culprits: readonly number[];
  /** What is known beyond the message. */
  readonly details: ErrorDetails;
}

/** The bytes are not an encoding of the thing: wrong length, unknown tag, not a point. */
export class MalformedError extends QuorateError {
  readonly code: 'MALFORMED';
  readonly details: { readonly what: string };
}
/** The bytes decode, but another encoding of the same value is the only accepted one. */
export class NonCanonicalError extends QuorateError {
  readonly code: 'NON_CANONICAL';
  readonly details: { readonly what: string };
}
/** A length or count is above its limit; nothing was allocated for it. */
export class TooLargeError extends QuorateError {
  readonly code: 'TOO_LARGE';
  readonly details: { readonly what: string; readonly limit: bigint };
}
/** The point is outside the prime-order subgroup. */
export class NotInSubgroupError extends QuorateError {
  readonly code: 'NOT_IN_SUBGROUP';
  readonly details: {};
}
/** A key, a signature or an aggregate is the neutral element, or of small order. */
export class InfinityError extends QuorateError {
  readonly code: 'INFINITY';
  readonly details: {};
}
/** There is no such member in the committee. */
export class UnknownSignerError extends QuorateError {
  readonly code: 'UNKNOWN_SIGNER';
  readonly details: { readonly index: number };
}
/** A member appears twice where each may appear once. */
export class DuplicateSignerError extends QuorateError {
  readonly code: 'DUPLICATE_SIGNER';
  readonly details: { readonly index: number };
}
/** Two members' keys are equal or each other's negation. */
export class RelatedKeysError extends QuorateError {
  readonly code: 'RELATED_KEYS';
  readonly details: { readonly first: number; readonly second: number };
}
/** No members, too many, or weights that are zero or too large in sum. */
export class BadCommitteeError extends QuorateError {
  readonly code: 'BAD_COMMITTEE';
  readonly details: { readonly rule: string };
}
/** No erasure code makes so many shards, or has such parameters. */
export class BadShapeError extends QuorateError {
  readonly code: 'BAD_SHAPE';
  readonly details: { readonly rule: string };
}
/** A sender committed to shards that are not those of one message; all who decode them come to this. */
export class BadEncodingError extends QuorateError {
  readonly code: 'BAD_ENCODING';
  readonly details: {};
}
/** The signers, or the shards, do not reach the threshold. */
export class BelowQuorumError extends QuorateError {
  readonly code: 'BELOW_QUORUM';
  readonly details: { readonly signed: bigint; readonly needed: bigint };
}
/** A signature does not verify; `culprits` names whose, where it is known. */
export class BadSignatureError extends QuorateError {
  readonly code: 'BAD_SIGNATURE';
  readonly details: { readonly signers: readonly number[] };
}
/** A proof of possession does not verify for its key. */
export class BadPossessionError extends QuorateError {
  readonly code: 'BAD_POSSESSION';
  readonly details: {};
}
/** Shares of a secret, a signature or a decryption are wrong; `culprits` names whose, where it is known. */
export class BadShareError extends QuorateError {
  readonly code: 'BAD_SHARE';
  readonly details: { readonly members: readonly number[] };
}
/** A threshold ciphertext's proof does not hold, or its payload is not what its label and its key say: take it for empty. */
export class BadCiphertextError extends QuorateError {
  readonly code: 'BAD_CIPHERTEXT';
  readonly details: {};
}
/** Valid, but for another committee, chain, epoch, view or suite than the one at hand. */
export class WrongContextError extends QuorateError {
  readonly code: 'WRONG_CONTEXT';
  readonly details: { readonly what: string };
}
/** Signing this would contradict what was signed before; nothing was signed. */
export class ContradictionError extends QuorateError {
  readonly code: 'CONTRADICTION';
  readonly details: { readonly kind: number; readonly signedView: bigint };
}
/** Two objects that were offered as evidence do not contradict each other. */
export class NotEvidenceError extends QuorateError {
  readonly code: 'NOT_EVIDENCE';
  readonly details: {};
}
/**
 * What signs once is used up; nothing was signed. No fresh one-time key is left: prepare a batch, and sign again. Or the
 * presignature is spent, burnt, or past its plan or epoch: sign under another tag.
 */
export class ExhaustedError extends QuorateError {
  readonly code: 'EXHAUSTED';
  readonly details: {};
}
/** One one-time key signed two messages. Keep both signatures, for they are evidence, and refuse their signer. */
export class OneTimeReuseError extends QuorateError {
  readonly code: 'ONE_TIME_REUSE';
  readonly details: {};
}
/** The ticket is not one that wins its lottery; a member who shows it is at fault. */
export class NotDrawnError extends QuorateError {
  readonly code: 'NOT_DRAWN';
  readonly details: {};
}
/** More announcements came from a signer than it may send; this one was not looked at. */
export class RateLimitedError extends QuorateError {
  readonly code: 'RATE_LIMITED';
  readonly details: {};
}
/** The random number generator failed. */
export class RngError extends QuorateError {
  readonly code: 'RNG';
  readonly details: {};
}
/** The object was closed, or handed over as a secret key is to its guard. */
export class ClosedError extends QuorateError {
  readonly code: 'CLOSED';
  readonly details: { readonly what: string };
}

// --------------------------------------------------------------------------------------------------------- keys

/**
 * A secret key. It never shows itself: not when printed, inspected, cloned, posted or put into JSON.
 *
 * It is overwritten by {@link SecretKey.close}, at the end of a `using` block, or when it is collected as garbage; a
 * {@link Guard} takes it over. After that every use throws {@link ClosedError}. Copies that computing with it left on the
 * module's stack remain until later calls overwrite them.
 */
export class SecretKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  private constructor();
  /** A new key from the operating system's generator. @throws {@link RngError} */
  static generate(suite: Suite): SecretKey;
  /** Reads a key back from its 32 bytes. The caller wipes `bytes`. @throws {@link MalformedError} */
  static fromBytes(suite: Suite, bytes: Uint8Array): SecretKey;
  /** The key as 32 bytes, for a key file. Treat them as what they are, and `fill(0)` them after use. */
  toBytes(): Uint8Array;
  readonly suite: Suite;
  /** The public key. Cost: one multiplication. */
  publicKey(): PublicKey;
  /** Signs the message as it is. Validators sign statements, and through a {@link Guard}. */
  sign(message: Uint8Array): Signature;
  /** The proof that one holds this key. */
  provePossession(): Signature;
  /** Overwrites the key, but not what was computed with it: see {@link SecretKey}. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  /** Whether the key was closed or handed over. */
  readonly closed: boolean;
  /** `SecretKey(suite)`, nothing else. */
  toString(): string;
  /** As {@link SecretKey.toString}: a secret in a log or a response must not leak. */
  toJSON(): string;
}

/** A public key that decoded: a point of the right group, canonical, not the neutral element. */
export class PublicKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Cost: one square root and one subgroup check. @throws {@link MalformedError} and its kin */
  static decode(suite: Suite, bytes: Uint8Array): PublicKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Checks a signature on the message as it is. @throws {@link BadSignatureError} */
  verify(message: Uint8Array, signature: Signature): void;
  /** Checks a proof of possession. @throws {@link BadPossessionError} */
  verifyPossession(possession: Signature): void;
  equals(other: PublicKey): boolean;
  /** The encoding in hex: right as the key of a `Map`. */
  toString(): string;
  toJSON(): string;
}

/** A signature that decoded. That says nothing about whether it verifies. */
export class Signature {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and its kin */
  static decode(suite: Suite, bytes: Uint8Array): Signature;
  encode(): Uint8Array;
  /** Reads the form for direct links: BLS points uncompressed, which skips a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Signature;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  equals(other: Signature): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** A public key with a proof of possession that nobody checked yet: what a member hands in. */
export class UnverifiedKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link WrongContextError} for two suites */
  constructor(publicKey: PublicKey, possession: Signature);
  /** A key with its proof, made by its owner. */
  static prove(secret: SecretKey): UnverifiedKey;
  /** Public key, then proof. @throws {@link MalformedError} and its kin */
  static decode(suite: Suite, bytes: Uint8Array): UnverifiedKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  readonly public: PublicKey;
  readonly possession: Signature;
  /** Checks the proof. Cost: one signature verification. @throws {@link BadPossessionError} */
  verify(): VerifiedKey;
  equals(other: UnverifiedKey): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** A public key whose owner proved to hold the secret key. Only {@link UnverifiedKey.verify} and `of` make one. */
export class VerifiedKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** One's own key, which needs no proof. */
  static of(secret: SecretKey): VerifiedKey;
  readonly suite: Suite;
  readonly public: PublicKey;
  equals(other: VerifiedKey): boolean;
  /** The public key in hex. */
  toString(): string;
  toJSON(): string;
}

// ------------------------------------------------------------------------------------------------- committees

/** Which chain: 32 bytes that no other chain uses, for instance the hash of the genesis. */
export class ChainId {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** From a name, for tests and demonstrations: whoever knows the name can make the same identifier. */
  static fromName(name: string): ChainId;
  /** @throws {@link MalformedError} unless there are 32 bytes */
  static fromBytes(bytes: Uint8Array): ChainId;
  readonly bytes: Uint8Array;
  equals(other: ChainId): boolean;
  /** 64 hex digits. */
  toString(): string;
  toJSON(): string;
}

/** Which committee of which chain in which epoch: a hash of all its parameters, and part of all it signs. */
export class CommitteeId {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} unless there are 32 bytes */
  static fromBytes(bytes: Uint8Array): CommitteeId;
  readonly bytes: Uint8Array;
  equals(other: CommitteeId): boolean;
  /** 64 hex digits. */
  toString(): string;
  toJSON(): string;
}

/** A set of members of a committee of `committeeSize`. Iterates in ascending order. */
export class SignerSet implements Iterable<number> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** The empty set. */
  constructor(committeeSize: number);
  /** The set of all members. */
  static full(committeeSize: number): SignerSet;
  /** The set of these members, each named once. @throws {@link UnknownSignerError}, {@link DuplicateSignerError} */
  static from(committeeSize: number, members: Iterable<number>): SignerSet;
  /** Adds a member: changes this set. False if it was there, or if the committee has no such member. */
  insert(member: number): boolean;
  contains(member: number): boolean;
  /** How many members are in the set. */
  readonly size: number;
  /** How large the committee is. */
  readonly committeeSize: number;
  [Symbol.iterator](): IterableIterator<number>;
  /** Everybody who is not in the set. */
  complement(): SignerSet;
  /** Members of both sets. */
  intersection(other: SignerSet): SignerSet;
  /** Members of either set; what this committee does not have is left out. */
  union(other: SignerSet): SignerSet;
  isDisjoint(other: SignerSet): boolean;
  equals(other: SignerSet): boolean;
  /** `SignerSet([0, 2] of 4)` */
  toString(): string;
  toJSON(): number[];
}

/** Signers as other chains write them down: exactly one of the three. */
export type RawSigners =
  /** Member indices in any order, each once. */
  | { readonly indices: Iterable<number>; readonly lsbFirst?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte. */
  | { readonly lsbFirst: Uint8Array; readonly indices?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte. */
  | { readonly msbFirst: Uint8Array; readonly indices?: undefined; readonly lsbFirst?: undefined };

/** The members of one epoch of one chain, in their order, with weights. Made once per epoch, then shared. */
export class Committee {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * A committee of members whose possession was checked. Cost: one addition per member.
   *
   * @param epoch - the committee's term, a u64
   * @param members - pairs of key and weight (a u128 above zero)
   * @throws {@link BadCommitteeError}, {@link RelatedKeysError}, {@link InfinityError}, {@link WrongContextError} for
   * members of two suites
   */
  constructor(chain: ChainId, epoch: bigint, members: Iterable<readonly [VerifiedKey, bigint]>);
  /**
   * A committee whose possession proofs **somebody else checked**, as a chain does when a validator registers: with a
   * single unproven key in it, its owner can sign alone for everybody.
   *
   * @param options - `allowRepeats` takes a key more than once, as Ethereum's sync committees have it
   */
  static fromAttested(
    chain: ChainId,
    epoch: bigint,
    members: Iterable<readonly [PublicKey, bigint]>,
    options?: { readonly allowRepeats?: boolean | undefined },
  ): Committee;
  readonly suite: Suite;
  /** What every signed statement names, so that it cannot be replayed elsewhere. */
  readonly id: CommitteeId;
  readonly chain: ChainId;
  readonly epoch: bigint;
  /** How many members there are: 1 to {@link MAX_MEMBERS}. */
  readonly size: number;
  readonly totalWeight: bigint;
  /** The smallest weight above two thirds of the total. */
  readonly quorumWeight: bigint;
  /** The smallest weight above one third of the total: at least one of them is honest. */
  readonly honestWeight: bigint;
  /** A member's weight. */
  weight(member: number): bigint | undefined;
  /** A member's key. */
  key(member: number): PublicKey | undefined;
  /** All keys in the members' order. */
  keys(): PublicKey[];
  /** Whose key this is; the first of them where a key is repeated. */
  position(key: PublicKey): number | undefined;
  /** The weight of a set; members that the committee does not have weigh nothing. */
  weightOf(signers: SignerSet): bigint;
  /** Whether a set weighs at least {@link Committee.quorumWeight}. */
  hasQuorum(signers: SignerSet): boolean;
  /** @throws {@link BelowQuorumError} with what is missing, unless a set has a quorum */
  requireQuorum(signers: SignerSet): void;
  /**
   * Reads a signer set of this committee.
   *
   * @throws {@link UnknownSignerError}, {@link DuplicateSignerError}, {@link MalformedError} for a bitmap of another
   * length, {@link NonCanonicalError} for one whose padding is not zero
   */
  signerSet(signers: RawSigners): SignerSet;
  /**
   * Checks that `signers` signed `message` as it is, for chains that frame and sign in their own way.
   *
   * @param proof - one aggregate signature, or one Ed25519 signature per signer in ascending order
   * @returns the signers' weight: **compare it with your threshold**
   */
  verifyRaw(message: Uint8Array, signers: SignerSet, proof: Uint8Array): bigint;
  /** A statement in this committee's epoch. `digest` has 32 bytes. */
  statement(kind: number, view: bigint, digest: Uint8Array): Statement;
  /** Whether both have the same id. */
  equals(other: Committee): boolean;
  toString(): string;
}

// ------------------------------------------------------------------------------------------------------- votes

/** What was checked against a committee. Compare {@link Verified.committee} with the id of the one at hand. */
export interface Verified<T> {
  /** What was checked. */
  readonly value: T;
  /** Against which committee. Equal ids mean equal chain, epoch, suite, keys and weights. */
  readonly committee: CommitteeId;
}

/** What members sign: that `digest` is right for this kind, epoch and view. 49 bytes. */
export class Statement {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * @param fields - `kind` 0 to 255 (a protocol gives each of its phases one), `digest` 32 bytes
   * @throws {@link MalformedError} for a digest of another length
   */
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly digest: Uint8Array;
  });
  static decode(bytes: Uint8Array): Statement;
  encode(): Uint8Array;
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  readonly digest: Uint8Array;
  /** The bytes that a member of this committee signs. */
  signedBytes(committee: CommitteeId): Uint8Array;
  /** The name of what was certified: 32 bytes. Two different certificates can certify the same statement. */
  identity(committee: CommitteeId): Uint8Array;
  /** Whether one member must not sign both: the same kind, epoch and view, another digest. */
  contradicts(other: Statement): boolean;
  equals(other: Statement): boolean;
  toString(): string;
}

/** One member's signature on a statement. That it decoded says nothing about the signature. */
export class Vote {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Puts a vote together. Nothing is checked. */
  constructor(statement: Statement, signer: number, signature: Signature);
  /**
   * Signs **without remembering it**: for statements that a member may contradict, and for tests. What decides
   * anything is signed by a {@link Guard}.
   *
   * @throws {@link WrongContextError} for another epoch or suite, or a key that is no member's
   */
  static signUnguarded(secret: SecretKey, committee: Committee, statement: Statement): Vote;
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError} for a vote of another suite */
  static decode(suite: Suite, bytes: Uint8Array): Vote;
  encode(): Uint8Array;
  /** Reads the form for direct links, with an uncompressed signature: longer, and read without a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Vote;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  readonly statement: Statement;
  /** Who claims to have voted. */
  readonly signer: number;
  readonly signature: Signature;
  /**
   * Checks the vote by itself. Cost: one signature verification; a {@link VoteCollector} does with far less for many.
   *
   * @throws {@link WrongContextError}, {@link UnknownSignerError}, {@link BadSignatureError} naming the signer
   */
  verify(committee: Committee): VerifiedVote;
  equals(other: Vote): boolean;
  toString(): string;
}

/** A vote whose signature was checked. */
export class VerifiedVote implements Verified<Vote> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Vote;
  readonly committee: CommitteeId;
  toString(): string;
}

/**
 * Members in whose name bad signatures came in, shared by all collectors of one committee. Their votes are checked one
 * by one, and only when the others do not reach the quorum. Forgiven with time. Iterates in ascending order.
 */
export class Suspects implements Iterable<number> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor();
  contains(member: number): boolean;
  readonly size: number;
  [Symbol.iterator](): IterableIterator<number>;
  /** Counts an offence. Collectors do that themselves; for bad votes that were found elsewhere. */
  accuse(member: number): void;
  /** Takes one certificate off every term. Collectors do that themselves when they form one. */
  decay(): void;
  toString(): string;
}

/** Something is wrong with a vote. `signer` is whose vote it is, or claims to be. */
export type VoteFault =
  /** It does not belong here: another kind, epoch or view, no such member, or beyond a limit. Dropped unchecked. */
  | { readonly kind: 'stray'; readonly signer: number; readonly error: QuorateError }
  /** Its signature is bad: the member's doing only if the vote came over a link that authenticates the member. */
  | { readonly kind: 'bad-signature'; readonly signer: number }
  /** The member signed two contradicting statements. The first vote still counts. */
  | { readonly kind: 'equivocation'; readonly signer: number; readonly evidence: VerifiedEquivocation };

/** What adding a vote led to. */
export interface Collected<C> {
  /** The certificate, **once**: when the quorum was reached. */
  readonly certificate: C | undefined;
  /** What was found wrong with this vote or with earlier ones. */
  readonly faults: readonly VoteFault[];
}

/** How a collector works. */
export interface CollectorOptions {
  /** Check votes singly where fewer are pending; {@link DEFAULT_BATCH_THRESHOLD} unless set. */
  readonly batchThreshold?: number | undefined;
  /**
   * Drop a member's votes unseen once so many of them were bad (0 to 65,535). **Only for links that authenticate each
   * vote's signer**: elsewhere anybody could silence a member. No limit unless set.
   */
  readonly failureLimit?: number | undefined;
}

/**
 * Gathers the votes of one kind and view until some statement has a certificate. Holds at most one vote per member.
 * Cost: nothing until a quorum is held, then one sum and one check.
 */
export class VoteCollector {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(committee: Committee, kind: number, view: bigint, options?: CollectorOptions);
  /**
   * Takes a vote in; one that was verified against this committee is not checked again.
   *
   * @throws {@link WrongContextError} for a vote of another suite
   */
  add(vote: Vote | VerifiedVote, suspects: Suspects): Collected<VerifiedCertificate>;
  /** What is collected. */
  readonly topic: { readonly kind: number; readonly view: bigint };
  readonly committee: Committee;
  /** The weight of the votes held for a digest, verified or not. */
  weightFor(digest: Uint8Array): bigint;
  /** Whether the certificate was handed out. */
  readonly isDone: boolean;
  toString(): string;
}

// ------------------------------------------------------------------------------------------------ certificates

/**
 * A quorum's signatures on one statement. What decoded is canonical, of the committee's epoch and above the quorum; the
 * signatures are still to be checked. With `MinSig` at most 99 + ⌈n/8⌉ bytes.
 *
 * Two certificates of one statement may differ in their signers. Compare statements, never certificates.
 */
export class Certificate {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError}, {@link BelowQuorumError} */
  static decode(bytes: Uint8Array, committee: Committee): Certificate;
  encode(): Uint8Array;
  /** Reads the form for where the statement is known. */
  static decodeDetached(bytes: Uint8Array, statement: Statement, committee: Committee): Certificate;
  encodeDetached(): Uint8Array;
  /** Bytes of the encoding. */
  readonly encodedLength: number;
  readonly suite: Suite;
  readonly statement: Statement;
  readonly signers: SignerSet;
  /** The aggregate signature, or one signature per signer in ascending order. */
  proof(): Uint8Array;
  /**
   * Checks the signatures. Cost: BLS two pairings, one hash to the curve, one subgroup check.
   *
   * @throws {@link WrongContextError}, {@link BelowQuorumError}, {@link BadSignatureError}
   */
  verify(committee: Committee): VerifiedCertificate;
  /**
   * Checks many by a random linear combination: sixteen of one signer set cost about a quarter of sixteen checks.
   *
   * @returns for each the checked certificate or what is wrong with it, in order
   */
  static verifyBatch(
    committee: Committee,
    certificates: Iterable<Certificate>,
  ): (VerifiedCertificate | QuorateError)[];
  /** As {@link Certificate.verifyBatch} without a generator: all nodes compute the same. */
  static verifyBatchDerived(
    committee: Committee,
    certificates: Iterable<Certificate>,
  ): (VerifiedCertificate | QuorateError)[];
  /** Whether both are the same certificate, signers and all. */
  equals(other: Certificate): boolean;
  toString(): string;
}

/** A certificate whose signatures were checked. */
export class VerifiedCertificate implements Verified<Certificate> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Certificate;
  readonly committee: CommitteeId;
  toString(): string;
}

// ---------------------------------------------------------------------------------------------------- timeouts

/** A member gives up a view and names a value, such as the view of the highest certificate it knows. */
export class TimeoutVote {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Puts a timeout vote together. Nothing is checked. */
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly value: bigint;
    readonly signer: number;
    readonly signature: Signature;
  });
  /** What a timeout vote signs. */
  static statementOf(kind: number, epoch: bigint, view: bigint, value: bigint): Statement;
  /** Signs **without remembering it**, for tests. A node signs through its {@link Guard}. */
  static signUnguarded(
    secret: SecretKey,
    committee: Committee,
    kind: number,
    view: bigint,
    value: bigint,
  ): TimeoutVote;
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError} for another suite */
  static decode(suite: Suite, bytes: Uint8Array): TimeoutVote;
  encode(): Uint8Array;
  /** Reads the form for direct links. */
  static decodeLink(suite: Suite, bytes: Uint8Array): TimeoutVote;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  readonly kind: number;
  readonly epoch: bigint;
  /** The view that is given up. */
  readonly view: bigint;
  /** The value that the member names. */
  readonly value: bigint;
  readonly signer: number;
  readonly signature: Signature;
  /** The plain vote that it is. */
  asVote(): Vote;
  /** As {@link Vote.verify}. */
  verify(committee: Committee): VerifiedTimeoutVote;
  equals(other: TimeoutVote): boolean;
  toString(): string;
}

/** A timeout vote whose signature was checked. */
export class VerifiedTimeoutVote implements Verified<TimeoutVote> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: TimeoutVote;
  readonly committee: CommitteeId;
  toString(): string;
}

/** Gathers timeout votes of one kind and view until a quorum, whatever values they name, makes a certificate. */
export class TimeoutCollector {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(committee: Committee, kind: number, view: bigint, options?: CollectorOptions);
  /** As {@link VoteCollector.add}. */
  add(vote: TimeoutVote | VerifiedTimeoutVote, suspects: Suspects): Collected<VerifiedTimeoutCertificate>;
  readonly topic: { readonly kind: number; readonly view: bigint };
  readonly committee: Committee;
  /** The weight of the timeout votes held, verified or not. */
  readonly weight: bigint;
  /** Whether votes of more than a third of the weight are held, **verified or not**. */
  readonly hasHonest: boolean;
  /** Checks what is pending, if it may be enough, and says whether **verified** votes weigh more than a third. */
  verifyHonest(suspects: Suspects): { readonly honest: boolean; readonly faults: readonly VoteFault[] };
  readonly isDone: boolean;
  toString(): string;
}

/** A quorum gave up a view; the members are grouped by the value that they named. */
export class TimeoutCertificate {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError}, {@link BelowQuorumError} */
  static decode(bytes: Uint8Array, committee: Committee): TimeoutCertificate;
  encode(): Uint8Array;
  readonly encodedLength: number;
  readonly suite: Suite;
  readonly kind: number;
  readonly epoch: bigint;
  /** The view that was given up. */
  readonly view: bigint;
  /** The highest value that a signer named. */
  readonly highestValue: bigint;
  /** The values, ascending, each with the members who named it. */
  groups(): { readonly value: bigint; readonly signers: SignerSet }[];
  /** Everybody who signed. */
  readonly signers: SignerSet;
  /** Checks the signatures. Cost (BLS): per group a pairing, a hash to the curve and an addition per signer. */
  verify(committee: Committee): VerifiedTimeoutCertificate;
  equals(other: TimeoutCertificate): boolean;
  toString(): string;
}

/** A timeout certificate whose signatures were checked. */
export class VerifiedTimeoutCertificate implements Verified<TimeoutCertificate> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: TimeoutCertificate;
  readonly committee: CommitteeId;
  toString(): string;
}

// ---------------------------------------------------------------------------------------------------- evidence

/** Two votes of one member on contradicting statements. No honest member can be accused. */
export class Equivocation {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link NotEvidenceError} for different members or votes that do not contradict each other */
  constructor(first: Vote, second: Vote);
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError} for another suite */
  static decode(suite: Suite, bytes: Uint8Array): Equivocation;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** The one with the lower digest first. */
  votes(): [Vote, Vote];
  /** Who signed both. */
  readonly signer: number;
  /** The signer alone, guilty once {@link Equivocation.verify} has said so. */
  culprits(): number[];
  /** Checks both signatures. */
  verify(committee: Committee): VerifiedEquivocation;
  equals(other: Equivocation): boolean;
  toString(): string;
}

/** An equivocation that was checked. */
export class VerifiedEquivocation implements Verified<Equivocation> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Equivocation;
  readonly committee: CommitteeId;
  toString(): string;
}

/** Two certificates of contradicting statements: whoever signed both broke the protocol. */
export class Conflict {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link NotEvidenceError} for certificates that do not contradict each other */
  constructor(first: Certificate, second: Certificate);
  static decode(bytes: Uint8Array, committee: Committee): Conflict;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** The one with the lower digest first. */
  certificates(): [Certificate, Certificate];
  /** Who signed both: more than a third of the weight, once {@link Conflict.verify} has said so. */
  culprits(): SignerSet;
  /** Checks both certificates. */
  verify(committee: Committee): VerifiedConflict;
  equals(other: Conflict): boolean;
  toString(): string;
}

/** A conflict that was checked. */
export class VerifiedConflict implements Verified<Conflict> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Conflict;
  readonly committee: CommitteeId;
  toString(): string;
}

// ------------------------------------------------------------------------------------------------------- guard

/**
 * A secret key that signs nothing contradictory: per kind, the pair (epoch, view) strictly increases, or is the last one
 * again with the identical statement. Make each record durable **before** its vote leaves.
 */
export class Guard {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  /** The guard of a key that has **never signed on this chain**. Takes the secret: `secret` is closed afterwards. */
  constructor(secret: SecretKey, chain: ChainId);
  /**
   * The guard of a key that may have signed before, from all durable records, in any order. Takes the secret, even if
   * it fails.
   *
   * @throws {@link WrongContextError} for a record of another key, chain or suite; {@link ContradictionError} if two
   * records contradict each other
   */
  static restore(secret: SecretKey, chain: ChainId, records: Iterable<GuardRecord>): Guard;
  /**
   * Signs a statement, unless it contradicts an earlier one. **Make the record durable before the vote leaves.** The
   * same statement again gives the same vote and record.
   *
   * @throws {@link ContradictionError}, {@link WrongContextError}; nothing is signed or remembered then
   */
  sign(committee: Committee, statement: Statement): { readonly vote: Vote; readonly record: GuardRecord };
  /** Signs a timeout vote under the same rule: in one view of a kind only ever one value. */
  signTimeout(
    committee: Committee,
    kind: number,
    view: bigint,
    value: bigint,
  ): { readonly vote: TimeoutVote; readonly record: GuardRecord };
  /**
   * Reserves the block of 1,024 presignatures that `index` lies in. Once its record is durable and confirmed, signing with one
   * of them needs no record. After a crash all of the block is burnt.
   *
   * @param key - the name of the threshold key: 32 bytes
   * @throws {@link ExhaustedError} if the block is burnt, or its epoch over
   */
  reserve(key: Uint8Array, epoch: bigint, index: number): GuardRecord;
  /** Says that the record of a reservation is durable. @throws {@link WrongContextError} for another record */
  confirm(reservation: GuardRecord): void;
  /** Ends an epoch of a threshold key and all before it: what is left of their presignatures never signs. Make the record durable. */
  closeEpoch(key: Uint8Array, epoch: bigint): GuardRecord;
  publicKey(): PublicKey;
  readonly suite: Suite;
  readonly chain: ChainId;
  /** Epoch and view of the last statement of a kind. */
  last(kind: number): { readonly epoch: bigint; readonly view: bigint } | undefined;
  /** The last record of each kind, and what is spent of open epochs: all that a compacted log must keep. */
  records(): GuardRecord[];
  /** Overwrites the key, but not what was computed with it: see {@link SecretKey}. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** What was signed last of one kind: 81 bytes. */
export class GuardRecord {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): GuardRecord;
  encode(): Uint8Array;
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  equals(other: GuardRecord): boolean;
  toString(): string;
}

// ------------------------------------------------------------------------------------------------------ merkle

/**
 * A kind of Merkle tree over BLAKE3: the domain strings of its leaves and of its nodes, two different ones that are used
 * for nothing else.
 */
export class Merkle {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(leafDomain: string, nodeDomain: string);
  readonly leafDomain: string;
  readonly nodeDomain: string;
  /** The leaf of one item: 32 bytes. */
  leaf(item: Uint8Array): Uint8Array;
  /** The leaves of many items. */
  leaves(items: Iterable<Uint8Array>): Uint8Array[];
  /** The root over leaves of 32 bytes. It does not fix their number: sign the count with it. */
  root(leaves: Iterable<Uint8Array>): Uint8Array;
  /** The path of the leaf at `index`. @throws {@link MalformedError} if there is no such leaf */
  path(leaves: Iterable<Uint8Array>, index: number): Path;
  /**
   * Checks that `leaf` is where the path says in the tree under `root`.
   *
   * @throws {@link WrongContextError} if the path leads to another root
   */
  verify(root: Uint8Array, leaf: Uint8Array, path: Path): void;
  toString(): string;
}

/** The way from one leaf to the root. */
export class Path {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): Path;
  encode(): Uint8Array;
  /** The leaf's place. */
  readonly index: number;
  /** How many leaves the tree has, as far as this path knows. Compare it with the count that was signed. */
  readonly count: number;
  /** The siblings on the way, bottom first. */
  siblings(): Uint8Array[];
  equals(other: Path): boolean;
  toString(): string;
}

// ---------------------------------------------------------------------------------------- threshold and erasure

export * as erasure from './types/erasure.js';
export * as gossip from './types/gossip.js';
export * as sortition from './types/sortition.js';
export * as threshold from './types/threshold.js';

// -------------------------------------------------------------------------------------------- bls, dsig and wire

/** BLS signatures outside committees. Ed25519 throws {@link WrongContextError}, and so does a mixture of suites. */
export namespace bls {
  /** The sum of signatures. @throws {@link MalformedError} for none */
  function aggregate(signatures: Iterable<Signature>): Signature;
  /** Checks one signature of all keys on one message. Cost: two pairings, an addition per key. */
  function fastAggregateVerify(
    keys: Iterable<VerifiedKey>,
    message: Uint8Array,
    signature: Signature,
  ): void;
  /** Checks one signature of each key on its own message. Cost: a pairing per message and one more. */
  function aggregateVerify(
    signed: Iterable<readonly [VerifiedKey, Uint8Array]>,
    signature: Signature,
  ): void;
}

/**
 * DSig: signatures that cost hashes only. One-time keys sign, and Ed25519 signs those keys in batches, ahead of time.
 *
 * A {@link dsig.Signer} makes batches in the background and announces them; a {@link dsig.Verifier} that heard an announcement
 * needs no Ed25519 for its signatures. Anybody else verifies them too, with the signer's public key alone. All in and out is
 * bytes; times and durations are `bigint`s of microseconds, by default those of the system's clock. Public keys are of
 * {@link Suite} `Ed25519`, others throw {@link WrongContextError}.
 */
export namespace dsig {
  /** The name of every suite, by its number: the first is suite 1. */
  const SUITES: readonly Suite[];

  /** What the one-time keys are made of. `wots-blake3` is the default; `spec/dsig.md` compares them. */
  type Suite =
    | 'wots-haraka-512'
    | 'wots-haraka-256'
    | 'wots-blake3'
    | 'wots-blake3-256'
    | 'hors-f-blake3'
    | 'hors-m-blake3'
    | 'hors-f-haraka-256'
    | 'hors-m-haraka-256'
    | 'wots-sha-256'
    | 'hors-f-sha-256'
    | 'hors-m-sha-256';

  /** The bytes of a signature, by the name of its suite. */
  const SIGNATURE_LEN: Readonly<Record<Suite, number>>;

  /** An announcement, and whom to send it to. */
  interface Announced {
    /** The members of the batch's group, ascending; `undefined` for everybody. */
    readonly to: readonly number[] | undefined;
    /** What to send. */
    readonly announcement: Uint8Array;
  }

  /** Options of a {@link dsig.Signer}. */
  interface SignerOptions {
    readonly suite?: Suite | undefined;
    /** Sets of members that are likely to verify the same messages. The group of everybody is always there, as the last. */
    readonly groups?: Iterable<Iterable<number>> | undefined;
    /** Keys per batch as a power of two, at most 7. Default: 7. */
    readonly log2Batch?: number | undefined;
    /** A group with fewer keys than this gets another batch. Default: 512. */
    readonly lowWater?: number | undefined;
    /** Keys older than this are wiped, so that a machine that was copied or asleep does not go on with them. Default: 10 s. */
    readonly lifetime?: bigint | undefined;
  }

  /** Options of {@link dsig.Signer.sign}. */
  interface SignOptions {
    /** The members that will verify: the smallest group that has them all signs. Default: everybody. */
    readonly hint?: Iterable<number> | undefined;
    readonly now?: bigint | undefined;
  }

  /** Options of a {@link dsig.Verifier}: what it remembers of each signer. */
  interface VerifierOptions {
    readonly suite?: Suite | undefined;
    /**
     * Announced batches; the oldest goes first. A signer has `lowWater` / 128 + 1 of them for each of its groups; those
     * that do not fit verify slowly. Default: 32, of about 12 kB each.
     */
    readonly announced?: number | undefined;
    /** Batches that were not announced, but verified; the oldest goes first. Default: 8, of about 12 kB each. */
    readonly checked?: number | undefined;
    /** Announcements that may come at once. Default: 32. */
    readonly burst?: number | undefined;
    /** How often one more may come. Default: 200 µs. */
    readonly interval?: bigint | undefined;
  }

  /**
   * Makes one-time keys ahead of time and signs with them. No key signs twice: keys live in memory only, and expire. Where the
   * machine may be copied while it runs, see {@link dsig.Signer.detectCopies}.
   *
   * It is overwritten by {@link dsig.Signer.close}, at the end of a `using` block, or when it is collected as garbage.
   */
  class Signer {
    #private;
    /**
     * Takes the secret key, of suite `Ed25519`: that object is closed afterwards. What must be kept of the key is to be kept
     * elsewhere. Nothing is made yet.
     *
     * @throws {@link WrongContextError} for a key or a name of another suite
     * @throws {@link TooLargeError} for batches of more than 2⁷ keys
     */
    constructor(secret: SecretKey, options?: SignerOptions);
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    /**
     * Sets a hook that tells this machine's copies apart: it returns a virtual machine's generation identifier, a counter of
     * restored checkpoints, any integer of 64 bits. It is asked now, and first by `prepare` and `sign`; whenever its answer
     * changes, all keys are wiped. What it throws they throw, and nothing is signed. It may use this signer. What nobody
     * notices expires.
     */
    detectCopies(hook: () => bigint): void;
    /**
     * Background work, all of it: makes a batch for the group that is shortest of keys, if any is short. Call it until it
     * returns `undefined`, and send what it returns.
     *
     * @throws {@link RngError}
     */
    prepare(now?: bigint): Announced | undefined;
    /** The announcements of all batches that still have keys: for a verifier that comes late or starts again. */
    announcements(): Announced[];
    /**
     * Signs with a fresh key: one hash of the message and one copy.
     *
     * @throws {@link ExhaustedError} if no fresh key is left; {@link dsig.Signer.prepare} and sign again
     */
    sign(message: Uint8Array, options?: SignOptions): Uint8Array;
    readonly suite: Suite;
    /** The key that verifies what this signer signs. */
    readonly publicKey: PublicKey;
    /** How many fresh keys there are in all groups. */
    readonly ready: number;
    /** Wipes every one-time key: for whoever learns that the machine was copied, or is about to be. */
    invalidate(): void;
    /** Wipes the secret key and all one-time keys. Closing twice does nothing. */
    close(): void;
    [Symbol.dispose](): void;
    readonly closed: boolean;
    /** `Signer(suite, keys ready)`, nothing else. */
    toString(): string;
    toJSON(): string;
  }

  /** Verifies signatures of known signers, fast where their batch was announced. */
  class Verifier {
    #private;
    /** A verifier that knows nobody yet. @throws {@link WrongContextError} for a name of no suite */
    constructor(options?: VerifierOptions);
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    readonly suite: Suite;
    /** Lets a signer in. Does nothing if it is known. */
    admit(signer: PublicKey): void;
    /** Forgets a signer: its signatures are refused from now on. Returns whether it was known. */
    revoke(signer: PublicKey): boolean;
    /**
     * Sets a hook that says whether a key is revoked: a list that somebody else keeps. It is asked first by `announce`,
     * `canVerifyFast` and `verify`. What it throws they throw, and nothing is accepted; the same if it returns no boolean,
     * such as a promise. It may use this verifier, and should cost no more than a lookup.
     */
    checkRevocation(hook: (signer: PublicKey) => boolean): void;
    /**
     * Background work, all of it: takes in an announcement of the peer that it came from over an authenticated link. Cost:
     * one Ed25519 verification, and as many hashes as there are keys: some hundred microseconds of this thread, for there
     * are no others. What comes from strangers or too often costs a lookup.
     *
     * @throws {@link WrongContextError} for strangers, and for another suite
     * @throws {@link RateLimitedError} if more come than may
     * @throws {@link BadSignatureError}
     */
    announce(signer: PublicKey, announcement: Uint8Array, now?: bigint): void;
    /** Whether {@link dsig.Verifier.verify} would need no Ed25519. What is no signature throws, as there. */
    canVerifyFast(signer: PublicKey, signature: Uint8Array): boolean;
    /**
     * Checks a signature. It accepts exactly what {@link dsig.verify} accepts, whatever was announced, but for keys that
     * signed something else before.
     *
     * @throws {@link WrongContextError} for strangers, and for another suite
     * @throws {@link BadSignatureError}
     * @throws {@link OneTimeReuseError} if it is valid, but its key signed something else: {@link dsig.reuse} makes
     * evidence of both, for those who keep what they verified
     */
    verify(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void;
    toString(): string;
  }

  /** A line of a log: whose signature it is, and of which message. */
  type Entry = readonly [signer: PublicKey, message: Uint8Array, signature: Uint8Array];

  /** Options of an {@link dsig.Auditor}. */
  interface AuditorOptions {
    readonly suite?: Suite | undefined;
    /** Batches of keys to remember, at least one; the oldest goes first. Default: 1,024, of about 12 kB each. */
    readonly roots?: number | undefined;
  }

  /**
   * Checks a log, one signature after the other, with nothing known beforehand and with one Ed25519 verification per batch of
   * keys. It knows no signers: whom to trust is the caller's business.
   */
  class Auditor {
    #private;
    /** @throws {@link WrongContextError} for a name of no suite */
    constructor(options?: AuditorOptions);
    readonly suite: Suite;
    /**
     * Checks the next signature of a log.
     *
     * @throws {@link BadSignatureError}
     * @throws {@link OneTimeReuseError} if its key signed something else before, in a batch that is remembered
     */
    check(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void;
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    toString(): string;
  }

  /**
   * Checks many signatures of one suite, as of a log. There is an outcome for each, in their order: `undefined`, or the error
   * that an {@link dsig.Auditor} of 1,024 batches would have thrown. Cost: one Ed25519 verification per batch of keys, and
   * hashes.
   *
   * @throws {@link WrongContextError} for a key of another scheme, and for a name of no suite
   * @throws {@link TooLargeError} for more than 256 MiB in all, which are copied; an {@link dsig.Auditor} takes any number
   */
  function verifyAll(suite: Suite, entries: Iterable<Entry>): (QuorateError | undefined)[];
  /**
   * Checks a signature of any suite, with nothing known beforehand. Its first byte chooses the suite: whoever accepts one
   * only uses a {@link dsig.Verifier}, or looks at that byte.
   *
   * @throws {@link BadSignatureError}
   */
  function verify(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void;
  /**
   * Evidence that `signer` used one key twice, from two messages with their signatures.
   *
   * @throws {@link NotEvidenceError} if the keys differ, or what they signed does not
   * @throws {@link BadSignatureError}
   */
  function reuse(
    signer: PublicKey,
    first: readonly [message: Uint8Array, signature: Uint8Array],
    second: readonly [message: Uint8Array, signature: Uint8Array],
  ): Uint8Array;
  /**
   * Checks evidence, with nothing known beforehand, and returns the key of the signer that it proves guilty.
   *
   * @throws {@link NotEvidenceError}
   * @throws {@link BadSignatureError}
   */
  function verifyReuse(suite: Suite, evidence: Uint8Array): PublicKey;
}

/** Canonical, bounded encoding, as every type of this package has it. Integers are little endian. */
export namespace wire {
  /** Every domain string: each names one purpose of a hash or of signed bytes. */
  const DOMAINS: readonly string[];
  /** The 32-byte BLAKE3 hash of `bytes` under a domain string. */
  function hash(domain: string, bytes: Uint8Array): Uint8Array;

  /** Takes an encoding apart front to back. Too few bytes throw {@link MalformedError}; each call moves on. */
  class Reader {
    #private;
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    /** A reader over a copy of `bytes`. */
    constructor(bytes: Uint8Array);
    /** How many bytes are left. */
    readonly remaining: number;
    /** The next `length` bytes. */
    raw(length: number): Uint8Array;
    u8(): number;
    u16(): number;
    u32(): number;
    u64(): bigint;
    u128(): bigint;
    /** LEB128 of 32 bits in its shortest form. @throws {@link NonCanonicalError} */
    varint(): number;
    /** A length of at most `cap`, then that many bytes. @throws {@link TooLargeError} */
    bytes(cap: number): Uint8Array;
    /** A list length of at most `cap`. @throws {@link TooLargeError} */
    count(cap: number): number;
    /** The tag of an option: whether a value follows. */
    option(): boolean;
    /** @throws {@link MalformedError} if bytes are left */
    finish(): void;
    toString(): string;
  }

  /** Builds an encoding front to back. */
  class Writer {
    #private;
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    constructor();
    /** How many bytes were written. */
    readonly length: number;
    raw(bytes: Uint8Array): void;
    u8(value: number): void;
    u16(value: number): void;
    u32(value: number): void;
    u64(value: bigint): void;
    u128(value: bigint): void;
    varint(value: number): void;
    /** A length, then the bytes. */
    bytes(bytes: Uint8Array): void;
    /** A list length. */
    count(length: number): void;
    /** The tag of an option. */
    option(present: boolean): void;
    /** What was written. The writer is empty afterwards. */
    intoBytes(): Uint8Array;
    toString(): string;
  }
}
