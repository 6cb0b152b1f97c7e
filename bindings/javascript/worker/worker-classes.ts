// The page's side of a Worker: bytes are sent to it, and results return as promises. The WebAssembly module is not
// loaded here.

import {
  boolean, bytes, list, optional, options, pair, string, suite, triple, u128, u16, u32, u64, type Check,
} from '../common/check.js';
import { type QuorateError, addText, closed, make, tooLarge } from '../common/errors.js';
import { hex } from '../common/hex.js';
import { shown } from '../common/shown.js';
import { type AbortSignalLike, signalOf } from '../common/signal.js';
import type { RawSigners } from './forms.js';
import type { Statement } from './statement.js';
import type { Suite as SuiteName } from './suites.js';
import type { TimeoutCertificate, TimeoutVote } from './timeouts.js';
import type { Vote } from './votes.js';

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignalLike | undefined;
}

/** A chain: its name, or the 32 bytes of its id. */
export type Chain = string | Uint8Array;

/** The signed statement. */
export interface StatementData extends Pick<Statement, 'kind' | 'epoch' | 'view' | 'digest'> {}

/** What was verified, and against which committee. */
export interface Checked {
  readonly suite: SuiteName;
  /** The id of the committee that it was verified against. */
  readonly committee: Uint8Array;
}

/** A verified certificate. */
export interface CertificateData extends Checked {
  readonly statement: StatementData;
  /** Ascending. */
  readonly signers: readonly number[];
}

/** A verified vote. */
export interface VoteData extends Checked, Pick<Vote, 'signer'> {
  readonly statement: StatementData;
}

/** A verified timeout vote. */
export interface TimeoutVoteData extends Checked, Pick<TimeoutVote, 'kind' | 'epoch' | 'view' | 'value' | 'signer'> {}

/** A verified timeout certificate. */
export interface TimeoutCertificateData
  extends Checked, Pick<TimeoutCertificate, 'kind' | 'epoch' | 'view' | 'highestValue'> {
  /** Ascending. */
  readonly signers: readonly number[];
}

/** Verified evidence. */
export interface EvidenceData extends Checked {
  /** The members at fault, ascending. */
  readonly culprits: readonly number[];
}

/** Argument of the constructors, which only this package can call. */
export const TOKEN: unique symbol = Symbol('quorate');

/** The calls to a Worker. */
export interface Calls {
  readonly ended: boolean;
  call(operation: string, given: unknown[], signal?: AbortSignalLike, discard?: (answer: any) => void): Promise<any>;
  end(): void;
}

/** Maximum number of members of a committee: 65,535. */
export const MAX_MEMBERS = 65_535;
const MAX_BATCH = 65_536;

/** Recreates an error from the other thread's description. */
export function recreatedError({ code, name, message, culprits, details }: any): Error {
  if (code !== undefined) {
    const error = make(code, message, culprits);
    for (const [field, value] of Object.entries(details)) {
      (error.details as Record<string, unknown>)[field] = Array.isArray(value) ? Object.freeze(value) : value;
    }
    return error;
  }
  const known: Record<string, ErrorConstructor> = { TypeError, RangeError };
  return new (known[name] ?? Error)(message);
}

/** A copy of the caller's bytes: later changes or transfers have no effect. */
const copied: Check<Uint8Array> = (value, what) => new Uint8Array(bytes(value, what));
/** A list that is rejected by its length before its items are read. */
function listOf<T>(values: unknown, what: string, check: Check<T>, limit: number): T[] {
  const all = list(values, what, check, limit);
  if (all.length > limit) throw tooLarge(what, limit);
  return all;
}
const batchOf = (values: unknown, what: string) => listOf(values, what, copied, MAX_BATCH);
const verdict = (one: any) => (one.error ? recreatedError(one.error) : one.value);

/** A chain's id, or the name that it is derived from. */
function chainOf(value: unknown): Chain {
  if (typeof value === 'string') return string(value, 'chain');
  const id = copied(value, 'chain');
  if (id.length === 32) return id;
  const error = make('MALFORMED', 'chain: a ChainId has 32 bytes; a name is given as a string', []);
  addText(error, 'what', 'ChainId');
  throw error;
}

const membersOf = (members: unknown) =>
  listOf(members, 'members', (value, what) => pair(value, what, copied, u128), MAX_MEMBERS);

