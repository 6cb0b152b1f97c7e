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

import type { ErrorCode, QuorateError } from './types/errors.js';
import type { VerifiedEquivocation } from './types/evidence.js';

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

// ------------------------------------------------------------------------------------------------- further files

export * from './types/bls.js';
export * from './types/dsig.js';
export * from './types/errors.js';
export * from './types/evidence.js';
export * from './types/guard.js';
export * from './types/merkle.js';
export * from './types/timeouts.js';
export * from './types/wire.js';
export * as erasure from './types/erasure.js';
export * as gossip from './types/gossip.js';
export * as sortition from './types/sortition.js';
export * as threshold from './types/threshold.js';
