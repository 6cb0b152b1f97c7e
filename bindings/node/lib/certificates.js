'use strict';

const native = require('./native.js');
const { bytes, list } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { failure } = require('./errors.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { makeSignerSet } = require('./signers.js');
const { makeStatement, openStatement } = require('./statement.js');
const { verified } = require('./verified.js');

const certificate = sealed('Certificate');

class Certificate extends certificate.Sealed {
  static decode(data, committee) {
    const handle = native.certificateDecode(bytes(data, 'bytes'), openCommittee(committee, 'committee'));
    return makeCertificate(handle);
  }
  encode() {
    return native.certificateEncode(certificate.open(this, 'this'));
  }
  static decodeDetached(data, statement, committee) {
    const parts = [bytes(data, 'bytes'), openStatement(statement, 'statement'), openCommittee(committee, 'committee')];
    return makeCertificate(native.certificateDecodeDetached(...parts));
  }
  encodeDetached() {
    return native.certificateEncodeDetached(certificate.open(this, 'this'));
  }
  get encodedLength() {
    return native.certificateEncodedLength(certificate.open(this, 'this'));
  }
  get suite() {
    return native.certificateSuite(certificate.open(this, 'this'));
  }
  get statement() {
    return makeStatement(native.certificateStatement(certificate.open(this, 'this')));
  }
  get signers() {
    return makeSignerSet(native.certificateSigners(certificate.open(this, 'this')));
  }
  proof() {
    return native.certificateProof(certificate.open(this, 'this'));
  }
  verify(committee) {
    const handle = certificate.open(this, 'this');
    return verifiedCertificate.make(native.certificateVerify(handle, openCommittee(committee, 'committee')));
  }
  verifyAsync(committee, options) {
    const begin = (flag) =>
      native.certificateVerifyAsync(certificate.open(this, 'this'), openCommittee(committee, 'committee'), flag);
    return offThread(options, begin, verifiedCertificate.make);
  }
  static verifyBatch(committee, certificates) {
    return batch(committee, certificates, false);
  }
  static verifyBatchAsync(committee, certificates, options) {
    return batchAsync(committee, certificates, false, options);
  }
  static verifyBatchDerived(committee, certificates) {
    return batch(committee, certificates, true);
  }
  static verifyBatchDerivedAsync(committee, certificates, options) {
    return batchAsync(committee, certificates, true, options);
  }
  equals(other) {
    return native.certificateEquals(certificate.open(this, 'this'), certificate.open(other, 'other'));
  }
  toString() {
    const { signers } = this;
    return `Certificate(${signers.size} of ${signers.committeeSize}, ${this.statement})`;
  }
}
const makeCertificate = (handle) => certificate.make(Certificate, handle);
const verifiedCertificate = verified(
  'VerifiedCertificate',
  (handle) => makeCertificate(native.verifiedCertificateValue(handle)),
  native.verifiedCertificateCommittee,
);

function batch(committee, certificates, derived) {
  const handles = [openCommittee(committee, 'committee'), list(certificates, 'certificates', certificate.open)];
  return verdicts(native.certificateVerifyBatch(...handles, derived));
}

function batchAsync(committee, certificates, derived, options) {
  const begin = (flag) => {
    const handles = [openCommittee(committee, 'committee'), list(certificates, 'certificates', certificate.open)];
    return native.certificateVerifyBatchAsync(...handles, derived, flag);
  };
  return offThread(options, begin, verdicts);
}

const verdicts = (found) =>
  found.map((verdict) => (typeof verdict === 'string' ? failure(verdict) : verifiedCertificate.make(verdict)));

module.exports = {
  Certificate,
  VerifiedCertificate: verifiedCertificate.Class,
  openCertificate: certificate.open,
  makeCertificate,
  makeVerifiedCertificate: verifiedCertificate.make,
  openVerifiedCertificate: verifiedCertificate.open,
};