function signersOf(signers: any, what = 'signers') {
  if (signers === undefined) throw new TypeError(`${what} must be an object, not undefined`);
  const { indices, lsbFirst, msbFirst } = options(signers, what);
  if ([indices, lsbFirst, msbFirst].filter((form) => form !== undefined).length !== 1) {
    throw new TypeError(`${what} must have exactly one of indices, lsbFirst and msbFirst`);
  }
  if (lsbFirst !== undefined) return { lsbFirst: copied(lsbFirst, 'lsbFirst') };
  if (msbFirst !== undefined) return { msbFirst: copied(msbFirst, 'msbFirst') };
  return { indices: list(indices, 'indices', u32, MAX_MEMBERS) };
}

/** Members with their messages; the core reports the member that is repeated or unknown. */
const signedOf = (signed: unknown, size: number) =>
  list(signed, 'signed', (value, what) => pair(value, what, u16, copied), size);
const proofsOf = (items: unknown) =>
  listOf(items, 'items', (item, what) => triple(item, what, copied, signersOf, copied), MAX_BATCH);

function constructed(token: unknown, target: Function): void {
  if (token !== TOKEN) throw new TypeError(`${target.name} cannot be constructed; use startWorker`);
}

/** Releases committees in the Worker that are no longer reachable here. */
const releaseRegistry = new FinalizationRegistry<{ calls: Calls; id: number }>(({ calls, id }) => release(calls, id));
const release = (calls: Calls, id: number) => {
  // If the Worker has ended, so have its committees.
  if (!calls.ended) calls.call('release', [id]).catch(() => {});
};

type About = Pick<
  CertificateWorkerCommittee,
  'suite' | 'epoch' | 'size' | 'totalWeight' | 'quorumWeight' | 'honestWeight'
> & { readonly id: number; readonly committee: Uint8Array };

let ask: (
  committee: CertificateWorkerCommittee,
  operation: string,
  given: unknown[],
  options?: CallOptions,
  discard?: (answer: any) => void,
) => Promise<any>;
let derive: (
  committee: CertificateWorkerCommittee,
  ciphersuite: Uint8Array,
  options?: CallOptions,
) => Promise<WorkerCommittee>;
/** Creates a committee, of the class of each build. */
let small: (calls: Calls, about: About) => CertificateWorkerCommittee;
let large: (calls: Calls, about: About) => WorkerCommittee;
/** Decodes and verifies one object. */
const checked = (committee: CertificateWorkerCommittee, operation: string, data: Uint8Array, given?: CallOptions) =>
  ask(committee, operation, [copied(data, 'bytes')], given);

/** A committee in a Worker that runs the small build. */
export class CertificateWorkerCommittee {
  readonly #calls: Calls;
  #id: number | undefined;
  readonly #about: About;

  protected constructor(token: typeof TOKEN, calls: Calls, about: About) {
    constructed(token, new.target);
    this.#calls = calls;
    this.#id = about.id;
    this.#about = about;
    releaseRegistry.register(this, { calls, id: about.id }, this);
  }

