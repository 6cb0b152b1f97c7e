'use strict';

const native = require('./native.js');
const { bytes, string } = require('./check.js');
const { hex } = require('./hex.js');
const { sealed } = require('./sealed.js');

const chainId = sealed('ChainId');
const committeeId = sealed('CommitteeId');

class ChainId extends chainId.Sealed {
  static fromName(name) {
    return makeChainId(native.chainIdFromName(string(name, 'name')));
  }
  static fromBytes(data) {
    return makeChainId(native.chainIdFromBytes(bytes(data, 'bytes')));
  }
  get bytes() {
    return native.chainIdBytes(chainId.open(this, 'this'));
  }
  equals(other) {
    chainId.open(other, 'other');
    return this.toString() === other.toString();
  }
  toString() {
    return hex(this.bytes);
  }
  toJSON() {
    return this.toString();
  }
}
const makeChainId = (handle) => chainId.make(ChainId, handle);

class CommitteeId extends committeeId.Sealed {
  static fromBytes(data) {
    return makeCommitteeId(native.committeeIdFromBytes(bytes(data, 'bytes')));
  }
  get bytes() {
    return native.committeeIdBytes(committeeId.open(this, 'this'));
  }
  equals(other) {
    committeeId.open(other, 'other');
    return this.toString() === other.toString();
  }
  toString() {
    return hex(this.bytes);
  }
  toJSON() {
    return this.toString();
  }
}
const makeCommitteeId = (handle) => committeeId.make(CommitteeId, handle);

module.exports = {
  ChainId,
  CommitteeId,
  openChainId: chainId.open,
  openCommitteeId: committeeId.open,
  makeChainId,
  makeCommitteeId,
};
