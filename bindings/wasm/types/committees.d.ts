/** Committees: the members that may sign, and their weights. */

import type { QuorateError } from './errors.js';
import type { ChainId, CommitteeId } from './ids.js';
import type { PublicKey, VerifiedKey } from './keys.js';
import type { Statement } from './statements.js';
import type { Suite } from './suites.js';
import type { Ciphersuite } from '../generated/ciphersuite.js';

/** A set of members of a committee of `committeeSize`. Iteration is in ascending order. */
export class SignerSet implements Iterable<number> {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** The set of these members, each listed once, or the empty set. @throws as {@link SignerSet.fromMembers} */
  constructor(committeeSize: number, members?: Iterable<number>);
  /** Returns the set of all members. */
  static full(committeeSize: number): SignerSet;
  /** The set of these members, each listed once. @throws {@link UnknownSignerError}, {@link DuplicateSignerError} */
  static fromMembers(committeeSize: number, members: Iterable<number>): SignerSet;
  /** Adds a member: changes this set. Returns false if it is in the set already, or not in the committee. */
  insert(member: number): boolean;
  contains(member: number): boolean;
  /** Number of members in the set. */
  readonly size: number;
  /** Size of the committee. */
  readonly committeeSize: number;
  [Symbol.iterator](): IterableIterator<number>;
  /** Returns all members that are not in the set. */
  complement(): SignerSet;
  /** Members of both sets. */
  intersection(other: SignerSet): SignerSet;
  /** Members of either set; members outside this committee are dropped. */
  union(other: SignerSet): SignerSet;
  isDisjoint(other: SignerSet): boolean;
  equals(other: SignerSet): boolean;
  /** `SignerSet([0, 2] of 4)` */
  toString(): string;
  toJSON(): number[];
}

