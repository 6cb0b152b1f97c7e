// Invalid arguments give the language's own kind of error, or a QuorateError with its code, and never anything else.
// Each entry is a test of its own; `assert` is a parameter so that browsers can run them too.
import { oneOfEach, world } from './world.mjs';

const NOT_BYTES = [undefined, null, 0, 'text', {}, [], [1, 2], new ArrayBuffer(4), new DataView(new ArrayBuffer(4)), new Uint16Array(2), () => {}, Symbol('s'), 1n];
const NOT_OBJECTS = [undefined, null, 0, 'text', {}, [], () => {}, Symbol('s'), 1n, Object.create(null)];

export function badInput(q, assert) {
  const type = (call, pattern) => assert.throws(call, (e) => e instanceof TypeError && (!pattern || pattern.test(e.message)));
  const range = (call, name) => assert.throws(call, (e) => e instanceof RangeError && e.message.includes(name));
  const code = (call, wanted) => assert.throws(call, (e) => e instanceof q.QuorateError && e.code === wanted);

  return {
    'arguments that are not bytes'() {
      for (const value of NOT_BYTES) {
        type(() => q.PublicKey.decode('ed25519', value), /^bytes must be a Uint8Array/);
        type(() => q.SecretKey.generate('ed25519').sign(value), /^message/);
        type(() => new q.wire.Writer().raw(value), /^bytes/);
        type(() => q.ChainId.fromBytes(value), /^bytes/);
      }
    },
    'objects of another class'() {
      const { committee, statement, votes, secrets } = world(q);
      for (const value of [...NOT_OBJECTS, committee, new Proxy(votes[0].signature, {})]) {
        type(() => new q.Vote(statement, 0, value), /^signature must be a Signature/);
        type(() => votes[0].equals(value), /^other must be a Vote/);
      }
      for (const value of [...NOT_OBJECTS, statement]) {
        type(() => votes[0].verify(value), /^committee must be a Committee/);
        type(() => new q.VoteCollector(value, 1, 1n), /^committee/);
      }
      type(() => new q.Committee(committee.id, 0n, []), /^chain must be a ChainId/);
      type(() => statement.identity(committee.chain), /^committee must be a CommitteeId/);
      type(() => new q.Committee(committee.chain, 0n, [[secrets[0].publicKey(), 1n]]), /^members\[0\]\[0\] must be a VerifiedKey/);
      type(() => new q.Committee(committee.chain, 0n, [[q.VerifiedKey.fromSecret(secrets[0])]]), /^members\[0\] must be an array of two/);
      type(() => new q.Committee(committee.chain, 0n, 7), /^members must be iterable/);
      type(() => q.bls.aggregate('text'), /^signatures must be iterable/);
    },
    'numbers'() {
      const { committee, secrets, votes, statement } = world(q);
      const digest = new Uint8Array(32);
      for (const value of [-1, 256, 1.5, NaN, Infinity, 2 ** 53]) range(() => committee.statement(value, 1n, digest), 'kind');
      for (const value of ['1', 1n, null, undefined, {}]) type(() => committee.statement(value, 1n, digest), /^kind must be a number/);
      for (const value of [-1n, 1n << 64n, 1n << 5000n]) range(() => committee.statement(1, value, digest), 'view');
      for (const value of [1, '1', null, undefined, {}]) type(() => committee.statement(1, value, digest), /^view must be a bigint/);
      for (const value of [-1n, 1n << 128n]) range(() => new q.Committee(committee.chain, 0n, [[q.VerifiedKey.fromSecret(secrets[0]), value]]), 'members[0][1]');
      for (const value of [65_536, -1, 0.5]) {
        range(() => new q.Vote(statement, value, votes[0].signature), 'signer');
        range(() => new q.SignerSet(value), 'committeeSize');
        range(() => new q.Suspects().accuse(value), 'member');
        range(() => new q.VoteCollector(committee, 1, 1n, { failureLimit: value }), 'failureLimit');
      }
      range(() => new q.wire.Writer().u16(65_536), 'value');
      range(() => new q.wire.Reader(digest).raw(-1), 'n');
      range(() => new q.Merkle('a', 'b').path([digest], 2 ** 32), 'index');
      assert.equal(committee.weight(4), undefined);
      assert.equal(committee.key(65_535), undefined);
    },
    'suites'() {
      for (const value of ['', 'bls', 'BLS-MIN-SIG', '__proto__']) code(() => q.SecretKey.generate(value), 'WRONG_CONTEXT');
      for (const value of [undefined, null, 1, {}, []]) type(() => q.SecretKey.generate(value), /^suite must be a string/);
      const [a, b] = ['ed25519', 'bls-min-pk'].map((suite) => q.SecretKey.generate(suite));
      code(() => a.publicKey().verify(new Uint8Array(1), b.sign(new Uint8Array(1))), 'WRONG_CONTEXT');
      code(() => new q.UnverifiedKey(a.publicKey(), b.provePossession()), 'WRONG_CONTEXT');
      code(() => new q.Committee(q.ChainId.fromName('x'), 0n, [a, b].map((key) => [q.VerifiedKey.fromSecret(key), 1n])), 'WRONG_CONTEXT');
      code(() => q.bls.aggregate([a.sign(new Uint8Array(1))]), 'WRONG_CONTEXT');
      code(() => world(q, 'ed25519').votes[0].verify(world(q, 'bls-min-pk').committee), 'WRONG_CONTEXT');
    },
    'wrong lengths and bytes'() {
      const { committee, merkle, path } = world(q);
      for (const length of [0, 1, 31, 33, 1000]) {
        const data = new Uint8Array(length);
        code(() => committee.statement(1, 1n, data), 'MALFORMED');
        code(() => q.ChainId.fromBytes(data), 'MALFORMED');
        code(() => q.CommitteeId.fromBytes(data), 'MALFORMED');
        code(() => q.SecretKey.fromBytes('ed25519', data), 'MALFORMED');
        code(() => merkle.root([data]), 'MALFORMED');
        code(() => merkle.verify(new Uint8Array(32), data, path), 'MALFORMED');
        code(() => q.GuardRecord.decode(data), 'MALFORMED');
      }
      assert.throws(() => q.Certificate.decode(new Uint8Array(100_000_000), committee), q.QuorateError);
      code(() => new q.wire.Reader(new Uint8Array(3)).u32(), 'MALFORMED');
      code(() => new q.wire.Reader(new Uint8Array(4).fill(255)).bytes(10), 'TOO_LARGE');
      code(() => new q.wire.Reader(new Uint8Array(3)).raw(Number.MAX_SAFE_INTEGER), 'MALFORMED');
      code(() => new q.wire.Reader(new Uint8Array(3)).finish(), 'MALFORMED');
      code(() => new q.wire.Reader(new Uint8Array([2])).option(), 'MALFORMED');
      const writer = new q.wire.Writer();
      writer.u8(1);
      assert.deepEqual([...writer.intoBytes()], [1]);
      assert.equal(writer.length, 0);
      writer.u8(2);
      assert.deepEqual([...writer.intoBytes()], [2]);
    },
    'invalid committees'() {
      const { chain, secrets } = world(q, 'ed25519');
      const key = q.VerifiedKey.fromSecret(secrets[0]);
      code(() => new q.Committee(chain, 0n, []), 'BAD_COMMITTEE');
      code(() => new q.Committee(chain, 0n, [[key, 0n]]), 'BAD_COMMITTEE');
      code(() => new q.Committee(chain, 0n, [[key, 1n << 126n]]), 'BAD_COMMITTEE');
      code(() => new q.Committee(chain, 0n, [[key, 1n], [key, 1n]]), 'RELATED_KEYS');
      // An endless list is read no further than the maximum size of a committee.
      const endless = { *[Symbol.iterator]() { for (;;) yield [secrets[0].publicKey(), 1n]; } };
      code(() => q.Committee.fromAttested(chain, 0n, endless, { allowRepeats: true }), 'BAD_COMMITTEE');
      type(() => q.Committee.fromAttested(chain, 0n, [], { allowRepeats: 1 }), /allowRepeats must be a boolean/);
      type(() => q.Committee.fromAttested(chain, 0n, [], 'yes'), /^options must be an object/);
    },
    'signer sets'() {
      const { committee } = world(q, 'ed25519');
      assert.deepEqual([...q.SignerSet.fromMembers(4, [3, 1])], [1, 3]);
      code(() => q.SignerSet.fromMembers(4, [4]), 'UNKNOWN_SIGNER');
      code(() => q.SignerSet.fromMembers(4, [1, 1]), 'DUPLICATE_SIGNER');
      range(() => q.SignerSet.fromMembers(4, [65_536]), 'members[0]');
      // An endless list is read no further than the maximum size of a committee.
      const endless = { *[Symbol.iterator]() { for (;;) yield 1; } };
      code(() => q.SignerSet.fromMembers(65_535, endless), 'DUPLICATE_SIGNER');
      code(() => committee.signerSet({ indices: endless }), 'DUPLICATE_SIGNER');
      assert.throws(() => q.SignerSet.fromMembers(3, Array(100_000).fill().map((_, i) => i)), (e) => e.code === 'UNKNOWN_SIGNER' && e.details.index === 3);
      code(() => committee.signerSet({ indices: [0, 4] }), 'UNKNOWN_SIGNER');
      code(() => committee.signerSet({ indices: [1, 1] }), 'DUPLICATE_SIGNER');
      code(() => committee.signerSet({ lsbFirst: new Uint8Array(2) }), 'MALFORMED');
      code(() => committee.signerSet({ msbFirst: new Uint8Array([1]) }), 'NON_CANONICAL');
      for (const value of [undefined, null, {}, { indices: [], lsbFirst: new Uint8Array(1) }]) type(() => committee.signerSet(value));
      type(() => committee.signerSet({ lsbFirst: null }), /lsbFirst must be a Uint8Array/);
      code(() => committee.requireQuorum(q.SignerSet.fromMembers(4, [0, 1])), 'BELOW_QUORUM');
      assert.equal(new q.SignerSet(4).insert(4), false);
      assert.deepEqual([...new q.SignerSet(4, [3, 1])], [1, 3]);
      code(() => new q.SignerSet(4, [9]), 'UNKNOWN_SIGNER');
      code(() => new q.SignerSet(4, [1, 1]), 'DUPLICATE_SIGNER');
      for (const value of [null, 9, 'text', {}]) type(() => new q.SignerSet(4, value), /^members must be iterable/);
      for (const value of [null, undefined]) type(() => q.SignerSet.fromMembers(4, value), /^members must be iterable/);
    },
    'errors have details and culprits'() {
      const { committee, statement, votes } = world(q);
      const forged = new q.Vote(statement, 3, votes[0].signature);
      assert.throws(() => forged.verify(committee), (e) => {
        assert.deepEqual([e.name, e.code, e.culprits, e.details], ['BadSignatureError', 'BAD_SIGNATURE', [3], { signers: [3] }]);
        return e instanceof q.BadSignatureError && e instanceof q.QuorateError && e instanceof Error && e.message.includes('3');
      });
      assert.throws(() => committee.requireQuorum(new q.SignerSet(4)), (e) => {
        assert.deepEqual(e.details, { signed: 0n, needed: 3n });
        return e instanceof q.BelowQuorumError;
      });
      assert.throws(() => q.SignerSet.fromMembers(4, [9]), (e) => e.details.index === 9);
      type(() => new q.QuorateError('x', 'MALFORMED'));
    },
    'a guard takes its secret and refuses contradictions'() {
      const { committee, statement, other, secrets, chain, guard } = world(q);
      assert.throws(() => guard.sign(committee, other), (e) => {
        assert.deepEqual(e.details, { kind: 1, signedView: 9n });
        return e instanceof q.ContradictionError;
      });
      const records = guard.records();
      code(() => q.Guard.restore(secrets[1], chain, records), 'WRONG_CONTEXT');
      assert.equal(secrets[1].closed, true);
      const owned = q.SecretKey.fromBytes(secrets[0].suite, secrets[0].toBytes());
      const angry = { *[Symbol.iterator]() { throw new Error('mine'); } };
      assert.throws(() => q.Guard.restore(owned, chain, angry), /mine/);
      assert(owned.closed, 'a guard takes its secret also if it cannot be restored');
      const again = q.SecretKey.fromBytes(secrets[0].suite, secrets[0].toBytes());
      const endless = { *[Symbol.iterator]() { for (;;) yield records[0]; } };
      assert.throws(() => q.Guard.restore(again, chain, endless), (e) => e.code === 'TOO_LARGE' && e.details.limit === 1n << 22n);
      assert(again.closed);
      const restored = q.Guard.restore(secrets[0], chain, records);
      assert.equal(secrets[0].closed, true);
      code(() => secrets[0].sign(new Uint8Array(1)), 'CLOSED');
      code(() => new q.Guard(secrets[0], chain), 'CLOSED');
      code(() => restored.sign(committee, other), 'CONTRADICTION');
      assert.equal(restored.sign(committee, statement).record.equals(records[0]), true);
      restored.close();
      restored.close();
      code(() => restored.sign(committee, statement), 'CLOSED');
      code(() => restored.publicKey(), 'CLOSED');
      assert.equal(String(restored), 'Guard(closed)');
      assert.equal(restored.closed, true);
    },
    'a closed secret'() {
      const secret = q.SecretKey.generate('bls-min-sig');
      const { committee, statement } = world(q);
      secret.close();
      secret.close();
      for (const use of [
        () => secret.toBytes(),
        () => secret.suite,
        () => secret.publicKey(),
        () => secret.sign(new Uint8Array(1)),
        () => secret.provePossession(),
        () => q.UnverifiedKey.prove(secret),
        () => q.VerifiedKey.fromSecret(secret),
        () => q.Vote.signUnguarded(secret, committee, statement),
      ]) code(use, 'CLOSED');
      assert.equal(String(secret), 'SecretKey(closed)');
      if (Symbol.dispose) secret[Symbol.dispose]();
    },
    'evidence and collectors'() {
      const { committee, statement, other, votes, secrets, certificate } = world(q);
      code(() => new q.Equivocation(votes[0], votes[1]), 'NOT_EVIDENCE');
      code(() => new q.Conflict(certificate.value, certificate.value), 'NOT_EVIDENCE');
      const collector = new q.VoteCollector(committee, 1, 9n);
      const suspects = new q.Suspects();
      const add = (vote) => collector.add(vote, suspects);
      assert.deepEqual(add(votes[0]), { certificate: undefined, faults: [] });
      const [fault] = add(q.Vote.signUnguarded(secrets[0], committee, other)).faults;
      assert.deepEqual([fault.kind, fault.signer, fault.evidence.value.culprits()], ['equivocation', 0, [0]]);
      assert.ok(fault.evidence instanceof q.VerifiedEquivocation);
      add(votes[1]);
      assert.deepEqual(add(new q.Vote(statement, 2, votes[1].signature)).faults, [{ kind: 'bad-signature', signer: 2 }]);
      assert.deepEqual([[...suspects], suspects.contains(2)], [[2], true]);
      const [stray] = add(new q.Vote(committee.statement(1, 8n, new Uint8Array(32)), 3, votes[3].signature)).faults;
      assert.deepEqual([stray.kind, stray.signer, stray.error.code], ['stray', 3, 'WRONG_CONTEXT']);
      assert.ok(add(votes[3].verify(committee)).certificate instanceof q.VerifiedCertificate);
      assert.deepEqual([collector.isDone, collector.topic, collector.committee.equals(committee)], [true, { kind: 1, view: 9n }, true]);
      type(() => collector.add({}, suspects), /^vote must be a Vote/);
      type(() => collector.add(votes[0], null), /^suspects must be a Suspects/);
      code(() => collector.add(world(q, 'ed25519').votes[0], suspects), 'WRONG_CONTEXT');
    },
    'objects cannot be forged'() {
      const objects = oneOfEach(q);
      const unbuildable = ['SecretKey', 'PublicKey', 'Signature', 'VerifiedKey', 'ChainId', 'CommitteeId', 'Ciphersuite', 'VerifiedVote', 'Certificate', 'VerifiedCertificate', 'UntrustedHeader', 'VerifiedTimeoutVote', 'TimeoutCertificate', 'VerifiedTimeoutCertificate', 'VerifiedEquivocation', 'VerifiedConflict', 'GuardRecord', 'Path'];
      for (const name of unbuildable) {
        type(() => new q[name]());
        type(() => new q[name](objects[name], objects[name]));
        type(() => Reflect.construct(q[name], [Symbol(name), {}]));
      }
      const receivers = (name, genuine) => {
        const borrowed = Object.entries(objects).find(([other]) => other !== name)[1];
        return [Object.create(q[name].prototype), Object.create(genuine), {}, new Proxy(genuine, {}), Object.setPrototypeOf({}, q[name].prototype), borrowed];
      };
      for (const [name, genuine] of Object.entries(objects)) {
        for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(q[name].prototype))) {
          const call = property.get ?? property.value;
          // These two return only the results of the object's own methods.
          if (['constructor', 'toString', 'toJSON'].includes(key) || key.endsWith('Async')) continue;
          for (const receiver of receivers(name, genuine)) type(() => call.call(receiver));
        }
      }
      // An unverified key that claims to be verified is rejected.
      const key = Object.setPrototypeOf(q.UnverifiedKey.prove(objects.SecretKey), q.VerifiedKey.prototype);
      type(() => new q.Committee(objects.ChainId, 0n, [[key, 1n]]), /VerifiedKey/);
    },
    'secrets are never shown'() {
      const { secrets, guard } = world(q);
      const hidden = Array.from(secrets[0].toBytes(), (byte) => byte.toString(16).padStart(2, '0')).join('');
      for (const object of [secrets[0], guard]) {
        const shown = [String(object), JSON.stringify({ object }), JSON.stringify(Object.entries(object)), Object.getOwnPropertyNames(object).join()];
        for (const text of shown) assert.ok(!text.includes(hidden), text);
        assert.deepEqual(Reflect.ownKeys(object), []);
      }
      assert.equal(JSON.stringify(secrets[0]), '"SecretKey(bls-min-sig)"');
    },
    'no object can be cloned'() {
      for (const [name, object] of Object.entries(oneOfEach(q))) {
        for (const value of [object, { inside: [object] }]) {
          assert.throws(() => structuredClone(value), (e) => e.name === 'DataCloneError', name);
        }
        for (const key of ['deref', 'then']) assert.ok(!(key in object), name);
      }
    },
    'views of buffers'() {
      const { committee, statement, votes } = world(q);
      const data = votes[0].encode();
      const padded = new Uint8Array(data.length + 20).fill(255);
      padded.set(data, 7);
      assert.ok(q.Vote.decode('bls-min-sig', padded.subarray(7, 7 + data.length)).equals(votes[0]));
      const gone = new Uint8Array(statement.encode());
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      type(() => q.Statement.decode(gone), /^bytes is detached/);
      code(() => q.Statement.decode(new Uint8Array(0)), 'MALFORMED');
      const out = statement.digest;
      out.fill(0);
      assert.notDeepEqual(statement.digest, out);
      class Sub extends Uint8Array {}
      assert.ok(q.Vote.decode('bls-min-sig', Sub.from(data)).equals(votes[0]));
      type(() => q.Vote.decode('bls-min-sig', Object.setPrototypeOf({ length: 3 }, Uint8Array.prototype)));
      assert.ok(committee.size === 4);
    },
  };
}
