'use strict';

const native = require('./native.js');
const { bytes, suite, u16 } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { makeSignature, openSecretKey, openSignature } = require('./keys.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { makeStatement, openStatement } = require('./statement.js');
const { verified } = require('./verified.js');

const vote = sealed('Vote');
const suspects = sealed('Suspects');

class Vote extends vote.Sealed {
  constructor(statement, signer, signature) {
    const parts = [openStatement(statement, 'statement'), u16(signer, 'signer'), openSignature(signature, 'signature')];
    super(vote.key, native.voteNew(...parts));
  }
  static signUnguarded(secret, committee, statement) {
    const parts = [openSecretKey(secret, 'secret'), openCommittee(committee, 'committee')];
    return makeVote(native.voteSignUnguarded(...parts, openStatement(statement, 'statement')));
  }
  static decode(name, data) {
    return makeVote(native.voteDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.voteEncode(vote.open(this, 'this'));
  }
  static decodeLink(name, data) {
    return makeVote(native.voteDecodeLink(suite(name), bytes(data, 'bytes')));
  }
  encodeLink() {
    return native.voteEncodeLink(vote.open(this, 'this'));
  }
  get suite() {
    return native.voteSuite(vote.open(this, 'this'));
  }
  get statement() {
    return makeStatement(native.voteStatement(vote.open(this, 'this')));
  }
  get signer() {
    return native.voteSigner(vote.open(this, 'this'));
  }
  get signature() {
    return makeSignature(native.voteSignature(vote.open(this, 'this')));
  }
  verify(committee) {
    return verifiedVote.make(native.voteVerify(vote.open(this, 'this'), openCommittee(committee, 'committee')));
  }
  verifyAsync(committee, options) {
    const begin = (flag) =>
      native.voteVerifyAsync(vote.open(this, 'this'), openCommittee(committee, 'committee'), flag);
    return offThread(options, begin, verifiedVote.make);
  }
  equals(other) {
    return native.voteEquals(vote.open(this, 'this'), vote.open(other, 'other'));
  }
  toString() {
    return `Vote(member ${this.signer}, ${this.statement})`;
  }
}
const makeVote = (handle) => vote.make(Vote, handle);
const verifiedVote = verified(
  'VerifiedVote',
  (handle) => makeVote(native.verifiedVoteValue(handle)),
  native.verifiedVoteCommittee,
);

class Suspects extends suspects.Sealed {
  constructor() {
    super(suspects.key, native.suspectsNew());
  }
  contains(member) {
    return native.suspectsContains(suspects.open(this, 'this'), u16(member, 'member'));
  }
  get size() {
    return native.suspectsSize(suspects.open(this, 'this'));
  }
  [Symbol.iterator]() {
    return native.suspectsMembers(suspects.open(this, 'this'))[Symbol.iterator]();
  }
  accuse(member) {
    native.suspectsAccuse(suspects.open(this, 'this'), u16(member, 'member'));
  }
  decay() {
    native.suspectsDecay(suspects.open(this, 'this'));
  }
  toString() {
    return `Suspects([${[...this].join(', ')}])`;
  }
}

module.exports = {
  Vote,
  VerifiedVote: verifiedVote.Class,
  Suspects,
  openVote: vote.open,
  makeVote,
  isVerifiedVote: verifiedVote.is,
  openVerifiedVote: verifiedVote.open,
  openSuspects: suspects.open,
};
