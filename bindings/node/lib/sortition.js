'use strict';
// `sortition`: leader sortition.

const native = require('./native.js');
const { bytes, optional, suite, u16, u64 } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { hex } = require('./hex.js');
const { openChainId } = require('./ids.js');
const { makeSignature, openSecretKey, openSignature } = require('./keys.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { verified } = require('./verified.js');

const seed = sealed('Seed');
const seedProof = sealed('SeedProof');
const lottery = sealed('Lottery');
const ticket = sealed('Ticket');
const score = sealed('Score');

class Seed extends seed.Sealed {
  static genesis(chain, data) {
    return makeSeed(native.seedGenesis(openChainId(chain, 'chain'), bytes(data, 'bytes')));
  }
  static decode(data) {
    return makeSeed(native.seedDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.seedEncode(seed.open(this, 'this'));
  }
  get height() {
    return native.seedHeight(seed.open(this, 'this'));
  }
  get value() {
    return native.seedValue(seed.open(this, 'this'));
  }
  next(proof, committee) {
    const parts = [seedProof.open(proof, 'proof'), openCommittee(committee, 'committee')];
    return makeSeed(native.seedNext(seed.open(this, 'this'), ...parts));
  }
  equals(other) {
    return native.seedEquals(seed.open(this, 'this'), seed.open(other, 'other'));
  }
  toString() {
    return `Seed(${this.height}, ${hex(this.value)})`;
  }
}
const makeSeed = (handle) => seed.make(Seed, handle);

class SeedProof extends seedProof.Sealed {
  constructor(signer, signature) {
    super(seedProof.key, native.seedProofNew(u16(signer, 'signer'), openSignature(signature, 'signature')));
  }
  static sign(secret, committee, from) {
    const parts = [openSecretKey(secret, 'secret'), openCommittee(committee, 'committee'), seed.open(from, 'seed')];
    return makeSeedProof(native.seedProofSign(...parts));
  }
  static decode(name, data) {
    return makeSeedProof(native.seedProofDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.seedProofEncode(seedProof.open(this, 'this'));
  }
  static decodeDetached(name, data, signer) {
    const parts = [suite(name), bytes(data, 'bytes'), u16(signer, 'signer')];
    return makeSeedProof(native.seedProofDecodeDetached(...parts));
  }
  encodeDetached() {
    return native.seedProofEncodeDetached(seedProof.open(this, 'this'));
  }
  get suite() {
    return native.seedProofSuite(seedProof.open(this, 'this'));
  }
  get signer() {
    return native.seedProofSigner(seedProof.open(this, 'this'));
  }
  get signature() {
    return makeSignature(native.seedProofSignature(seedProof.open(this, 'this')));
  }
  equals(other) {
    return native.seedProofEquals(seedProof.open(this, 'this'), seedProof.open(other, 'other'));
  }
  toString() {
    return `SeedProof(member ${this.signer})`;
  }
}
const makeSeedProof = (handle) => seedProof.make(SeedProof, handle);

class Lottery extends lottery.Sealed {
  #committee;
  constructor(committee, from, round, expected) {
    const parts = [openCommittee(committee, 'committee'), seed.open(from, 'seed'), u64(round, 'round')];
    if (optional(u16)(expected, 'expected') === 0) throw new RangeError('expected must be an integer from 1 to 65535, not 0');
    super(lottery.key, native.lotteryNew(...parts, expected));
    this.#committee = committee;
  }
  draw(secret) {
    const drawn = native.lotteryDraw(lottery.open(this, 'this'), openSecretKey(secret, 'secret'));
    return drawn ? verifiedTicket.make(drawn) : undefined;
  }
  get committee() {
    return this.#committee;
  }
  get seed() {
    return makeSeed(native.lotterySeed(lottery.open(this, 'this')));
  }
  get round() {
    return native.lotteryRound(lottery.open(this, 'this'));
  }
  get expected() {
    return native.lotteryExpected(lottery.open(this, 'this'));
  }
  toString() {
    return `Lottery(round ${this.round}, ${this.seed}, expected ${this.expected})`;
  }
}

class Ticket extends ticket.Sealed {
  constructor(round, member, signature) {
    const parts = [u64(round, 'round'), u16(member, 'member'), openSignature(signature, 'signature')];
    super(ticket.key, native.ticketNew(...parts));
  }
  static decode(name, data) {
    return makeTicket(native.ticketDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.ticketEncode(ticket.open(this, 'this'));
  }
  static decodeDetached(name, data, round, member) {
    const parts = [suite(name), bytes(data, 'bytes'), u64(round, 'round'), u16(member, 'member')];
    return makeTicket(native.ticketDecodeDetached(...parts));
  }
  encodeDetached() {
    return native.ticketEncodeDetached(ticket.open(this, 'this'));
  }
  get suite() {
    return native.ticketSuite(ticket.open(this, 'this'));
  }
  get round() {
    return native.ticketRound(ticket.open(this, 'this'));
  }
  get member() {
    return native.ticketMember(ticket.open(this, 'this'));
  }
  get signature() {
    return makeSignature(native.ticketSignature(ticket.open(this, 'this')));
  }
  verify(of) {
    return verifiedTicket.make(native.ticketVerify(ticket.open(this, 'this'), lottery.open(of, 'lottery')));
  }
  verifyAsync(of, options) {
    const begin = (flag) => native.ticketVerifyAsync(ticket.open(this, 'this'), lottery.open(of, 'lottery'), flag);
    return offThread(options, begin, verifiedTicket.make);
  }
  equals(other) {
    return native.ticketEquals(ticket.open(this, 'this'), ticket.open(other, 'other'));
  }
  toString() {
    return `Ticket(round ${this.round}, member ${this.member})`;
  }
}
const makeTicket = (handle) => ticket.make(Ticket, handle);
const verifiedTicket = verified(
  'VerifiedTicket',
  (handle) => makeTicket(native.verifiedTicketValue(handle)),
  native.verifiedTicketCommittee,
  {
    get score() {
      return score.make(Score, native.verifiedTicketScore(verifiedTicket.open(this, 'this')));
    },
  },
);

class Score extends score.Sealed {
  get bytes() {
    return native.scoreBytes(score.open(this, 'this'));
  }
  compare(other) {
    return native.scoreCompare(score.open(this, 'this'), score.open(other, 'other'));
  }
  equals(other) {
    return this.compare(other) === 0;
  }
  toString() {
    return hex(this.bytes);
  }
  toJSON() {
    return this.toString();
  }
}

module.exports = {
  EXPECTED_WINNERS: native.constants().expectedWinners,
  Seed,
  SeedProof,
  Lottery,
  Ticket,
  VerifiedTicket: verifiedTicket.Class,
  Score,
};