/** Signers as other chains encode them: exactly one of the three forms. */
export type RawSigners =
  /** Member indices in any order, without duplicates. */
  | { readonly indices: Iterable<number>; readonly lsbFirst?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte. */
  | { readonly lsbFirst: Uint8Array; readonly indices?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte. */
  | { readonly msbFirst: Uint8Array; readonly indices?: undefined; readonly lsbFirst?: undefined };

/** A proof over a message, for {@link Committee.verifyRawBatch}. */
export type RawProof = readonly [message: Uint8Array, signers: SignerSet, proof: Uint8Array];

/** The members of one epoch of one chain, in order, with weights. Create it once per epoch, then share it. */
export class Committee {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * A committee of members whose proofs of possession were verified. Cost: one addition per member.
   *
   * @param epoch - the committee's epoch, a u64
   * @param members - pairs of key and weight (a u128 above zero)
   * @throws {@link BadCommitteeError}, {@link RelatedKeysError}, {@link InfinityError}, {@link WrongContextError} for
   * members of two suites
   */
  constructor(chain: ChainId, epoch: bigint, members: Iterable<readonly [VerifiedKey, bigint]>);
  /**
   * Creates a committee whose proofs of possession **were verified elsewhere**, as a chain does when a validator
   * registers. The owner of a single unproven key can forge signatures in the name of all members.
   *
   * @param options - `allowRepeats` accepts repeated keys, as in Ethereum's sync committees
   */
  static fromAttested(
    chain: ChainId,
    epoch: bigint,
    members: Iterable<readonly [PublicKey, bigint]>,
    options?: { readonly allowRepeats?: boolean | undefined },
  ): Committee;
  readonly suite: Suite;
  /** Identifier that every signed statement contains, which prevents replay in another context. */
  readonly id: CommitteeId;
  readonly chain: ChainId;
  readonly epoch: bigint;
  /** Number of members: 1 to {@link MAX_MEMBERS}. */
  readonly size: number;
  readonly totalWeight: bigint;
  /** The smallest weight above two thirds of the total. */
  readonly quorumWeight: bigint;
  /** The smallest weight above one third of the total: signers of this weight include at least one honest member. */
  readonly honestWeight: bigint;
  /** Returns a member's weight. */
  weight(member: number): bigint | undefined;
  /** Returns a member's key. */
  key(member: number): PublicKey | undefined;
  /** Returns all keys, in the order of the members. */
  keys(): PublicKey[];
  /** Index of the member with this key; the first one if the key is repeated. */
  position(key: PublicKey): number | undefined;
  /** Weight of a set; indices outside the committee weigh nothing. */
  weightOf(signers: SignerSet): bigint;
  /** Returns true if the set weighs at least {@link Committee.quorumWeight}. */
  hasQuorum(signers: SignerSet): boolean;
  /** @throws {@link BelowQuorumError} with the missing weight, unless the set has a quorum */
  requireQuorum(signers: SignerSet): void;
  /**
   * Reads a signer set of this committee.
   *
   * @throws {@link UnknownSignerError}, {@link DuplicateSignerError}, {@link MalformedError} for a bitmap of another
   * length, {@link NonCanonicalError} for one whose padding is not zero
   */
  signerSet(signers: RawSigners): SignerSet;
  /**
   * Returns a committee of the same members, who sign the messages of another chain under this ciphersuite instead of the
   * default, proof of possession. This committee stays usable. Votes and certificates verify as before, and the id is the
   * same. Cost: a copy of the keys.
   *
   * @throws {@link WrongContextError} for another ciphersuite than the default, unless the suite is `MinSig` or `MinPk`
   */
  withCiphersuite(ciphersuite: Ciphersuite): Committee;
  /**
   * Verifies that `signers` signed exactly the bytes of `message`, for chains with their own framing. Cost (BLS): two
   * pairings, a hash to the curve, a subgroup check, and additions of at most half the committee; with message
   * augmentation a hash and a pairing per signer. Cost (Ed25519): one multiscalar multiplication of two points per
   * signer; for a bad proof also one verification per signer.
   *
   * @param proof - one aggregate signature, or one Ed25519 signature per signer in ascending order
   * @returns the signers' weight: **compare it with your threshold**
   * @throws {@link BelowQuorumError} for an empty set, {@link WrongContextError} for a set of another committee size,
   * {@link BadSignatureError}, which names the members for an Ed25519 proof; {@link MalformedError} and other decoding
   * errors of the proof
   */
  verifyRaw(message: Uint8Array, signers: SignerSet, proof: Uint8Array): bigint;
  /**
   * Verifies that each member signed its own message, as in a commit of CometBFT, where each vote has its own time. Cost
   * (BLS): a hash to the curve and a pairing per member, one more pairing and a subgroup check. Cost (Ed25519): as
   * {@link Committee.verifyRaw}.
   *
   * @param signed - pairs of member and message, ascending by member
   * @param proof - as for {@link Committee.verifyRaw}
   * @returns the members' weight: **compare it with your threshold**
   * @throws {@link UnknownSignerError}; {@link DuplicateSignerError}, also for members that are not ascending;
   * {@link BelowQuorumError} without members; the errors of {@link Committee.verifyRaw}
   */
  verifyRawEach(signed: Iterable<readonly [member: number, message: Uint8Array]>, proof: Uint8Array): bigint;
  /**
   * Verifies several proofs, each over its own message, by a random linear combination; bisection finds the bad ones.
   * Cost (BLS): per proof a hash to the curve, a subgroup check and two short multiplications; one pairing per distinct
   * signer set, and one more.
   *
   * @returns for each, in input order, the signers' weight, or the error that {@link Committee.verifyRaw} would throw
   */
  verifyRawBatch(items: Iterable<RawProof>): (bigint | QuorateError)[];
  /** Creates a statement in this committee's epoch. `digest` has 32 bytes. */
  statement(kind: number, view: bigint, digest: Uint8Array): Statement;
  /** Returns true if both have the same id. */
  equals(other: Committee): boolean;
  toString(): string;
}
