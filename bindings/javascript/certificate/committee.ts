/** Committees: the members that may sign, and their weights. */

import * as check from '../common/check.js';
import { MAX_MEMBERS } from '../common/constants.js';
import { native } from './backend.js';
import { type Class, Handle, named, open, opener, type Raw, TOKEN, wrap, wrapAll } from './handle.js';
import { ChainId, CommitteeId } from './ids.js';
import { PublicKey } from './public-key.js';
import { SignerSet } from './signers.js';
import { Statement } from './statement.js';
import { Suite } from './suites.js';
import { VerifiedKey } from './verified-key.js';

/** Signers as other chains encode them: exactly one of the three forms. */
export type RawSigners =
  /** Member indices in any order, without duplicates. */
  | { readonly indices: Iterable<number>; readonly lsbFirst?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte. */
  | { readonly lsbFirst: Uint8Array; readonly indices?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte. */
  | { readonly msbFirst: Uint8Array; readonly indices?: undefined; readonly lsbFirst?: undefined };

/** The members of one epoch of one chain, in order, with weights. Create it once per epoch, then share it. */
export class Committee extends Handle {
  declare private readonly brand: never;
  /**
   * A committee of members whose proofs of possession were verified. Cost: one addition per member.
   *
   * @param epoch - the committee's epoch, a u64
   * @param members - pairs of key and weight (a u128 above zero)
   * @throws {@link BadCommitteeError}, {@link RelatedKeysError}, {@link InfinityError}, {@link WrongContextError} for
   * members of two suites
   */
  constructor(chain: ChainId, epoch: bigint, members: Iterable<readonly [VerifiedKey, bigint]>) {
    if (native.committeeNew === undefined) throw new TypeError('Committee cannot be constructed in this build; use Committee.fromAttested');
    open(chain, ChainId, 'chain');
    check.u64(epoch, 'epoch');
    const columns = keysAndWeights(members, VerifiedKey);
    super(TOKEN, native.committeeNew(open(chain, ChainId, 'chain'), epoch, ...columns));
  }
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
  ): Committee {
    open(chain, ChainId, 'chain');
    check.u64(epoch, 'epoch');
    const allowRepeats = check.optional(check.boolean)(check.options(options).allowRepeats, 'options.allowRepeats') ?? false;
    const columns = keysAndWeights(members, PublicKey);
    return wrap(Committee, native.committeeFromAttested(open(chain, ChainId, 'chain'), epoch, ...columns, allowRepeats));
  }
  get suite(): Suite {
    return native.committeeSuite(open(this, Committee));
  }
  /** Identifier that every signed statement contains, which prevents replay in another context. */
  get id(): CommitteeId {
    return wrap(CommitteeId, native.committeeId(open(this, Committee)));
  }
  get chain(): ChainId {
    return wrap(ChainId, native.committeeChain(open(this, Committee)));
  }
  get epoch(): bigint {
    return native.committeeEpoch(open(this, Committee));
  }
  /** Number of members: 1 to {@link MAX_MEMBERS}. */
  get size(): number {
    return native.committeeSize(open(this, Committee));
  }
  get totalWeight(): bigint {
    return native.committeeTotalWeight(open(this, Committee));
  }
  /** The smallest weight above two thirds of the total. */
  get quorumWeight(): bigint {
    return native.committeeQuorumWeight(open(this, Committee));
  }
  /** The smallest weight above one third of the total: signers of this weight include at least one honest member. */
  get honestWeight(): bigint {
    return native.committeeHonestWeight(open(this, Committee));
  }
  /** Returns a member's weight. */
  weight(member: number): bigint | undefined {
    return native.committeeWeight(open(this, Committee), check.u16(member, 'member')) ?? undefined;
  }
  /** Returns a member's key. */
  key(member: number): PublicKey | undefined {
    const key = native.committeeKey(open(this, Committee), check.u16(member, 'member')) ?? undefined;
    return key && wrap(PublicKey, key);
  }
  /** Returns all keys, in the order of the members. */
  keys(): PublicKey[] {
    return wrapAll(PublicKey, native.committeeKeys(open(this, Committee)));
  }
  /** Index of the member with this key; the first one if the key is repeated. */
  position(key: PublicKey): number | undefined {
    return native.committeePosition(open(this, Committee), open(key, PublicKey, 'key')) ?? undefined;
  }
  /** Weight of a set; indices outside the committee weigh nothing. */
  weightOf(signers: SignerSet): bigint {
    return native.committeeWeightOf(open(this, Committee), open(signers, SignerSet, 'signers'));
  }
  /** Returns true if the set weighs at least {@link Committee.quorumWeight}. */
  hasQuorum(signers: SignerSet): boolean {
    return native.committeeHasQuorum(open(this, Committee), open(signers, SignerSet, 'signers'));
  }
  /** @throws {@link BelowQuorumError} with the missing weight, unless the set has a quorum */
  requireQuorum(signers: SignerSet): void {
    native.committeeRequireQuorum(open(this, Committee), open(signers, SignerSet, 'signers'));
  }
  /**
   * Reads a signer set of this committee.
   *
   * @throws {@link UnknownSignerError}, {@link DuplicateSignerError}, {@link MalformedError} for a bitmap of another
   * length, {@link NonCanonicalError} for one whose padding is not zero
   */
  signerSet(signers: RawSigners): SignerSet {
    const handle = open(this, Committee);
    const { indices, lsbFirst, msbFirst } = check.object(signers, 'signers');
    if ([indices, lsbFirst, msbFirst].filter((form) => form !== undefined).length !== 1) {
      throw new TypeError('signers must have exactly one of indices, lsbFirst and msbFirst');
    }
    if (lsbFirst !== undefined) return wrap(SignerSet, native.committeeSignersLsbFirst(handle, check.bytes(lsbFirst, 'signers.lsbFirst')));
    if (msbFirst !== undefined) return wrap(SignerSet, native.committeeSignersMsbFirst(handle, check.bytes(msbFirst, 'signers.msbFirst')));
    // One index more than the maximum suffices: the core reports the duplicate or unknown one.
    const listed = check.list(indices, 'signers.indices', check.u32, MAX_MEMBERS);
    return wrap(SignerSet, native.committeeSignersOfIndices(handle, listed));
  }
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
  verifyRaw(message: Uint8Array, signers: SignerSet, proof: Uint8Array): bigint {
    const data = [check.bytes(message, 'message'), open(signers, SignerSet, 'signers'), check.bytes(proof, 'proof')];
    return native.committeeVerifyRaw(open(this, Committee), ...data);
  }
  /** Creates a statement in this committee's epoch. `digest` has 32 bytes. */
  statement(kind: number, view: bigint, digest: Uint8Array): Statement {
    const fields = [check.u8(kind, 'kind'), check.u64(view, 'view'), check.bytes(digest, 'digest')];
    return wrap(Statement, native.committeeStatement(open(this, Committee), ...fields));
  }
  /** Returns true if both have the same id. */
  equals(other: Committee): boolean {
    open(other, Committee, 'other');
    return this.id.equals(other.id);
  }
  toString(): string {
    return `Committee(${this.size} members of ${this.suite}, epoch ${this.epoch}, ${this.id})`;
  }
}

/**
 * Keys and weights of `[key, weight]` pairs: one more than the maximum is read, and rejected by the core. The iterator may
 * run code of the caller, so other objects are opened afterwards.
 */
function keysAndWeights(members: Iterable<readonly [unknown, bigint]>, Key: Class<unknown>): [Raw[], bigint[]] {
  const one = (member: unknown, what: string) => check.pair(member, what, opener(Key), check.u128);
  const pairs = check.list(members, 'members', one, MAX_MEMBERS);
  return [pairs.map(([key]) => key), pairs.map(([, weight]) => weight)];
}

named({ Committee });
