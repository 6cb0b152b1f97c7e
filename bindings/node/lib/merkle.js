'use strict';

const native = require('./native.js');
const { bytes, list, string, u32 } = require('./check.js');
const { sealed } = require('./sealed.js');

const merkle = sealed('Merkle');
const path = sealed('Path');

class Merkle extends merkle.Sealed {
  constructor(leafDomain, nodeDomain) {
    super(merkle.key, [string(leafDomain, 'leafDomain'), string(nodeDomain, 'nodeDomain')]);
  }
  get leafDomain() {
    return merkle.open(this, 'this')[0];
  }
  get nodeDomain() {
    return merkle.open(this, 'this')[1];
  }
  leaf(item) {
    return native.wireHash(this.leafDomain, bytes(item, 'item'));
  }
  leaves(items) {
    return native.merkleLeaves(...merkle.open(this, 'this'), list(items, 'items', bytes));
  }
  root(leaves) {
    return native.merkleRoot(...merkle.open(this, 'this'), list(leaves, 'leaves', bytes));
  }
  path(leaves, index) {
    const parts = [list(leaves, 'leaves', bytes), u32(index, 'index')];
    return makePath(native.merklePath(...merkle.open(this, 'this'), ...parts));
  }
  verify(root, leaf, way) {
    const parts = [bytes(root, 'root'), bytes(leaf, 'leaf'), path.open(way, 'path')];
    native.merkleVerify(...merkle.open(this, 'this'), ...parts);
  }
  toString() {
    return `Merkle(${this.leafDomain}, ${this.nodeDomain})`;
  }
}

class Path extends path.Sealed {
  static decode(data) {
    return makePath(native.pathDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.pathEncode(path.open(this, 'this'));
  }
  get index() {
    return native.pathIndex(path.open(this, 'this'));
  }
  get count() {
    return native.pathCount(path.open(this, 'this'));
  }
  siblings() {
    return native.pathSiblings(path.open(this, 'this'));
  }
  equals(other) {
    return native.pathEquals(path.open(this, 'this'), path.open(other, 'other'));
  }
  toString() {
    return `Path(leaf ${this.index} of ${this.count})`;
  }
}
const makePath = (handle) => path.make(Path, handle);

module.exports = { Merkle, Path };
