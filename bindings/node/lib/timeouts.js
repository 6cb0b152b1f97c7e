'use strict';

const native = require('./native.js');
const { bytes, options, suite, u8, u16, u64 } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { openSecretKey, openSignature } = require('./keys.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { makeSignerSet } = require('./signers.js');
const { makeStatement } = require('./statement.js');
const { verified } = require('./verified.js');
const { makeVote } = require('./votes.js');

const timeoutVote = sealed('TimeoutVote');
const timeoutCertificate = sealed('TimeoutCertificate');

class TimeoutVote extends timeoutVote.Sealed {
  constructor(fields) {
    const { kind, epoch, view, value, signer, signature } = options(fields ?? null, 'fields');
    const numbers = [u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), u64(value, 'value')];
    const parts = [...numbers, u16(signer, 'signer'), openSignature(signature, 'signature')];
    super(timeoutVote.key, native.timeoutVoteNew(...parts));
  }
  static statementOf(kind, epoch, view, value) {
    const parts = [u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), u64(value, 'value')];
    return makeStatement(native.timeoutVoteStatementOf(...parts));
  }
  static signUnguarded(secret, committee, kind, view, value) {
    const who = [openSecretKey(secret, 'secret'), openCommittee(committee, 'committee')];
    const what = [u8(kind, 'kind'), u64(view, 'view'), u64(value, 'value')];
    return makeTimeoutVote(native.timeoutVoteSignUnguarded(...who, ...what));
  }
  static decode(name, data) {
    return makeTimeoutVote(native.timeoutVoteDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.timeoutVoteEncode(timeoutVote.open(this, 'this'));
  }
  static decodeLink(name, data) {
    return makeTimeoutVote(native.timeoutVoteDecodeLink(suite(name), bytes(data, 'bytes')));
  }
  encodeLink() {
    return native.timeoutVoteEncodeLink(timeoutVote.open(this, 'this'));
  }
  get suite() {
    return native.timeoutVoteSuite(timeoutVote.open(this, 'this'));
  }
  get kind() {
    return native.timeoutVoteKind(timeoutVote.open(this, 'this'));
  }
  get epoch() {
    return native.timeoutVoteEpoch(timeoutVote.open(this, 'this'));
  }
  get view() {
    return native.timeoutVoteView(timeoutVote.open(this, 'this'));
  }
  get value() {
    return native.timeoutVoteValue(timeoutVote.open(this, 'this'));
  }
  get signer() {
    return native.timeoutVoteSigner(timeoutVote.open(this, 'this'));
  }
  get signature() {
    return this.asVote().signature;
  }
  asVote() {
    return makeVote(native.timeoutVoteAsVote(timeoutVote.open(this, 'this')));
  }
  verify(committee) {
    const handle = timeoutVote.open(this, 'this');
    return verifiedTimeoutVote.make(native.timeoutVoteVerify(handle, openCommittee(committee, 'committee')));
  }
  verifyAsync(committee, given) {
    const begin = (flag) =>
      native.timeoutVoteVerifyAsync(timeoutVote.open(this, 'this'), openCommittee(committee, 'committee'), flag);
    return offThread(given, begin, verifiedTimeoutVote.make);
  }
  equals(other) {
    return native.timeoutVoteEquals(timeoutVote.open(this, 'this'), timeoutVote.open(other, 'other'));
  }
  toString() {
    return `TimeoutVote(member ${this.signer}, view ${this.view}, value ${this.value})`;
  }
}
const makeTimeoutVote = (handle) => timeoutVote.make(TimeoutVote, handle);
const verifiedTimeoutVote = verified(
  'VerifiedTimeoutVote',
  (handle) => makeTimeoutVote(native.verifiedTimeoutVoteValue(handle)),
  native.verifiedTimeoutVoteCommittee,
);

class TimeoutCertificate extends timeoutCertificate.Sealed {
  static decode(data, committee) {
    const handle = native.timeoutCertificateDecode(bytes(data, 'bytes'), openCommittee(committee, 'committee'));
    return timeoutCertificate.make(TimeoutCertificate, handle);
  }
  encode() {
    return native.timeoutCertificateEncode(timeoutCertificate.open(this, 'this'));
  }
  get encodedLength() {
    return native.timeoutCertificateEncodedLength(timeoutCertificate.open(this, 'this'));
  }
  get suite() {
    return native.timeoutCertificateSuite(timeoutCertificate.open(this, 'this'));
  }
  get kind() {
    return native.timeoutCertificateKind(timeoutCertificate.open(this, 'this'));
  }
  get epoch() {
    return native.timeoutCertificateEpoch(timeoutCertificate.open(this, 'this'));
  }
  get view() {
    return native.timeoutCertificateView(timeoutCertificate.open(this, 'this'));
  }
  get highestValue() {
    return native.timeoutCertificateHighestValue(timeoutCertificate.open(this, 'this'));
  }
  groups() {
    const groups = native.timeoutCertificateGroups(timeoutCertificate.open(this, 'this'));
    return groups.map(({ value, signers }) => ({ value, signers: makeSignerSet(signers) }));
  }
  get signers() {
    return makeSignerSet(native.timeoutCertificateSigners(timeoutCertificate.open(this, 'this')));
  }
  verify(committee) {
    const handles = [timeoutCertificate.open(this, 'this'), openCommittee(committee, 'committee')];
    return verifiedTimeoutCertificate.make(native.timeoutCertificateVerify(...handles));
  }
  verifyAsync(committee, given) {
    const begin = (flag) => {
      const handles = [timeoutCertificate.open(this, 'this'), openCommittee(committee, 'committee')];
      return native.timeoutCertificateVerifyAsync(...handles, flag);
    };
    return offThread(given, begin, verifiedTimeoutCertificate.make);
  }
  equals(other) {
    const handles = [timeoutCertificate.open(this, 'this'), timeoutCertificate.open(other, 'other')];
    return native.timeoutCertificateEquals(...handles);
  }
  toString() {
    const { signers } = this;
    return `TimeoutCertificate(${signers.size} of ${signers.committeeSize}, view ${this.view}, highest ${this.highestValue})`;
  }
}
const verifiedTimeoutCertificate = verified(
  'VerifiedTimeoutCertificate',
  (handle) => timeoutCertificate.make(TimeoutCertificate, native.verifiedTimeoutCertificateValue(handle)),
  native.verifiedTimeoutCertificateCommittee,
);

module.exports = {
  TimeoutVote,
  VerifiedTimeoutVote: verifiedTimeoutVote.Class,
  TimeoutCertificate,
  VerifiedTimeoutCertificate: verifiedTimeoutCertificate.Class,
  openTimeoutVote: timeoutVote.open,
  makeTimeoutVote,
  isVerifiedTimeoutVote: verifiedTimeoutVote.is,
  openVerifiedTimeoutVote: verifiedTimeoutVote.open,
  makeVerifiedTimeoutCertificate: verifiedTimeoutCertificate.make,
};
