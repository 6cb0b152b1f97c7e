/** Committees: who may sign, and with what weight. */

import type { Suite } from '../index.js';
import type { AsyncOptions } from './async.js';
import type { PublicKey, VerifiedKey } from './keys.js';
import type { Statement } from './votes.js';

/** Which chain: 32 bytes that no other chain uses, for instance the hash of the genesis. */
export class ChainId {
  #private;
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
  /** The empty set. */
  constructor(committeeSize: number);
  /** The set of all members. */
  static full(committeeSize: number): SignerSet;
  /** The set of these members, each named once. @throws {@link UnknownSignerError}, {@link DuplicateSignerError} */
  static fromMembers(committeeSize: number, members: Iterable<number>): SignerSet;
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
  /** As {@link Committee.verifyRaw}, off this thread. */
  verifyRawAsync(
    message: Uint8Array,
    signers: SignerSet,
    proof: Uint8Array,
    options?: AsyncOptions,
  ): Promise<bigint>;
  /** A statement in this committee's epoch. `digest` has 32 bytes. */
  statement(kind: number, view: bigint, digest: Uint8Array): Statement;
  /** Whether both have the same id. */
  equals(other: Committee): boolean;
  toString(): string;
}
