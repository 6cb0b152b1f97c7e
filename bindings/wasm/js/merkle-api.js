// Merkle trees.

import { bytes, list, string, u32 } from './check.js';
import { equal, fill } from './common.js';
import { Handle, TOKEN, open, wrap } from './handle.js';

export function merkleApi(wasm) {
  class Path extends Handle {
    static decode(data) {
      return wrap(Path, wasm().Path.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Path).encode();
    }
    get index() {
      return open(this, Path).index();
    }
    get count() {
      return open(this, Path).count();
    }
    siblings() {
      const all = open(this, Path).siblings();
      return Array.from({ length: all.length / 32 }, (_, i) => all.slice(32 * i, 32 * i + 32));
    }
    toString() {
      return `Path(${this.index} of ${this.count})`;
    }
  }

  class Merkle extends Handle {
    #domains;
    constructor(leafDomain, nodeDomain) {
      super(TOKEN, wasm().Merkle.new(string(leafDomain, 'leafDomain'), string(nodeDomain, 'nodeDomain')));
      this.#domains = [leafDomain, nodeDomain];
    }
    get leafDomain() {
      return this.#domains[0];
    }
    get nodeDomain() {
      return this.#domains[1];
    }
    leaf(item) {
      return open(this, Merkle).leaf(bytes(item, 'item'));
    }
    leaves(items) {
      const raw = open(this, Merkle);
      return list(items, 'items', (item, what) => raw.leaf(bytes(item, what)));
    }
    root(leaves) {
      return open(this, Merkle).root(fill(wasm().Leaves.empty(), leaves, 'leaves', bytes));
    }
    path(leaves, index) {
      const raw = open(this, Merkle);
      u32(index, 'index');
      return wrap(Path, raw.path(fill(wasm().Leaves.empty(), leaves, 'leaves', bytes), index));
    }
    verify(root, leaf, path) {
      open(this, Merkle).verify(bytes(root, 'root'), bytes(leaf, 'leaf'), open(path, Path, 'path'));
    }
    toString() {
      return `Merkle(${this.leafDomain}, ${this.nodeDomain})`;
    }
  }

  Path.prototype.equals = equal(Path);
  return { Merkle, Path };
}
