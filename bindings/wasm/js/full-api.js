// Everything beyond what verifies certificates. Where the module answers with an object of several parts, the part that is
// asked for last takes the object itself, so that nothing of it is left to free.

import { bytes, list, optional, options, pair, size, string, suite, boolean, u128, u16, u32, u64, u8 } from './check.js';
import { certificateApi, verified } from './certificate-api.js';
import { dsigApi } from './dsig-api.js';
import { erasureApi } from './erasure-api.js';
import { gossipApi } from './gossip-api.js';
import { Handle, TOKEN, hex, is, isOpen, name, open, same, take, wrap } from './handle.js';
import { sortitionApi } from './sortition-api.js';
import { thresholdApi } from './threshold/index.js';

export const MAX_TOTAL_WEIGHT = 1n << 125n;
export const MAX_TIMEOUT_GROUPS = 1024;
export const DEFAULT_BATCH_THRESHOLD = 2;

const equal = (Class) =>
  function equals(other) {
    open(this, Class);
    open(other, Class, 'other');
    return this.suite === other.suite && same(this.encode(), other.encode());
  };

/** Fills a list in the module; what was filled is freed if an item is refused. */
function fill(raw, values, what, check, add = (item) => raw.add(item)) {
  try {
    list(values, what, check).forEach(add);
  } catch (error) {
    raw.free();
    throw error;
  }
  return raw;
}

