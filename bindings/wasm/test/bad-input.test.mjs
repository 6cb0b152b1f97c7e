// What is handed in wrongly: the language's own errors for types and ranges, ours for the rest, and nothing worse.

import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import * as q from 'quorate-wasm';
import * as small from 'quorate-wasm/certificate';

const chain = q.ChainId.fromName('bad input');
const NOT_BYTES = [undefined, null, 7, 7n, 'ff', true, {}, [1, 2], () => {}, Symbol('x'), new ArrayBuffer(4), new DataView(new ArrayBuffer(4)), new Uint16Array(4), Object.create(Uint8Array.prototype)];
const NOT_OBJECTS = [undefined, null, 7, 'x', {}, [], chain, new Uint8Array(3)];
const NOT_U64 = [undefined, null, 7, '7', {}, 7.5];

function member(suite = 'ed25519') {
  const secret = q.SecretKey.generate(suite);
  const key = q.VerifiedKey.of(secret);
  return { secret, key, committee: new q.Committee(chain, 1n, [[key, 5n]]) };
}
const { secret, key, committee } = member();
const statement = committee.statement(1, 2n, new Uint8Array(32));
const vote = q.Vote.signUnguarded(secret, committee, statement);
const coded = (code) => (error) => error instanceof q.QuorateError && error.code === code;

test('wrong types are TypeErrors that name the argument', () => {
  for (const bad of NOT_BYTES) {
    const calls = [
      () => q.PublicKey.decode('ed25519', bad),
      () => q.SecretKey.fromBytes('ed25519', bad),
      () => secret.sign(bad),
      () => q.Statement.decode(bad),
      () => committee.statement(1, 2n, bad),
      () => q.Certificate.decode(bad, committee),
      () => q.wire.hash('x', bad),
      () => new q.wire.Reader(bad),
      () => new q.wire.Writer().raw(bad),
      () => new q.Merkle('a', 'b').leaf(bad),
      () => q.ChainId.fromBytes(bad),
      () => small.Certificate.decode(bad, committee),
    ];
    for (const call of calls) assert.throws(call, TypeError);
  }
  for (const bad of NOT_OBJECTS) {
    const calls = [
      () => new q.Vote(bad, 0, vote.signature),
      () => new q.Vote(statement, 0, bad),
      () => vote.verify(bad),
      () => q.VerifiedKey.of(bad),
      () => new q.UnverifiedKey(bad, vote.signature),
      () => committee.hasQuorum(bad),
      () => new q.VoteCollector(bad, 1, 2n),
      () => new q.VoteCollector(committee, 1, 2n).add(bad, new q.Suspects()),
      () => new q.VoteCollector(committee, 1, 2n).add(vote, bad),
      () => new q.Equivocation(vote, bad),
      () => statement.identity(bad),
      () => key.public.verify(new Uint8Array(1), bad),
      () => q.bls.aggregate([bad]),
    ];
    for (const call of calls) assert.throws(call, TypeError);
  }
  for (const bad of NOT_U64) assert.throws(() => committee.statement(1, bad, new Uint8Array(32)), TypeError);
  for (const bad of [undefined, null, 7, {}, 'abc']) {
    assert.throws(() => q.Committee.fromAttested(chain, 1n, bad), TypeError);
    assert.throws(() => new q.Committee(chain, 1n, [bad]), TypeError);
  }
  for (const bad of [undefined, null, 1, {}]) {
    assert.throws(() => q.SecretKey.generate(bad), TypeError);
    assert.throws(() => q.ChainId.fromName(bad), TypeError);
  }
  assert.throws(() => new q.VoteCollector(committee, 1, 2n, 7), TypeError);
  assert.throws(() => new q.VoteCollector(committee, 1, 2n, { batchThreshold: 'x' }), TypeError);
  assert.throws(() => committee.signerSet({}), TypeError);
  assert.throws(() => committee.signerSet({ indices: [0], lsbFirst: new Uint8Array(1) }), TypeError);
  assert.throws(() => q.PublicKey.decode('ed25519', 'ff'), /bytes must be a Uint8Array, not a string/);
});

test('numbers out of range are RangeErrors', () => {
  for (const kind of [-1, 256, 1.5, NaN, Infinity]) assert.throws(() => committee.statement(kind, 1n, new Uint8Array(32)), RangeError);
  for (const view of [-1n, 1n << 64n]) assert.throws(() => committee.statement(1, view, new Uint8Array(32)), RangeError);
  for (const weight of [-1n, 1n << 128n]) assert.throws(() => new q.Committee(chain, 1n, [[key, weight]]), RangeError);
  for (const n of [65_536, 1e9, -1, 2 ** 53]) assert.throws(() => new q.SignerSet(n), RangeError);
  assert.throws(() => new q.Vote(statement, 65_536, vote.signature), RangeError);
  for (const length of [-1, 0.5, 2 ** 53]) assert.throws(() => new q.wire.Reader(new Uint8Array(1)).raw(length), RangeError);
});

