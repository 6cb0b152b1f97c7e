// The page's side of a Worker: bytes are sent to it, and results return as promises. The WebAssembly module is not
// loaded here.

import { recreatedError } from './calls.js';
import { boolean, bytes, list, optional, options, pair, string, suite, triple, u128, u16, u32, u64 } from '../dist/common/check.js';
import { addText, closed, make, tooLarge } from '../dist/common/errors.js';
import { hex } from '../dist/common/hex.js';
import { shown } from '../dist/common/shown.js';

/** Maximum number of members of a committee: 65,535. */
export const MAX_MEMBERS = 65_535;

/** Argument of the constructors, which only this package can call. */
export const TOKEN = Symbol('quorate');

const MAX_BATCH = 65_536;

/** A copy of the caller's bytes: later changes or transfers have no effect. */
const copied = (value, what) => new Uint8Array(bytes(value, what));
/** A list that is rejected by its length before its items are read. */
function listOf(values, what, check, limit) {
  const all = list(values, what, check, limit);
  if (all.length > limit) throw tooLarge(what, limit);
  return all;
}
const batchOf = (values, what) => listOf(values, what, copied, MAX_BATCH);
const verdict = (one) => (one.error ? recreatedError(one.error) : one.value);

export function signalOf(given) {
  const { signal } = options(given);
  if (signal === undefined) return undefined;
  const fits =
    typeof signal === 'object' &&
    signal !== null &&
    typeof signal.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function';
  if (!fits) throw new TypeError(`options.signal must be an AbortSignal, not ${shown(signal)}`);
  return signal;
}

/** A chain's id, or the name that it is derived from. */
function chainOf(value) {
  if (typeof value === 'string') return string(value, 'chain');
  const id = copied(value, 'chain');
  if (id.length === 32) return id;
  const error = make('MALFORMED', 'chain: a ChainId has 32 bytes; a name is given as a string', []);
  addText(error, 'what', 'ChainId');
  throw error;
}

const membersOf = (members) =>
  listOf(members, 'members', (value, what) => pair(value, what, copied, u128), MAX_MEMBERS);