export function fullApi(wasm) {
  const base = certificateApi(wasm, { VerifiedKey: () => VerifiedKey });
  const { openChain, openCommitteeId } = base;
  const { ChainId, CommitteeId, PublicKey, SignerSet, Statement, Committee, Certificate, VerifiedCertificate } = base.classes;

  Object.assign(PublicKey.prototype, {
    verify(message, signature) {
      open(this, PublicKey).verify(bytes(message, 'message'), open(signature, Signature, 'signature'));
    },
    verifyPossession(possession) {
      open(this, PublicKey).verify_possession(open(possession, Signature, 'possession'));
    },
  });

  class SecretKey extends Handle {
    static generate(scheme) {
      return wrap(SecretKey, wasm().SecretKey.generate(suite(scheme)));
    }
    static fromBytes(scheme, data) {
      return wrap(SecretKey, wasm().SecretKey.from_bytes(suite(scheme), bytes(data, 'bytes')));
    }
    toBytes() {
      return open(this, SecretKey).to_bytes();
    }
    get suite() {
      return open(this, SecretKey).suite();
    }
    publicKey() {
      return wrap(PublicKey, open(this, SecretKey).public_key());
    }
    sign(message) {
      return wrap(Signature, open(this, SecretKey).sign(bytes(message, 'message')));
    }
    provePossession() {
      return wrap(Signature, open(this, SecretKey).prove_possession());
    }
    close() {
      if (isOpen(this, SecretKey)) this.free();
    }
    get closed() {
      return !isOpen(this, SecretKey);
    }
    toString() {
      return `SecretKey(${this.closed ? 'closed' : this.suite})`;
    }
    toJSON() {
      return this.toString();
    }
  }

  class Signature extends Handle {
    static decode(scheme, data) {
      return wrap(Signature, wasm().Signature.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Signature).encode();
    }
    static decodeLink(scheme, data) {
      return wrap(Signature, wasm().Signature.decode_link(suite(scheme), bytes(data, 'bytes')));
    }
    encodeLink() {
      return open(this, Signature).encode_link();
    }
    get suite() {
      return open(this, Signature).suite();
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }

  class UnverifiedKey extends Handle {
    constructor(key, possession) {
      super(TOKEN, key === TOKEN ? possession : UnverifiedKey.#of(key, possession));
    }
    static #of(key, possession) {
      return wasm().UnverifiedKey.of(open(key, PublicKey, 'publicKey'), open(possession, Signature, 'possession'));
    }
    static prove(secret) {
      return wrap(UnverifiedKey, wasm().UnverifiedKey.prove(open(secret, SecretKey, 'secret')));
    }
    static decode(scheme, data) {
      return wrap(UnverifiedKey, wasm().UnverifiedKey.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, UnverifiedKey).encode();
    }
    get suite() {
      return open(this, UnverifiedKey).suite();
    }
    get public() {
      return wrap(PublicKey, open(this, UnverifiedKey).public());
    }
    get possession() {
      return wrap(Signature, open(this, UnverifiedKey).possession());
    }
    verify() {
      return wrap(VerifiedKey, open(this, UnverifiedKey).verify());
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }

  class VerifiedKey extends Handle {
    static of(secret) {
      return wrap(VerifiedKey, wasm().VerifiedKey.of(open(secret, SecretKey, 'secret')));
    }
    get suite() {
      return open(this, VerifiedKey).suite();
    }
    get public() {
      return wrap(PublicKey, open(this, VerifiedKey).public());
    }
    equals(other) {
      open(other, VerifiedKey, 'other');
      return this.public.equals(other.public);
    }
    toString() {
      return this.public.toString();
    }
    toJSON() {
      return this.toString();
    }
  }

  /** Batches of certificates, each with its verdict. */
  function batch(committee, certificates, verify) {
    const context = open(committee, Committee, 'committee');
    const one = (certificate, what) => open(certificate, Certificate, what);
    const verdicts = verify(fill(wasm().Certificates.empty(), certificates, 'certificates', one), context);
    return verdicts.map((verdict) => {
      const error = verdict.error();
      return wrap(VerifiedCertificate, verdict.certificate()) ?? error;
    });
  }
  Object.assign(Certificate, {
    verifyBatch: (committee, certificates) => batch(committee, certificates, (all, context) => all.verify(context)),
    verifyBatchDerived: (committee, certificates) =>
      batch(committee, certificates, (all, context) => all.verify_derived(context)),
  });

  class Vote extends Handle {
    constructor(statement, signer, signature) {
      super(TOKEN, statement === TOKEN ? signer : Vote.#of(statement, signer, signature));
    }
    static #of(statement, signer, signature) {
      const raw = open(statement, Statement, 'statement');
      return wasm().Vote.of(raw, u16(signer, 'signer'), open(signature, Signature, 'signature'));
    }
    static signUnguarded(secret, committee, statement) {
      const key = open(secret, SecretKey, 'secret');
      const context = [open(committee, Committee, 'committee'), open(statement, Statement, 'statement')];
      return wrap(Vote, wasm().Vote.sign_unguarded(key, ...context));
    }
    static decode(scheme, data) {
      return wrap(Vote, wasm().Vote.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Vote).encode();
    }
    static decodeLink(scheme, data) {
      return wrap(Vote, wasm().Vote.decode_link(suite(scheme), bytes(data, 'bytes')));
    }
    encodeLink() {
      return open(this, Vote).encode_link();
    }
    get suite() {
      return open(this, Vote).suite();
    }
    get statement() {
      return wrap(Statement, open(this, Vote).statement());
    }
    get signer() {
      return open(this, Vote).signer();
    }
    get signature() {
      return wrap(Signature, open(this, Vote).signature());
    }
    verify(committee) {
      return wrap(VerifiedVote, open(this, Vote).verify(open(committee, Committee, 'committee')));
    }
    toString() {
      return `Vote(${this.suite}, signer ${this.signer}, ${this.statement})`;
    }
  }
  class VerifiedVote extends verified(() => [Vote, CommitteeId]) {}

  class Suspects extends Handle {
    constructor(token, raw) {
      super(TOKEN, token === TOKEN ? raw : wasm().Suspects.none());
    }
    contains(member) {
      return open(this, Suspects).contains(u16(member, 'member'));
    }
    get size() {
      return open(this, Suspects).members().length;
    }
    [Symbol.iterator]() {
      return Array.from(open(this, Suspects).members())[Symbol.iterator]();
    }
    accuse(member) {
      open(this, Suspects).accuse(u16(member, 'member'));
    }
    decay() {
      open(this, Suspects).decay();
    }
    toString() {
      return `Suspects([${[...this].join(', ')}])`;
    }
  }

  /** A fault as the union that users see. */
  function fault(raw) {
    const [signer, error, evidence] = [raw.signer(), raw.error(), wrap(VerifiedEquivocation, raw.evidence())];
    if (error) return { kind: 'stray', signer, error };
    if (evidence) return { kind: 'equivocation', signer, evidence };
    return { kind: 'bad-signature', signer };
  }
  const collected = (raw, Class) => ({ certificate: wrap(Class, raw.certificate()), faults: raw.faults().map(fault) });

  /** What both collectors are made of. */
  function parts(committee, kind, view, given) {
    const { batchThreshold, failureLimit } = options(given);
    return [
      open(committee, Committee, 'committee'),
      u8(kind, 'kind'),
      u64(view, 'view'),
      optional(u32)(batchThreshold, 'options.batchThreshold'),
      optional(u16)(failureLimit, 'options.failureLimit'),
    ];
  }

  /** Both collectors, but for what they collect. */
  class Collector extends Handle {
    #topic;
    #committee;
    constructor(Raw, [committee, kind, view, given]) {
      super(TOKEN, Raw.of(...parts(committee, kind, view, given)));
      this.#topic = { kind, view };
      this.#committee = wrap(Committee, open(committee, Committee).share());
    }
    get topic() {
      open(this, Collector);
      return { ...this.#topic };
    }
    get committee() {
      open(this, Collector);
      return this.#committee;
    }
    get isDone() {
      return open(this, Collector).is_done();
    }
    toString() {
      const { kind, view } = this.topic;
      return `${this.constructor.name}(kind ${kind}, view ${view}, done: ${this.isDone})`;
    }
  }

  class VoteCollector extends Collector {
    constructor(...given) {
      super(wasm().VoteCollector, given);
    }
    add(vote, suspects) {
      const raw = open(this, VoteCollector);
      const checked = is(vote, VerifiedVote);
      const handle = open(vote, checked ? VerifiedVote : Vote, 'vote');
      const known = open(suspects, Suspects, 'suspects');
      return collected(checked ? raw.add_verified(handle, known) : raw.add(handle, known), VerifiedCertificate);
    }
    weightFor(digest) {
      return open(this, VoteCollector).weight_for(bytes(digest, 'digest'));
    }
  }

  class TimeoutVote extends Handle {
    constructor(fields, raw) {
      super(TOKEN, fields === TOKEN ? raw : TimeoutVote.#of(fields));
    }
    static #of(fields) {
      if (fields === undefined) throw new TypeError('fields must be an object, not undefined');
      const { kind, epoch, view, value, signer, signature } = options(fields, 'fields');
      const place = [u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), u64(value, 'value')];
      return wasm().TimeoutVote.of(...place, u16(signer, 'signer'), open(signature, Signature, 'signature'));
    }
    static statementOf(kind, epoch, view, value) {
      const place = [u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), u64(value, 'value')];
      return wrap(Statement, wasm().TimeoutVote.statement_of(...place));
    }
    static signUnguarded(secret, committee, kind, view, value) {
      const signer = [open(secret, SecretKey, 'secret'), open(committee, Committee, 'committee')];
      const place = [u8(kind, 'kind'), u64(view, 'view'), u64(value, 'value')];
      return wrap(TimeoutVote, wasm().TimeoutVote.sign_unguarded(...signer, ...place));
    }
    static decode(scheme, data) {
      return wrap(TimeoutVote, wasm().TimeoutVote.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, TimeoutVote).encode();
    }
    static decodeLink(scheme, data) {
      return wrap(TimeoutVote, wasm().TimeoutVote.decode_link(suite(scheme), bytes(data, 'bytes')));
    }
    encodeLink() {
      return open(this, TimeoutVote).encode_link();
    }
    get suite() {
      return open(this, TimeoutVote).suite();
    }
    get kind() {
      return open(this, TimeoutVote).kind();
    }
    get epoch() {
      return open(this, TimeoutVote).epoch();
    }
    get view() {
      return open(this, TimeoutVote).view();
    }
    get value() {
      return open(this, TimeoutVote).value();
    }
    get signer() {
      return open(this, TimeoutVote).signer();
    }
    get signature() {
      return wrap(Signature, open(this, TimeoutVote).signature());
    }
    asVote() {
      return wrap(Vote, open(this, TimeoutVote).as_vote());
    }
    verify(committee) {
      return wrap(VerifiedTimeoutVote, open(this, TimeoutVote).verify(open(committee, Committee, 'committee')));
    }
    toString() {
      return `TimeoutVote(${this.suite}, signer ${this.signer}, view ${this.view}, value ${this.value})`;
    }
  }
  class VerifiedTimeoutVote extends verified(() => [TimeoutVote, CommitteeId]) {}

  class TimeoutCollector extends Collector {
    constructor(...given) {
      super(wasm().TimeoutCollector, given);
    }
    add(vote, suspects) {
      const raw = open(this, TimeoutCollector);
      const checked = is(vote, VerifiedTimeoutVote);
      const handle = open(vote, checked ? VerifiedTimeoutVote : TimeoutVote, 'vote');
      const known = open(suspects, Suspects, 'suspects');
      return collected(checked ? raw.add_verified(handle, known) : raw.add(handle, known), VerifiedTimeoutCertificate);
    }
    get weight() {
      return open(this, TimeoutCollector).weight();
    }
    get hasHonest() {
      return open(this, TimeoutCollector).has_honest();
    }
    verifyHonest(suspects) {
      const found = open(this, TimeoutCollector).verify_honest(open(suspects, Suspects, 'suspects'));
      return { honest: found.verdict(), faults: found.faults().map(fault) };
    }
  }

  class TimeoutCertificate extends Handle {
    static decode(data, committee) {
      const context = open(committee, Committee, 'committee');
      return wrap(TimeoutCertificate, wasm().TimeoutCertificate.decode(bytes(data, 'bytes'), context));
    }
    encode() {
      return open(this, TimeoutCertificate).encode();
    }
    get encodedLength() {
      return open(this, TimeoutCertificate).encoded_length();
    }
    get suite() {
      return open(this, TimeoutCertificate).suite();
    }
    get kind() {
      return open(this, TimeoutCertificate).kind();
    }
    get epoch() {
      return open(this, TimeoutCertificate).epoch();
    }
    get view() {
      return open(this, TimeoutCertificate).view();
    }
    get highestValue() {
      return open(this, TimeoutCertificate).highest_value();
    }
    groups() {
      const raw = open(this, TimeoutCertificate);
      const signers = raw.group_signers();
      return Array.from(raw.group_values(), (value, i) => ({ value, signers: wrap(SignerSet, signers[i]) }));
    }
    get signers() {
      return wrap(SignerSet, open(this, TimeoutCertificate).signers());
    }
    verify(committee) {
      const context = open(committee, Committee, 'committee');
      return wrap(VerifiedTimeoutCertificate, open(this, TimeoutCertificate).verify(context));
    }
    toString() {
      return `TimeoutCertificate(${this.suite}, kind ${this.kind}, view ${this.view}, signers ${this.signers})`;
    }
  }
  class VerifiedTimeoutCertificate extends verified(() => [TimeoutCertificate, CommitteeId]) {}

  class Equivocation extends Handle {
    constructor(first, second) {
      super(TOKEN, first === TOKEN ? second : Equivocation.#of(first, second));
    }
    static #of(first, second) {
      return wasm().Equivocation.of(open(first, Vote, 'first'), open(second, Vote, 'second'));
    }
    static decode(scheme, data) {
      return wrap(Equivocation, wasm().Equivocation.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Equivocation).encode();
    }
    get suite() {
      return open(this, Equivocation).suite();
    }
    votes() {
      return open(this, Equivocation).votes().map((vote) => wrap(Vote, vote));
    }
    get signer() {
      return open(this, Equivocation).signer();
    }
    culprits() {
      return Array.from(open(this, Equivocation).culprits());
    }
    verify(committee) {
      return wrap(VerifiedEquivocation, open(this, Equivocation).verify(open(committee, Committee, 'committee')));
    }
    toString() {
      return `Equivocation(${this.suite}, signer ${this.signer})`;
    }
  }
  class VerifiedEquivocation extends verified(() => [Equivocation, CommitteeId]) {}

  class Conflict extends Handle {
    constructor(first, second) {
      super(TOKEN, first === TOKEN ? second : Conflict.#of(first, second));
    }
    static #of(first, second) {
      return wasm().Conflict.of(open(first, Certificate, 'first'), open(second, Certificate, 'second'));
    }
    static decode(data, committee) {
      return wrap(Conflict, wasm().Conflict.decode(bytes(data, 'bytes'), open(committee, Committee, 'committee')));
    }
    encode() {
      return open(this, Conflict).encode();
    }
    get suite() {
      return open(this, Conflict).suite();
    }
    certificates() {
      return open(this, Conflict).certificates().map((certificate) => wrap(Certificate, certificate));
    }
    culprits() {
      return wrap(SignerSet, open(this, Conflict).culprits());
    }
    verify(committee) {
      return wrap(VerifiedConflict, open(this, Conflict).verify(open(committee, Committee, 'committee')));
    }
    toString() {
      return `Conflict(${this.suite}, culprits ${this.culprits()})`;
    }
  }
  class VerifiedConflict extends verified(() => [Conflict, CommitteeId]) {}

  class GuardRecord extends Handle {
    static decode(data) {
      return wrap(GuardRecord, wasm().GuardRecord.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, GuardRecord).encode();
    }
    get kind() {
      return open(this, GuardRecord).kind();
    }
    get epoch() {
      return open(this, GuardRecord).epoch();
    }
    get view() {
      return open(this, GuardRecord).view();
    }
    toString() {
      return `GuardRecord(kind ${this.kind}, epoch ${this.epoch}, view ${this.view})`;
    }
  }

  function signed(Class, raw) {
    const record = wrap(GuardRecord, raw.record());
    return { vote: wrap(Class, raw.vote()), record };
  }

  class Guard extends Handle {
    constructor(secret, chain) {
      super(TOKEN, secret === TOKEN ? chain : Guard.#of(secret, chain));
    }
    static #of(secret, chain) {
      const place = openChain(chain, 'chain');
      return wasm().Guard.of(take(secret, SecretKey, 'secret'), place);
    }
    static restore(secret, chain, records) {
      const place = openChain(chain, 'chain');
      const key = take(secret, SecretKey, 'secret');
      const one = (record, what) => open(record, GuardRecord, what);
      let raw;
      try {
        raw = fill(wasm().GuardRecords.empty(), records, 'records', one);
      } catch (error) {
        key.free();
        throw error;
      }
      return wrap(Guard, wasm().Guard.restore(key, place, raw));
    }
    sign(committee, statement) {
      const raw = open(this, Guard);
      const done = raw.sign(open(committee, Committee, 'committee'), open(statement, Statement, 'statement'));
      return signed(Vote, done);
    }
    signTimeout(committee, kind, view, value) {
      const context = open(committee, Committee, 'committee');
      const done = open(this, Guard).sign_timeout(context, u8(kind, 'kind'), u64(view, 'view'), u64(value, 'value'));
      return signed(TimeoutVote, done);
    }
    reserve(key, epoch, index) {
      const raw = open(this, Guard);
      return wrap(GuardRecord, raw.reserve(bytes(key, 'key'), u64(epoch, 'epoch'), u32(index, 'index')));
    }
    confirm(reservation) {
      open(this, Guard).confirm(open(reservation, GuardRecord, 'reservation'));
    }
    closeEpoch(key, epoch) {
      return wrap(GuardRecord, open(this, Guard).close_epoch(bytes(key, 'key'), u64(epoch, 'epoch')));
    }
    publicKey() {
      return wrap(PublicKey, open(this, Guard).public_key());
    }
    get suite() {
      return open(this, Guard).suite();
    }
    get chain() {
      return ChainId.fromBytes(open(this, Guard).chain());
    }
    last(kind) {
      const [epoch, view] = open(this, Guard).last(u8(kind, 'kind'));
      return epoch === undefined ? undefined : { epoch, view };
    }
    records() {
      return open(this, Guard).records().map((record) => wrap(GuardRecord, record));
    }
    close() {
      if (isOpen(this, Guard)) this.free();
    }
    get closed() {
      return !isOpen(this, Guard);
    }
    toString() {
      return this.closed ? 'Guard(closed)' : `Guard(${this.suite}, ${this.publicKey()})`;
    }
    toJSON() {
      return this.toString();
    }
  }

  class Path extends Handle {
    static decode(data) {
      return wrap(Path, wasm().Path.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Path).encode();
    }
    get index() {
      return open(this, Path).index();
    }
    get count() {
      return open(this, Path).count();
    }
    siblings() {
      const all = open(this, Path).siblings();
      return Array.from({ length: all.length / 32 }, (_, i) => all.slice(32 * i, 32 * i + 32));
    }
    toString() {
      return `Path(${this.index} of ${this.count})`;
    }
  }

  class Merkle extends Handle {
    #domains;
    constructor(leafDomain, nodeDomain) {
      super(TOKEN, wasm().Merkle.of(string(leafDomain, 'leafDomain'), string(nodeDomain, 'nodeDomain')));
      this.#domains = [leafDomain, nodeDomain];
    }
    get leafDomain() {
      return this.#domains[0];
    }
    get nodeDomain() {
      return this.#domains[1];
    }
    leaf(item) {
      return open(this, Merkle).leaf(bytes(item, 'item'));
    }
    leaves(items) {
      const raw = open(this, Merkle);
      return list(items, 'items', (item, what) => raw.leaf(bytes(item, what)));
    }
    root(leaves) {
      return open(this, Merkle).root(fill(wasm().Leaves.empty(), leaves, 'leaves', bytes));
    }
    path(leaves, index) {
      const raw = open(this, Merkle);
      u32(index, 'index');
      return wrap(Path, raw.path(fill(wasm().Leaves.empty(), leaves, 'leaves', bytes), index));
    }
    verify(root, leaf, path) {
      open(this, Merkle).verify(bytes(root, 'root'), bytes(leaf, 'leaf'), open(path, Path, 'path'));
    }
    toString() {
      return `Merkle(${this.leafDomain}, ${this.nodeDomain})`;
    }
  }

  const openKey = (key, what) => open(key, VerifiedKey, what);
  const bls = Object.freeze({
    aggregate(signatures) {
      const one = (signature, what) => open(signature, Signature, what);
      return wrap(Signature, fill(wasm().Signatures.empty(), signatures, 'signatures', one).aggregate());
    },
    fastAggregateVerify(keys, message, signature) {
      const context = [bytes(message, 'message'), open(signature, Signature, 'signature')];
      fill(wasm().Keys.empty(), keys, 'keys', openKey).verify(...context);
    },
    aggregateVerify(signed, signature) {
      const context = open(signature, Signature, 'signature');
      const raw = wasm().Signed.empty();
      const one = (value, what) => pair(value, what, openKey, bytes);
      fill(raw, signed, 'signed', one, ([key, message]) => raw.add(key, message)).verify(context);
    },
  });

  class Reader extends Handle {
    constructor(data) {
      super(TOKEN, wasm().Reader.of(bytes(data, 'bytes')));
    }
    get remaining() {
      return open(this, Reader).remaining();
    }
    raw(length) {
      return open(this, Reader).raw(size(length, 'length'));
    }
    bytes(cap) {
      return open(this, Reader).bytes(size(cap, 'cap'));
    }
    count(cap) {
      return open(this, Reader).count(size(cap, 'cap'));
    }
    toString() {
      return `Reader(${this.remaining} bytes left)`;
    }
  }
  for (const method of ['u8', 'u16', 'u32', 'u64', 'u128', 'varint', 'option', 'finish']) {
    Reader.prototype[method] = function read() {
      return open(this, Reader)[method]();
    };
  }

  class Writer extends Handle {
    constructor() {
      super(TOKEN, wasm().Writer.empty());
    }
    get length() {
      return open(this, Writer).length();
    }
    intoBytes() {
      return open(this, Writer).take();
    }
    toString() {
      return `Writer(${this.length} bytes)`;
    }
  }
  const written = { raw: bytes, bytes, u8, u16, u32, u64, u128, varint: u32, count: u32, option: boolean };
  for (const [method, check] of Object.entries(written)) {
    Writer.prototype[method] = function write(value) {
      open(this, Writer)[method](check(value, check === bytes ? 'bytes' : 'value'));
    };
  }

  const wire = {
    hash: (domain, data) => wasm().hash(string(domain, 'domain'), bytes(data, 'bytes')),
    get DOMAINS() {
      return Object.freeze(wasm().domains());
    },
    ...name({ Reader, Writer }),
  };
  for (const Class of [Signature, UnverifiedKey, Vote, TimeoutVote, TimeoutCertificate, Equivocation, Conflict, GuardRecord, Path]) {
    Class.prototype.equals = equal(Class);
  }
  const votes = { Vote, VerifiedVote, Suspects, VoteCollector, Collector };
  const timeouts = { TimeoutVote, VerifiedTimeoutVote, TimeoutCollector, TimeoutCertificate, VerifiedTimeoutCertificate };
  const evidence = { Equivocation, VerifiedEquivocation, Conflict, VerifiedConflict };
  const keys = { SecretKey, Signature, UnverifiedKey, VerifiedKey };
  const rest = { Guard, GuardRecord, Merkle, Path };
  const classes = name({ ...keys, ...votes, ...timeouts, ...evidence, ...rest });
  const shared = { CommitteeId, openCommitteeId, PublicKey, Signature, Guard, GuardRecord };
  return {
    ...base.classes,
    ...classes,
    bls,
    dsig: dsigApi(wasm, { SecretKey, PublicKey }),
    erasure: erasureApi(wasm),
    gossip: gossipApi(wasm, { ...base.classes, ...classes }),
    sortition: sortitionApi(wasm, { ...base.classes, ...classes, openChain }),
    threshold: thresholdApi(wasm, shared),
    wire,
  };
}
