// Verification of certificates; `wasm()` returns the module's exports, or throws if they are not loaded yet.

import { headerApi } from '../generated/header.js';
import { boolean, bytes, list, optional, options, pair, shown, string, suite, u128, u16, u32, u64, u8 } from './check.js';
import { make, addText } from './errors.js';
import { MAX_MEMBERS } from './constants.js';
import { Handle, TOKEN, hex, name, open, same, wrap } from './handle.js';
import { Uncloneable } from './uncloneable.js';

export { MAX_MEMBERS, SUITE_NUMBERS, Suite } from './constants.js';

/** A class of 32 bytes, so that chains and committees cannot be confused, and access to the bytes. */
function identifier(kind) {
  let open;
  class Identifier extends Uncloneable {
    #bytes;
    constructor(token, data) {
      super();
      if (token !== TOKEN) throw new TypeError(`${kind} cannot be constructed; use ${kind}.fromBytes`);
      this.#bytes = data;
    }
    static {
      open = (value, what) => {
        if (typeof value !== 'object' || value === null || !(#bytes in value)) {
          throw new TypeError(`${what} must be a ${kind}, not ${shown(value)}`);
        }
        return value.#bytes;
      };
    }
    static fromBytes(data) {
      const given = bytes(data, 'bytes');
      if (given.length !== 32) {
        const error = make('MALFORMED', `malformed ${kind}: expected 32 bytes, got ${given.length}`, []);
        addText(error, 'what', kind);
        throw error;
      }
      return new Identifier(TOKEN, given.slice());
    }
    get bytes() {
      return open(this, 'this').slice();
    }
    equals(other) {
      return same(open(this, 'this'), open(other, 'other'));
    }
    /** It owns no memory; all objects have this method. */
    free() {
      open(this, 'this');
    }
    toString() {
      return hex(open(this, 'this'));
    }
    toJSON() {
      return this.toString();
    }
  }
  Object.defineProperty(Identifier.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), { value() {} });
  return [Identifier, open];
}

/** Creates the class of verified objects of another class. */
export function verified(get) {
  return class Verified extends Handle {
    get value() {
      const [Class] = get();
      return wrap(Class, open(this, this.constructor).value());
    }
    get committee() {
      const [, CommitteeId] = get();
      return CommitteeId.fromBytes(open(this, this.constructor).committee());
    }
    toString() {
      return `${this.constructor.name}(${this.value})`;
    }
  };
}