function signersOf(signers, what = 'signers') {
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
const signedOf = (signed, size) => list(signed, 'signed', (value, what) => pair(value, what, u16, copied), size);
const proofsOf = (items) =>
  listOf(items, 'items', (item, what) => triple(item, what, copied, signersOf, copied), MAX_BATCH);

function constructed(token, Class) {
  if (token !== TOKEN) throw new TypeError(`${Class.name} cannot be constructed; use startWorker`);
}

/** Releases committees in the Worker that are no longer reachable here. */
const releaseRegistry = new FinalizationRegistry(({ calls, id }) => release(calls, id));
const release = (calls, id) => {
  // If the Worker has ended, so have its committees.
  if (!calls.ended) calls.call('release', [id]).catch(() => {});
};

let ask;
let derive;

export class CertificateWorkerCommittee {
  #calls;
  #id;
  #about;

  constructor(token, calls, made) {
    constructed(token, new.target);
    const { id, ...about } = made;
    this.#calls = calls;
    this.#id = id;
    this.#about = about;
    releaseRegistry.register(this, { calls, id }, this);
  }

  static {
    ask = (committee, operation, given, signal, discard) => {
      if (typeof committee !== 'object' || committee === null || !(#id in committee)) {
        throw new TypeError(`this must be a WorkerCommittee, not ${shown(committee)}`);
      }
      if (committee.#id === undefined) throw closed('WorkerCommittee');
      return committee.#calls.call(operation, [committee.#id, ...given], signal, discard);
    };
    derive = async (committee, operation, given, signal) => {
      const discard = ({ id }) => release(committee.#calls, id);
      const about = await ask(committee, operation, given, signal, discard);
      return new WorkerCommittee(TOKEN, committee.#calls, about);
    };
  }

  get suite() {
    return this.#about.suite;
  }
  get id() {
    return this.#about.committee.slice();
  }
  get epoch() {
    return this.#about.epoch;
  }
  get size() {
    return this.#about.size;
  }
  get totalWeight() {
    return this.#about.totalWeight;
  }
  get quorumWeight() {
    return this.#about.quorumWeight;
  }
  get honestWeight() {
    return this.#about.honestWeight;
  }

  async verifyCertificate(data, given) {
    return ask(this, 'certificate', [copied(data, 'bytes')], signalOf(given));
  }
  async verifyDetached(data, statement, given) {
    return ask(this, 'detached', [copied(data, 'bytes'), copied(statement, 'statement')], signalOf(given));
  }
  async verifyCertificates(certificates, given) {
    const all = batchOf(certificates, 'certificates');
    return (await ask(this, 'batch', [all], signalOf(given))).map(verdict);
  }
  async verifyRaw(message, signers, proof, given) {
    const raw = [copied(message, 'message'), signersOf(signers), copied(proof, 'proof')];
    return ask(this, 'raw', raw, signalOf(given));
  }

  free() {
    if (this.#id === undefined) return;
    releaseRegistry.unregister(this);
    release(this.#calls, this.#id);
    this.#id = undefined;
  }
  toString() {
    return `${this.constructor.name}(${this.suite}, epoch ${this.epoch}, ${this.size} members, ${hex(this.id)})`;
  }
}

export class WorkerCommittee extends CertificateWorkerCommittee {
  async withCiphersuite(ciphersuite, given) {
    return derive(this, 'ciphersuite', [copied(ciphersuite, 'ciphersuite')], signalOf(given));
  }
  async verifyRawEach(signed, proof, given) {
    return ask(this, 'rawEach', [signedOf(signed, this.size), copied(proof, 'proof')], signalOf(given));
  }
  async verifyRawBatch(items, given) {
    return (await ask(this, 'rawBatch', [proofsOf(items)], signalOf(given))).map(verdict);
  }
  async verifyTimeoutCertificate(data, given) {
    return ask(this, 'timeoutCertificate', [copied(data, 'bytes')], signalOf(given));
  }
  async verifyVote(data, given) {
    return ask(this, 'vote', [copied(data, 'bytes')], signalOf(given));
  }
  async verifyTimeoutVote(data, given) {
    return ask(this, 'timeoutVote', [copied(data, 'bytes')], signalOf(given));
  }
  async verifyEquivocation(data, given) {
    return ask(this, 'equivocation', [copied(data, 'bytes')], signalOf(given));
  }
  async verifyConflict(data, given) {
    return ask(this, 'conflict', [copied(data, 'bytes')], signalOf(given));
  }
}

let callsOf;

export class CertificateWorker {
  #calls;

  constructor(token, calls) {
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

  async committeeFromAttested(scheme, chain, epoch, members, given) {
    const repeats = optional(boolean)(options(given).allowRepeats, 'options.allowRepeats') ?? false;
    const wanted = [suite(scheme), chainOf(chain), u64(epoch, 'epoch'), membersOf(members), repeats];
    return committee(this, 'attested', wanted, signalOf(given));
  }

  terminate() {
    callsOf(this).end();
  }
  get terminated() {
    return callsOf(this).ended;
  }
}

export class QuorateWorker extends CertificateWorker {
  async committee(scheme, chain, epoch, members, given) {
    const wanted = [suite(scheme), chainOf(chain), u64(epoch, 'epoch'), membersOf(members)];
    return committee(this, 'committee', wanted, signalOf(given));
  }
  async verifyKeys(scheme, keys, given) {
    const wanted = [suite(scheme), batchOf(keys, 'keys')];
    return (await callsOf(this).call('keys', wanted, signalOf(given))).map(verdict);
  }
}

async function committee(worker, operation, wanted, signal) {
  const calls = callsOf(worker);
  const about = await calls.call(operation, wanted, signal, ({ id }) => release(calls, id));
  const Class = worker instanceof QuorateWorker ? WorkerCommittee : CertificateWorkerCommittee;
  return new Class(TOKEN, calls, about);
}

const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
const ends = [[CertificateWorkerCommittee, 'free'], [CertificateWorker, 'terminate']];
for (const [{ prototype }, end] of ends) Object.defineProperty(prototype, dispose, { value() { this[end](); } });
// Bundlers may rename classes; the public names must stay.
for (const [name, Class] of Object.entries({ CertificateWorkerCommittee, WorkerCommittee, CertificateWorker, QuorateWorker })) {
  Object.defineProperty(Class, 'name', { value: name });
}
