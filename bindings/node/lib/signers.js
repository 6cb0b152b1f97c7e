'use strict';

const native = require('./native.js');
const { list, u16 } = require('./check.js');
const { sealed } = require('./sealed.js');

const signerSet = sealed('SignerSet');

class SignerSet extends signerSet.Sealed {
  constructor(committeeSize, members) {
    const size = u16(committeeSize, 'committeeSize');
    super(signerSet.key, members === undefined ? native.signerSetNew(size) : fromMembers(size, members));
  }
  static full(committeeSize) {
    return makeSignerSet(native.signerSetFull(u16(committeeSize, 'committeeSize')));
  }
  static fromMembers(committeeSize, members) {
    return makeSignerSet(fromMembers(u16(committeeSize, 'committeeSize'), members));
  }
  insert(member) {
    return native.signerSetInsert(signerSet.open(this, 'this'), u16(member, 'member'));
  }
  contains(member) {
    return native.signerSetContains(signerSet.open(this, 'this'), u16(member, 'member'));
  }
  get size() {
    return native.signerSetSize(signerSet.open(this, 'this'));
  }
  get committeeSize() {
    return native.signerSetCommitteeSize(signerSet.open(this, 'this'));
  }
  [Symbol.iterator]() {
    return native.signerSetMembers(signerSet.open(this, 'this'))[Symbol.iterator]();
  }
  complement() {
    return makeSignerSet(native.signerSetComplement(signerSet.open(this, 'this')));
  }
  intersection(other) {
    return makeSignerSet(native.signerSetIntersection(signerSet.open(this, 'this'), signerSet.open(other, 'other')));
  }
  union(other) {
    return makeSignerSet(native.signerSetUnion(signerSet.open(this, 'this'), signerSet.open(other, 'other')));
  }
  isDisjoint(other) {
    return native.signerSetIsDisjoint(signerSet.open(this, 'this'), signerSet.open(other, 'other'));
  }
  equals(other) {
    return native.signerSetEquals(signerSet.open(this, 'this'), signerSet.open(other, 'other'));
  }
  toString() {
    return `SignerSet([${[...this].join(', ')}] of ${this.committeeSize})`;
  }
  toJSON() {
    return [...this];
  }
}

/** One index more than the committee's size suffices: the core reports the duplicate or unknown one. */
const fromMembers = (size, members) => native.signerSetFromMembers(size, list(members, 'members', u16, size));

const makeSignerSet = (handle) => signerSet.make(SignerSet, handle);

module.exports = { SignerSet, openSignerSet: signerSet.open, makeSignerSet };