  static {
    ask = (committee, operation, given, options, discard) => {
      if (typeof committee !== 'object' || committee === null || !(#id in committee)) {
        throw new TypeError(`this must be a WorkerCommittee, not ${shown(committee)}`);
      }
      const signal = signalOf(options);
      if (committee.#id === undefined) throw closed('WorkerCommittee');
      return committee.#calls.call(operation, [committee.#id, ...given], signal, discard);
    };
    derive = async (committee, ciphersuite, options) => {
      const discard = ({ id }: About) => release(committee.#calls, id);
      const given = [copied(ciphersuite, 'ciphersuite')];
      return large(committee.#calls, await ask(committee, 'ciphersuite', given, options, discard));
    };
    small = (calls, about) => new CertificateWorkerCommittee(TOKEN, calls, about);
  }

  get suite(): SuiteName {
    return this.#about.suite;
  }
  get id(): Uint8Array {
    return this.#about.committee.slice();
  }
  get epoch(): bigint {
    return this.#about.epoch;
  }
  get size(): number {
    return this.#about.size;
  }
  get totalWeight(): bigint {
    return this.#about.totalWeight;
  }
  get quorumWeight(): bigint {
    return this.#about.quorumWeight;
  }
  get honestWeight(): bigint {
    return this.#about.honestWeight;
  }

  /** Decodes a certificate and verifies it. */
  async verifyCertificate(bytes: Uint8Array, options?: CallOptions): Promise<CertificateData> {
    return checked(this, 'certificate', bytes, options);
  }
  /** As {@link verifyCertificate}, for `Certificate.encodeDetached` and the encoding of its statement. */
  async verifyDetached(bytes: Uint8Array, statement: Uint8Array, options?: CallOptions): Promise<CertificateData> {
    return ask(this, 'detached', [copied(bytes, 'bytes'), copied(statement, 'statement')], options);
  }
  /**
   * Verifies several certificates together, which is faster than one by one, and returns for each, in input order, its
   * data or its error. At most 65,536; later calls wait until it is done.
   */
  async verifyCertificates(
    certificates: Iterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<(CertificateData | QuorateError)[]> {
    return (await ask(this, 'batch', [batchOf(certificates, 'certificates')], options)).map(verdict);
  }
  /**
   * Verifies that `signers` signed exactly the bytes of `message`, as `Committee.verifyRaw` does.
   *
   * @returns the signers' weight: **compare it with your threshold**
   */
  async verifyRaw(message: Uint8Array, signers: RawSigners, proof: Uint8Array, options?: CallOptions): Promise<bigint> {
    return ask(this, 'raw', [copied(message, 'message'), signersOf(signers), copied(proof, 'proof')], options);
  }

  /** Releases it in the Worker; after that every use rejects with {@link ClosedError}. Further calls do nothing. */
  free(): void {
    if (this.#id === undefined) return;
    releaseRegistry.unregister(this);
    release(this.#calls, this.#id);
    this.#id = undefined;
  }
  toString(): string {
    return `${this.constructor.name}(${this.suite}, epoch ${this.epoch}, ${this.size} members, ${hex(this.id)})`;
  }
}

/** A committee in a Worker. */
export class WorkerCommittee extends CertificateWorkerCommittee {
  static {
    large = (calls, about) => new WorkerCommittee(TOKEN, calls, about);
  }

  /**
   * Verifies that each member signed its own message, as `Committee.verifyRawEach` does.
   *
   * @param signed - pairs of member and message, ascending by member
   * @returns the members' weight: **compare it with your threshold**
   */
  async verifyRawEach(
    signed: Iterable<readonly [member: number, message: Uint8Array]>,
    proof: Uint8Array,
    options?: CallOptions,
  ): Promise<bigint> {
    return ask(this, 'rawEach', [signedOf(signed, this.size), copied(proof, 'proof')], options);
  }
  /**
   * Verifies several proofs, each over its own message, as `Committee.verifyRawBatch` does, and returns for each, in
   * input order, the signers' weight or its error. At most 65,536; later calls wait until it is done.
   */
  async verifyRawBatch(
    items: Iterable<readonly [message: Uint8Array, signers: RawSigners, proof: Uint8Array]>,
    options?: CallOptions,
  ): Promise<(bigint | QuorateError)[]> {
    return (await ask(this, 'rawBatch', [proofsOf(items)], options)).map(verdict);
  }
  /**
   * Creates a committee of the same members, who sign the messages of another chain under another ciphersuite, as
   * `Committee.withCiphersuite` does. This committee stays usable.
   *
   * @param ciphersuite - the encoding of a `Ciphersuite`: one byte, 0 for the basic scheme, 1 for message augmentation, 2
   * for proof of possession; or 3, the length of a custom tag in one byte, and the tag
   */
  async withCiphersuite(ciphersuite: Uint8Array, options?: CallOptions): Promise<WorkerCommittee> {
    return derive(this, ciphersuite, options);
  }
  /** Decodes a timeout certificate and verifies it. */
  async verifyTimeoutCertificate(bytes: Uint8Array, options?: CallOptions): Promise<TimeoutCertificateData> {
    return checked(this, 'timeoutCertificate', bytes, options);
  }
  /** Decodes a vote of this committee's suite and verifies it. */
  async verifyVote(bytes: Uint8Array, options?: CallOptions): Promise<VoteData> {
    return checked(this, 'vote', bytes, options);
  }
  /** Decodes a timeout vote of this committee's suite and verifies it. */
  async verifyTimeoutVote(bytes: Uint8Array, options?: CallOptions): Promise<TimeoutVoteData> {
    return checked(this, 'timeoutVote', bytes, options);
  }
  /** Decodes an equivocation and verifies it. */
  async verifyEquivocation(bytes: Uint8Array, options?: CallOptions): Promise<EvidenceData> {
    return checked(this, 'equivocation', bytes, options);
  }
  /** Decodes a conflict of two certificates and verifies it. */
  async verifyConflict(bytes: Uint8Array, options?: CallOptions): Promise<EvidenceData> {
    return checked(this, 'conflict', bytes, options);
  }
}

/** Encodings of public keys, or of `UnverifiedKey`s, with their weights. */
type Members = Iterable<readonly [key: Uint8Array, weight: bigint]>;
/** Options of a committee whose keys were verified by a trusted party. */
type AttestedOptions = CallOptions & { readonly allowRepeats?: boolean | undefined };

let callsOf: (worker: CertificateWorker) => Calls;

/** A Worker that runs the small build. */
export class CertificateWorker {
  readonly #calls: Calls;

  protected constructor(token: typeof TOKEN, calls: Calls) {
    constructed(token, new.target);
    this.#calls = calls;
  }

  static {
    callsOf = (worker) => {
      if (typeof worker !== 'object' || worker === null || !(#calls in worker)) {
        throw new TypeError(`this must be a QuorateWorker, not ${shown(worker)}`);
      }
      return worker.#calls;
    };
  }

  /**
   * Creates a committee of keys whose proofs of possession were verified by a trusted party, as
   * `Committee.fromAttested` does.
   *
   * @param members - encodings of public keys with their weights
   */
  async committeeFromAttested(
    suite: SuiteName,
    chain: Chain,
    epoch: bigint,
    members: Members,
    options?: AttestedOptions,
  ): Promise<CertificateWorkerCommittee> {
    return attested(this, small, suite, chain, epoch, members, options);
  }

  /**
   * Ends the Worker at once, whatever it is doing. Pending and later calls reject with {@link ClosedError}. Further
   * calls do nothing.
   */
  terminate(): void {
    callsOf(this).end();
  }
  get terminated(): boolean {
    return callsOf(this).ended;
  }
}

/** A Worker. */
export class QuorateWorker extends CertificateWorker {
  override async committeeFromAttested(
    suite: SuiteName,
    chain: Chain,
    epoch: bigint,
    members: Members,
    options?: AttestedOptions,
  ): Promise<WorkerCommittee> {
    return attested(this, large, suite, chain, epoch, members, options);
  }
  /**
   * Creates a committee and verifies the proof of possession of every key.
   *
   * @param members - encodings of `UnverifiedKey`s with their weights
   */
  async committee(
    scheme: SuiteName,
    chain: Chain,
    epoch: bigint,
    members: Members,
    options?: CallOptions,
  ): Promise<WorkerCommittee> {
    const wanted = [suite(scheme), chainOf(chain), u64(epoch, 'epoch'), membersOf(members)];
    return created(this, large, 'committee', wanted, options);
  }
  /**
   * Verifies the proofs of possession of several keys, and returns for each, in input order, the encoding of the public
   * key, or the error.
   *
   * @param keys - encodings of `UnverifiedKey`s; at most 65,536
   */
  async verifyKeys(
    scheme: SuiteName,
    keys: Iterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<(Uint8Array | QuorateError)[]> {
    const wanted = [suite(scheme), batchOf(keys, 'keys')];
    return (await callsOf(this).call('keys', wanted, signalOf(options))).map(verdict);
  }
}

function attested<T>(
  worker: CertificateWorker,
  create: (calls: Calls, about: About) => T,
  scheme: SuiteName,
  chain: Chain,
  epoch: bigint,
  members: Members,
  given?: AttestedOptions,
): Promise<T> {
  const repeats = optional(boolean)(options(given).allowRepeats, 'options.allowRepeats') ?? false;
  const wanted = [suite(scheme), chainOf(chain), u64(epoch, 'epoch'), membersOf(members), repeats];
  return created(worker, create, 'attested', wanted, given);
}

async function created<T>(
  worker: CertificateWorker,
  create: (calls: Calls, about: About) => T,
  operation: string,
  wanted: unknown[],
  given?: CallOptions,
): Promise<T> {
  const calls = callsOf(worker);
  return create(calls, await calls.call(operation, wanted, signalOf(given), ({ id }) => release(calls, id)));
}

export interface CertificateWorkerCommittee {
  /** As {@link CertificateWorkerCommittee.free}: at the end of a `using` block. */
  [Symbol.dispose](): void;
}
export interface CertificateWorker {
  /** As {@link CertificateWorker.terminate}: at the end of a `using` block. */
  [Symbol.dispose](): void;
}
const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
const ends = [[CertificateWorkerCommittee, 'free'], [CertificateWorker, 'terminate']] as const;
for (const [{ prototype }, end] of ends) {
  Object.defineProperty(prototype, dispose, { value(this: any) { this[end](); } });
}
// Bundlers may rename classes; the public names must stay.
const classes = { CertificateWorkerCommittee, WorkerCommittee, CertificateWorker, QuorateWorker };
for (const [name, Class] of Object.entries(classes)) {
  Object.defineProperty(Class, 'name', { value: name });
}
