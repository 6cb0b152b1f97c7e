// Invalid arguments beyond those of shared.test.mjs: specific to this package, and arrays with false lengths.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as q from 'quorate-wasm';
import * as small from 'quorate-wasm/certificate';

const chain = q.ChainId.fromName('bad input');

const secret = q.SecretKey.generate('ed25519');
const key = q.VerifiedKey.fromSecret(secret);
const committee = new q.Committee(chain, 1n, [[key, 5n]]);
const statement = committee.statement(1, 2n, new Uint8Array(32));
const vote = q.Vote.signUnguarded(secret, committee, statement);
const coded = (code) => (error) => error instanceof q.QuorateError && error.code === code;

test('the small build checks the same', () => {
  for (const bad of [undefined, 'ff', [1, 2], new ArrayBuffer(4), Object.create(Uint8Array.prototype)]) {
    assert.throws(() => small.PublicKey.decode('ed25519', bad), /^TypeError: bytes must be a Uint8Array/);
    assert.throws(() => small.ChainId.fromBytes(bad), /^TypeError: bytes must be a Uint8Array/);
  }
  assert.throws(() => small.Certificate.decode(new Uint8Array(3), committee), /^TypeError: committee must be a Committee/);
  assert.throws(() => new small.SignerSet(65_536), RangeError);
  assert.throws(() => small.PublicKey.decode('ed25519', new Uint8Array(3)), coded('MALFORMED'));
});

test('oversized arguments are refused before they are copied', () => {
  assert.throws(() => secret.sign(new Uint8Array((1 << 28) + 1)), coded('TOO_LARGE'));
  assert.throws(() => committee.signerSet({ indices: [4_000_000_000] }), coded('UNKNOWN_SIGNER'));
});

test('an iterable that throws is harmless', () => {
  const angry = function* (item) { yield item; throw new Error('mine'); };
  assert.throws(() => new q.Committee(chain, 1n, angry([key, 1n])), /mine/);
});

test('shared and partial bytes are read, detached ones are refused', () => {
  const signed = secret.sign(new Uint8Array(8).fill(3));
  const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(3);
  const part = new Uint8Array(16).fill(3).subarray(4, 12);
  for (const bytes of [shared, part]) key.public.verify(bytes, signed);
  const gone = new Uint8Array(32);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(() => secret.sign(gone), /detached/);
  assert.throws(() => q.ChainId.fromBytes(gone), TypeError);
});

test('arrays with false lengths are read by their real length', () => {
  // The glue reads the length twice: it allocates by the first result and copies by the real length.
  class Liar extends Uint8Array {
    asked = 0;
    get length() { return this.asked++ ? 4 : super.length; }
    get buffer() { return new ArrayBuffer(1); }
    *[Symbol.iterator]() { yield 7; }
  }
  class Short extends Uint8Array { get length() { return 4; } }
  for (const Class of [Liar, Short]) {
    const message = new Class(8192).fill(9);
    const signatures = Array.from({ length: 20 }, () => secret.sign(message));
    for (const signature of signatures) key.public.verify(new Uint8Array(8192).fill(9), signature);
    for (const { ChainId } of [q, small]) assert.deepEqual(ChainId.fromBytes(new Class(32).fill(5)).bytes, new Uint8Array(32).fill(5));
    const { certificate } = new q.VoteCollector(committee, 1, 2n).add(vote, new q.Suspects());
    const detached = Class.from(certificate.value.encodeDetached());
    q.Certificate.decodeDetached(detached, statement, committee).verify(committee);
  }
  // A buffer that grows while it is read, or shrinks before.
  const growing = new Uint8Array(new SharedArrayBuffer(8, { maxByteLength: 1 << 20 })).fill(3);
  const signed = secret.sign(growing);
  growing.buffer.grow(1 << 20);
  key.public.verify(new Uint8Array(8).fill(3), signed);
  assert.throws(() => key.public.verify(growing, signed), coded('BAD_SIGNATURE'));
  const shrinking = new ArrayBuffer(64, { maxByteLength: 64 });
  const digests = [new Uint8Array(shrinking, 0, 32), new Uint8Array(shrinking, 32, 32)];
  const tree = new q.Merkle('a', 'b');
  const leaves = function* () { yield digests[1]; shrinking.resize(32); yield digests[0]; };
  assert.throws(() => tree.root(leaves()), TypeError);
  assert.throws(() => tree.leaf(digests[1]), /out of bounds/);
});
