/** Signing without contradictions: a durable record of each signature. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { Committee } from './committee.js';
import { Handle, TOKEN, isOpen, named, open, opener, type Raw, take, wrap, wrapAll } from './handle.js';
import { ChainId } from './ids.js';
import { SecretKey } from './keys.js';
import { PublicKey } from './public-key.js';
import { Statement } from './statement.js';
import { Suite } from './suites.js';
import { TimeoutVote } from './timeouts.js';
import { Vote } from './votes.js';

/**
 * A secret key that never signs contradicting statements: per kind, the pair (epoch, view) strictly increases, or it
 * repeats with the identical statement. Make each record durable **before** its vote leaves.
 */
export class Guard extends Handle {
  declare private readonly brand: never;
  /**
   * The guard of a key that has **never signed on this chain**. Takes ownership of the secret: `secret` is closed
   * afterwards.
   */
  constructor(secret: SecretKey, chain: ChainId) {
    const place = open(chain, ChainId, 'chain');
    super(TOKEN, native.guardNew(take(secret, SecretKey, 'secret'), place));
  }
  /**
   * Returns the guard of a key that may have signed before, from all durable records, in any order. Takes ownership of
   * the secret, even if it fails.
   *
   * @throws {@link WrongContextError} for a record of another key, chain or suite; {@link ContradictionError} if two
   * records contradict each other
   */
  static restore(secret: SecretKey, chain: ChainId, records: Iterable<GuardRecord>): Guard {
    open(chain, ChainId, 'chain');
    const key = take(secret, SecretKey, 'secret');
    let parts: [Raw, Raw[]];
    try {
      const all = check.list(records, 'records', opener(GuardRecord));
      parts = [open(chain, ChainId, 'chain'), all];
    } catch (error) {
      native.handleFree(key); // In any case: signing without the records is unsafe.
      throw error;
    }
    return wrap(Guard, native.guardRestore(key, ...parts));
  }
  /**
   * Signs a statement, unless it contradicts an earlier one. **Make the record durable before the vote leaves.** The
   * same statement again gives the same vote and record.
   *
   * @throws {@link ContradictionError}, {@link WrongContextError}; then nothing is signed or recorded
   */
  sign(committee: Committee, statement: Statement): { readonly vote: Vote; readonly record: GuardRecord } {
    const parts = [open(committee, Committee, 'committee'), open(statement, Statement, 'statement')];
    const { vote, record } = native.guardSign(open(this, Guard), ...parts);
    return { vote: wrap(Vote, vote), record: wrap(GuardRecord, record) };
  }
  /** Signs a timeout vote under the same rule: one value per view of a kind. */
  signTimeout(
    committee: Committee,
    kind: number,
    view: bigint,
    value: bigint,
  ): { readonly vote: TimeoutVote; readonly record: GuardRecord } {
    const parts = [open(committee, Committee, 'committee'), check.u8(kind, 'kind'), check.u64(view, 'view'), check.u64(value, 'value')];
    const { vote, record } = native.guardSignTimeout(open(this, Guard), ...parts);
    return { vote: wrap(TimeoutVote, vote), record: wrap(GuardRecord, record) };
  }
  /**
   * Reserves the block of 1,024 presignatures that contains `index`. Once its record is durable and confirmed, signing
   * with one of them needs no further record. After a crash the whole block is burnt.
   *
   * @param key - the identifier of the threshold key: 32 bytes
   * @throws {@link ExhaustedError} if the block is burnt, or its epoch is closed
   */
  reserve(key: Uint8Array, epoch: bigint, index: number): GuardRecord {
    const parts = [check.bytes(key, 'key'), check.u64(epoch, 'epoch'), check.u32(index, 'index')];
    return wrap(GuardRecord, native.guardReserve(open(this, Guard), ...parts));
  }
  /** Confirms that the record of a reservation is durable. @throws {@link WrongContextError} for another record */
  confirm(reservation: GuardRecord): void {
    native.guardConfirm(open(this, Guard), open(reservation, GuardRecord, 'reservation'));
  }
  /**
   * Closes an epoch of a threshold key and all earlier ones: their remaining presignatures never sign. Make the record
   * durable.
   */
  closeEpoch(key: Uint8Array, epoch: bigint): GuardRecord {
    const parts = [check.bytes(key, 'key'), check.u64(epoch, 'epoch')];
    return wrap(GuardRecord, native.guardCloseEpoch(open(this, Guard), ...parts));
  }
  publicKey(): PublicKey {
    return wrap(PublicKey, native.guardPublicKey(open(this, Guard)));
  }
  get suite(): Suite {
    return native.guardSuite(open(this, Guard));
  }
  get chain(): ChainId {
    return wrap(ChainId, native.guardChain(open(this, Guard)));
  }
  /** Epoch and view of the last statement of a kind. */
  last(kind: number): { readonly epoch: bigint; readonly view: bigint } | undefined {
    return native.guardLast(open(this, Guard), check.u8(kind, 'kind')) ?? undefined;
  }
  /**
   * Returns the last record of each kind, and the spent presignatures of open epochs: all that a compacted log must
   * contain.
   */
  records(): GuardRecord[] {
    return wrapAll(GuardRecord, native.guardRecords(open(this, Guard)));
  }
  /** Overwrites the key. Closing twice does nothing. */
  close(): void {
    if (isOpen(this, Guard)) this.free();
  }
  get closed(): boolean {
    return !isOpen(this, Guard);
  }
  /** Without the secret. */
  toString(): string {
    return this.closed ? 'Guard(closed)' : `Guard(${this.suite}, public key ${this.publicKey()}, chain ${this.chain})`;
  }
  toJSON(): string {
    return this.toString();
  }
}

/** Record of the last statement of one kind: 81 bytes. */
export class GuardRecord extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  static decode(bytes: Uint8Array): GuardRecord {
    return wrap(GuardRecord, native.guardRecordDecode(check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.guardRecordEncode(open(this, GuardRecord));
  }
  get kind(): number {
    return native.guardRecordKind(open(this, GuardRecord));
  }
  get epoch(): bigint {
    return native.guardRecordEpoch(open(this, GuardRecord));
  }
  get view(): bigint {
    return native.guardRecordView(open(this, GuardRecord));
  }
  equals(other: GuardRecord): boolean {
    return native.guardRecordEquals(open(this, GuardRecord), open(other, GuardRecord, 'other'));
  }
  toString(): string {
    return `GuardRecord(kind ${this.kind}, epoch ${this.epoch}, view ${this.view})`;
  }
}

named({ Guard, GuardRecord });
