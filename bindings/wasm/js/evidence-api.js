// Evidence of protocol violations.

import { bytes, suite } from './check.js';
import { verified } from './certificate-api.js';
import { equal } from './common.js';
import { Handle, TOKEN, open, wrap } from './handle.js';

export function evidenceApi(wasm, base) {
  const { Certificate, CommitteeId, Committee, SignerSet, Vote } = base;

  class Equivocation extends Handle {
    constructor(first, second) {
      super(TOKEN, first === TOKEN ? second : Equivocation.#parse(first, second));
    }
    static #parse(first, second) {
      return wasm().Equivocation.new(open(first, Vote, 'first'), open(second, Vote, 'second'));
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
      super(TOKEN, first === TOKEN ? second : Conflict.#parse(first, second));
    }
    static #parse(first, second) {
      return wasm().Conflict.new(open(first, Certificate, 'first'), open(second, Certificate, 'second'));
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

  for (const Class of [Equivocation, Conflict]) Class.prototype.equals = equal(Class);
  return { Equivocation, VerifiedEquivocation, Conflict, VerifiedConflict };
}