test('wrong contents have codes', () => {
  const cases = {
    MALFORMED: [
      () => q.PublicKey.decode('bls-min-sig', new Uint8Array(3)),
      () => q.ChainId.fromBytes(new Uint8Array(31)),
      () => committee.statement(1, 1n, new Uint8Array(33)),
      () => q.wire.Reader.prototype.u64.call(new q.wire.Reader(new Uint8Array(7))),
      () => new q.Merkle('a', 'b').root([new Uint8Array(31)]),
      () => new q.Merkle('a', 'b').path([], 0),
    ],
    WRONG_CONTEXT: [() => q.SecretKey.generate('rsa'), () => member('bls-min-pk').key.public.verify(new Uint8Array(1), vote.signature)],
    BAD_COMMITTEE: [() => new q.Committee(chain, 1n, []), () => new q.Committee(chain, 1n, [[key, 0n]])],
    UNKNOWN_SIGNER: [() => q.SignerSet.from(4, [4]), () => committee.signerSet({ indices: [4_000_000_000] })],
    TOO_LARGE: [() => new q.wire.Reader(new Uint8Array([255, 255, 255, 255])).bytes(10), () => secret.sign(new Uint8Array((1 << 28) + 1))],
    BELOW_QUORUM: [() => committee.requireQuorum(new q.SignerSet(1))],
  };
  for (const [code, calls] of Object.entries(cases)) for (const call of calls) assert.throws(call, coded(code));
});

test('an iterable without end, or that throws, does no harm', () => {
  const endless = { *[Symbol.iterator]() { for (;;) yield [key, 1n]; } };
  assert.throws(() => new q.Committee(chain, 1n, endless), coded('BAD_COMMITTEE'));
  const angry = { *[Symbol.iterator]() { yield [key, 1n]; throw new Error('mine'); } };
  assert.throws(() => new q.Committee(chain, 1n, angry), /mine/);
});

test('detached bytes are refused, shared and partial ones are read', () => {
  const gone = new Uint8Array(32);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(() => secret.sign(gone), /detached/);
  assert.throws(() => q.ChainId.fromBytes(gone), TypeError);
  const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(3);
  const signed = secret.sign(shared);
  key.public.verify(new Uint8Array(8).fill(3), signed);
  const part = new Uint8Array(16).fill(3).subarray(4, 12);
  key.public.verify(part, signed);
  class Liar extends Uint8Array { get length() { return 4; } }
  assert.throws(() => secret.sign(new Liar(8)), /hides its length/);
});

test('what was freed says CLOSED, twice freeing does nothing', () => {
  for (const make of [
    () => [q.SecretKey.generate('ed25519'), (o) => o.sign(new Uint8Array(1))],
    () => [q.Statement.decode(statement.encode()), (o) => o.encode()],
    () => [q.Vote.decode('ed25519', vote.encode()), (o) => o.verify(committee)],
    () => [member().committee, (o) => vote.verify(o)],
    () => [new q.Suspects(), (o) => new q.VoteCollector(committee, 1, 2n).add(vote, o)],
    () => [new q.VoteCollector(committee, 1, 2n), (o) => o.add(vote, new q.Suspects())],
    () => [new q.wire.Writer(), (o) => o.u8(1)],
  ]) {
    const [object, use] = make();
    object.free();
    object.free();
    assert.throws(() => use(object), coded('CLOSED'));
    assert(inspectable(object));
  }
  const owned = q.SecretKey.generate('ed25519');
  const guard = new q.Guard(owned, chain);
  assert(owned.closed);
  assert.throws(() => owned.publicKey(), coded('CLOSED'));
  guard.close();
  assert.throws(() => guard.records(), coded('CLOSED'));
});

function inspectable(object) {
  try {
    return inspect(object).length > 0;
  } catch (error) {
    return error.code === 'CLOSED';
  }
}

test('secrets never show themselves', () => {
  const bytes = Buffer.from(secret.toBytes());
  const shown = [String(secret), inspect(secret, { showHidden: true, depth: 9 }), JSON.stringify({ secret }), Object.keys(secret).join()];
  const guard = new q.Guard(q.SecretKey.fromBytes('ed25519', bytes), chain);
  shown.push(String(guard), inspect(guard, { showHidden: true, depth: 9 }), JSON.stringify({ guard }));
  for (const text of shown) for (const form of ['hex', 'base64']) assert(!text.includes(bytes.toString(form)), text);
  assert.equal(String(secret), 'SecretKey(ed25519)');
  assert.throws(() => structuredClone({ secret }.secret).sign(new Uint8Array(1)), TypeError);
});

test('nothing can be forged', () => {
  for (const Class of [q.VerifiedVote, q.VerifiedKey, q.VerifiedCertificate, q.Certificate, q.SecretKey, q.ChainId, q.GuardRecord, q.QuorateError]) {
    assert.throws(() => new Class(), TypeError);
    assert.throws(() => new Class(Symbol('quorate'), {}), TypeError);
  }
  const forged = Object.create(q.VerifiedVote.prototype);
  assert.throws(() => new q.VoteCollector(committee, 1, 2n).add(forged, new q.Suspects()), TypeError);
  // A verified vote of one committee is no verified vote of another.
  const elsewhere = new q.Committee(q.ChainId.fromName('other'), 1n, [[key, 5n]]);
  const { certificate, faults } = new q.VoteCollector(elsewhere, 1, 2n).add(vote.verify(committee), new q.Suspects());
  assert.equal(certificate, undefined);
  assert.equal(faults.length, 1);
});

test('random bytes decode to an error or to themselves', () => {
  let state = 7;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24;
  for (let round = 0; round < 3000; round += 1) {
    const data = Uint8Array.from({ length: next() % 130 }, next);
    for (const suite of Object.values(q.Suite)) {
      for (const decode of [
        () => q.PublicKey.decode(suite, data),
        () => q.Signature.decode(suite, data),
        () => q.Vote.decode(suite, data),
        () => q.Equivocation.decode(suite, data),
        () => q.Certificate.decode(data, committee),
        () => q.Path.decode(data),
      ]) {
        try {
          assert.deepEqual(decode().encode(), data);
        } catch (error) {
          if (!(error instanceof q.QuorateError)) throw error;
        }
      }
    }
  }
});