export function certificateApi(wasm, { VerifiedKey } = {}) {
  const [ChainId, openChain] = identifier('ChainId');
  const [CommitteeId, openCommitteeId] = identifier('CommitteeId');
  const { UntrustedHeader } = headerApi(wasm);
  ChainId.fromName = (text) => ChainId.fromBytes(wasm().chain_from_name(string(text, 'name')));

  class PublicKey extends Handle {
    static decode(scheme, data) {
      return wrap(PublicKey, wasm().PublicKey.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, PublicKey).encode();
    }
    get suite() {
      return open(this, PublicKey).suite();
    }
    equals(other) {
      open(other, PublicKey, 'other');
      return this.suite === other.suite && same(this.encode(), other.encode());
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }

  class SignerSet extends Handle {
    constructor(size, given) {
      super(TOKEN, size === TOKEN ? given : SignerSet.#parse(size, given));
    }
    static #parse(size, members) {
      const committee = u16(size, 'committeeSize');
      if (members === undefined) return wasm().SignerSet.empty(committee);
      // One index more than the committee's size suffices: the core reports the duplicate or unknown one.
      return wasm().SignerSet.from_members(committee, Uint16Array.from(list(members, 'members', u16, committee)));
    }
    static full(size) {
      return wrap(SignerSet, wasm().SignerSet.full(u16(size, 'committeeSize')));
    }
    static fromMembers(size, members) {
      // `undefined` is an error here, not the empty set.
      return new SignerSet(size, members === undefined ? null : members);
    }
    insert(member) {
      return open(this, SignerSet).insert(u16(member, 'member'));
    }
    contains(member) {
      return open(this, SignerSet).contains(u16(member, 'member'));
    }
    get size() {
      return open(this, SignerSet).size();
    }
    get committeeSize() {
      return open(this, SignerSet).committee();
    }
    [Symbol.iterator]() {
      return Array.from(open(this, SignerSet).members())[Symbol.iterator]();
    }
    complement() {
      return wrap(SignerSet, open(this, SignerSet).complement());
    }
    intersection(other) {
      return wrap(SignerSet, open(this, SignerSet).intersection(open(other, SignerSet, 'other')));
    }
    union(other) {
      return wrap(SignerSet, open(this, SignerSet).union(open(other, SignerSet, 'other')));
    }
    isDisjoint(other) {
      return open(this, SignerSet).disjoint(open(other, SignerSet, 'other'));
    }
    equals(other) {
      return open(this, SignerSet).equals(open(other, SignerSet, 'other'));
    }
    toString() {
      return `SignerSet([${[...this].join(', ')}] of ${this.committeeSize})`;
    }
    toJSON() {
      return [...this];
    }
  }

  class Statement extends Handle {
    constructor(fields, raw) {
      super(TOKEN, fields === TOKEN ? raw : Statement.#parse(fields));
    }
    static #parse(fields) {
      if (fields === undefined) throw new TypeError('fields must be an object, not undefined');
      const { kind, epoch, view, digest } = options(fields, 'fields');
      return wasm().Statement.new(u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), bytes(digest, 'digest'));
    }
    static decode(data) {
      return wrap(Statement, wasm().Statement.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Statement).encode();
    }
    get kind() {
      return open(this, Statement).kind();
    }
    get epoch() {
      return open(this, Statement).epoch();
    }
    get view() {
      return open(this, Statement).view();
    }
    get digest() {
      return open(this, Statement).digest();
    }
    signedBytes(committee) {
      return open(this, Statement).signed_bytes(openCommitteeId(committee, 'committee'));
    }
    identity(committee) {
      return open(this, Statement).identity(openCommitteeId(committee, 'committee'));
    }
    contradicts(other) {
      return open(this, Statement).contradicts(open(other, Statement, 'other'));
    }
    equals(other) {
      open(other, Statement, 'other');
      return same(this.encode(), other.encode());
    }
    toString() {
      return `Statement(kind ${this.kind}, epoch ${this.epoch}, view ${this.view}, digest ${hex(this.digest)})`;
    }
  }

  /** Fills a list of members in the module. */
  function fill(members, Key, raw) {
    const one = (value, what) => pair(value, what, (key, where) => open(key, Key, where), u128);
    try {
      for (const [key, weight] of list(members, 'members', one, MAX_MEMBERS)) raw.add(key, weight);
    } catch (error) {
      raw.free();
      throw error;
    }
    return raw;
  }

  class Committee extends Handle {
    constructor(chain, epoch, members) {
      super(TOKEN, chain === TOKEN ? epoch : Committee.#parse(chain, epoch, members));
    }
    static #parse(chain, epoch, members) {
      const Key = VerifiedKey?.();
      if (!Key) throw new TypeError('Committee cannot be constructed in this build; use Committee.fromAttested');
      openChain(chain, 'chain');
      u64(epoch, 'epoch');
      return wasm().Committee.new(openChain(chain, 'chain'), epoch, fill(members, Key, wasm().Members.empty()));
    }
    static fromAttested(chain, epoch, members, given) {
      const repeats = optional(boolean)(options(given).allowRepeats, 'options.allowRepeats') ?? false;
      openChain(chain, 'chain');
      u64(epoch, 'epoch');
      const attested = fill(members, PublicKey, wasm().AttestedMembers.empty());
      return wrap(Committee, wasm().Committee.from_attested(openChain(chain, 'chain'), epoch, attested, repeats));
    }
    get suite() {
      return open(this, Committee).suite();
    }
    get id() {
      return CommitteeId.fromBytes(open(this, Committee).id());
    }
    get chain() {
      return ChainId.fromBytes(open(this, Committee).chain());
    }
    get epoch() {
      return open(this, Committee).epoch();
    }
    get size() {
      return open(this, Committee).size();
    }
    get totalWeight() {
      return open(this, Committee).total_weight();
    }
    get quorumWeight() {
      return open(this, Committee).quorum_weight();
    }
    get honestWeight() {
      return open(this, Committee).honest_weight();
    }
    weight(member) {
      return open(this, Committee).weight(u16(member, 'member'));
    }
    key(member) {
      return wrap(PublicKey, open(this, Committee).key(u16(member, 'member')));
    }
    keys() {
      const size = open(this, Committee).size();
      return Array.from({ length: size }, (_, member) => this.key(member));
    }
    position(key) {
      return open(this, Committee).position(open(key, PublicKey, 'key'));
    }
    weightOf(signers) {
      return open(this, Committee).weight_of(open(signers, SignerSet, 'signers'));
    }
    hasQuorum(signers) {
      return open(this, Committee).has_quorum(open(signers, SignerSet, 'signers'));
    }
    requireQuorum(signers) {
      open(this, Committee).require_quorum(open(signers, SignerSet, 'signers'));
    }
    signerSet(signers) {
      const raw = open(this, Committee);
      if (signers === undefined) throw new TypeError('signers must be an object, not undefined');
      const { indices, lsbFirst, msbFirst } = options(signers, 'signers');
      if ([indices, lsbFirst, msbFirst].filter((form) => form !== undefined).length !== 1) {
        throw new TypeError('signers must have exactly one of indices, lsbFirst and msbFirst');
      }
      if (lsbFirst !== undefined) return wrap(SignerSet, raw.signers_lsb_first(bytes(lsbFirst, 'lsbFirst')));
      if (msbFirst !== undefined) return wrap(SignerSet, raw.signers_msb_first(bytes(msbFirst, 'msbFirst')));
      return wrap(SignerSet, raw.signers_by_index(Uint32Array.from(list(indices, 'indices', u32, MAX_MEMBERS))));
    }
    verifyRaw(message, signers, proof) {
      const raw = open(this, Committee);
      return raw.verify_raw(bytes(message, 'message'), open(signers, SignerSet, 'signers'), bytes(proof, 'proof'));
    }
    statement(kind, view, digest) {
      const raw = open(this, Committee);
      return wrap(Statement, raw.statement(u8(kind, 'kind'), u64(view, 'view'), bytes(digest, 'digest')));
    }
    equals(other) {
      open(other, Committee, 'other');
      return this.id.equals(other.id);
    }
    toString() {
      return `Committee(${this.suite}, epoch ${this.epoch}, ${this.size} members, ${this.id})`;
    }
  }

  class Certificate extends Handle {
    static decode(data, committee) {
      return wrap(Certificate, wasm().Certificate.decode(bytes(data, 'bytes'), open(committee, Committee, 'committee')));
    }
    encode() {
      return open(this, Certificate).encode();
    }
    static decodeDetached(data, statement, committee) {
      const given = bytes(data, 'bytes');
      const context = [open(statement, Statement, 'statement'), open(committee, Committee, 'committee')];
      return wrap(Certificate, wasm().Certificate.decode_detached(given, ...context));
    }
    encodeDetached() {
      return open(this, Certificate).encode_detached();
    }
    get encodedLength() {
      return open(this, Certificate).encoded_length();
    }
    get suite() {
      return open(this, Certificate).suite();
    }
    get statement() {
      return wrap(Statement, open(this, Certificate).statement());
    }
    get signers() {
      return wrap(SignerSet, open(this, Certificate).signers());
    }
    proof() {
      return open(this, Certificate).proof();
    }
    verify(committee) {
      return wrap(VerifiedCertificate, open(this, Certificate).verify(open(committee, Committee, 'committee')));
    }
    equals(other) {
      open(other, Certificate, 'other');
      return this.suite === other.suite && same(this.encode(), other.encode());
    }
    toString() {
      return `Certificate(${this.suite}, ${this.statement}, signers ${this.signers})`;
    }
  }
  class VerifiedCertificate extends verified(() => [Certificate, CommitteeId]) {}

  const plain = { ChainId, CommitteeId, PublicKey, SignerSet, Statement, Committee, Certificate, VerifiedCertificate };
  return { classes: name({ ...plain, UntrustedHeader }), openChain, openCommitteeId };
}
