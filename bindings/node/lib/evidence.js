'use strict';

const native = require('./native.js');
const { makeCertificate, openCertificate } = require('./certificates.js');
const { bytes, suite } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { makeSignerSet } = require('./signers.js');
const { verified } = require('./verified.js');
const { makeVote, openVote } = require('./votes.js');

const equivocation = sealed('Equivocation');
const conflict = sealed('Conflict');

class Equivocation extends equivocation.Sealed {
  constructor(first, second) {
    super(equivocation.key, native.equivocationNew(openVote(first, 'first'), openVote(second, 'second')));
  }
  static decode(name, data) {
    return equivocation.make(Equivocation, native.equivocationDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.equivocationEncode(equivocation.open(this, 'this'));
  }
  get suite() {
    return native.equivocationSuite(equivocation.open(this, 'this'));
  }
  votes() {
    return native.equivocationVotes(equivocation.open(this, 'this')).map(makeVote);
  }
  get signer() {
    return native.equivocationSigner(equivocation.open(this, 'this'));
  }
  culprits() {
    return native.equivocationCulprits(equivocation.open(this, 'this'));
  }
  verify(committee) {
    const handle = equivocation.open(this, 'this');
    return verifiedEquivocation.make(native.equivocationVerify(handle, openCommittee(committee, 'committee')));
  }
  verifyAsync(committee, options) {
    const begin = (flag) =>
      native.equivocationVerifyAsync(equivocation.open(this, 'this'), openCommittee(committee, 'committee'), flag);
    return offThread(options, begin, verifiedEquivocation.make);
  }
  equals(other) {
    return native.equivocationEquals(equivocation.open(this, 'this'), equivocation.open(other, 'other'));
  }
  toString() {
    const [first, second] = this.votes();
    return `Equivocation(member ${this.signer}, ${first.statement}, ${second.statement})`;
  }
}
const verifiedEquivocation = verified(
  'VerifiedEquivocation',
  (handle) => equivocation.make(Equivocation, native.verifiedEquivocationValue(handle)),
  native.verifiedEquivocationCommittee,
);

class Conflict extends conflict.Sealed {
  constructor(first, second) {
    super(conflict.key, native.conflictNew(openCertificate(first, 'first'), openCertificate(second, 'second')));
  }
  static decode(data, committee) {
    const handle = native.conflictDecode(bytes(data, 'bytes'), openCommittee(committee, 'committee'));
    return conflict.make(Conflict, handle);
  }
  encode() {
    return native.conflictEncode(conflict.open(this, 'this'));
  }
  get suite() {
    return native.conflictSuite(conflict.open(this, 'this'));
  }
  certificates() {
    return native.conflictCertificates(conflict.open(this, 'this')).map(makeCertificate);
  }
  culprits() {
    return makeSignerSet(native.conflictCulprits(conflict.open(this, 'this')));
  }
  verify(committee) {
    const handle = conflict.open(this, 'this');
    return verifiedConflict.make(native.conflictVerify(handle, openCommittee(committee, 'committee')));
  }
  verifyAsync(committee, options) {
    const begin = (flag) =>
      native.conflictVerifyAsync(conflict.open(this, 'this'), openCommittee(committee, 'committee'), flag);
    return offThread(options, begin, verifiedConflict.make);
  }
  equals(other) {
    return native.conflictEquals(conflict.open(this, 'this'), conflict.open(other, 'other'));
  }
  toString() {
    return `Conflict(${this.certificates().join(', ')})`;
  }
}
const verifiedConflict = verified(
  'VerifiedConflict',
  (handle) => conflict.make(Conflict, native.verifiedConflictValue(handle)),
  native.verifiedConflictCommittee,
);

module.exports = {
  Equivocation,
  VerifiedEquivocation: verifiedEquivocation.Class,
  Conflict,
  VerifiedConflict: verifiedConflict.Class,
  makeVerifiedEquivocation: verifiedEquivocation.make,
};
