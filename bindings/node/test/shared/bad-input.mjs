// Invalid arguments give the language's own kind of error, or a QuorateError with its code, and never anything else.
// Each entry is a test of its own. Wrong types of each argument are in probing.mjs.
import { detached, endless, refusals } from './refusals.mjs';
import { world } from './world.mjs';

export function badInput(q, assert) {
  const { type, range, code } = refusals(q, assert);

  return {
    'objects of another class'() {
      const { committee, votes, secrets } = world(q);
      for (const value of [committee, new Proxy(votes[0].signature, {})]) type(() => votes[0].equals(value), /^other must be a Vote/);
      type(() => new q.Committee(committee.chain, 0n, [[secrets[0].publicKey(), 1n]]), /^members\[0\]\[0\] must be a VerifiedKey/);
      type(() => q.bls.aggregate('text'), /^signatures must be iterable/);
    },
    'numbers have a maximum'() {
      const { committee, secrets } = world(q);
      const digest = new Uint8Array(32);
      for (const value of [256, 2 ** 53]) range(() => committee.statement(value, 1n, digest), 'kind');
      for (const value of [1n << 64n, 1n << 5000n]) range(() => committee.statement(1, value, digest), 'view');
      type(() => committee.statement(1, 1, digest), /^view must be a bigint, not .*; write 1n/);
      range(() => new q.Committee(committee.chain, 0n, [[q.VerifiedKey.fromSecret(secrets[0]), 1n << 128n]]), 'members[0][1]');
      range(() => new q.wire.Writer().u16(65_536), 'value');
      range(() => new q.Merkle('a', 'b').path([digest], 2 ** 32), 'index');
    },
    'suites'() {
      for (const value of ['', 'bls', 'BLS-MIN-SIG', '__proto__']) code(() => q.SecretKey.generate(value), 'WRONG_CONTEXT');
    },
    'invalid committees'() {
      const { chain, secrets } = world(q, 'ed25519');
      // An endless list is read no further than the maximum size of a committee.
      const members = endless([secrets[0].publicKey(), 1n]);
      code(() => q.Committee.fromAttested(chain, 0n, members, { allowRepeats: true }), 'BAD_COMMITTEE');
      type(() => q.Committee.fromAttested(chain, 0n, [], { allowRepeats: 1 }), /allowRepeats must be a boolean/);
      type(() => q.Committee.fromAttested(chain, 0n, [], 'yes'), /^options must be an object/);
    },
    'signer sets'() {
      const { committee } = world(q, 'ed25519');
      assert.deepEqual([...q.SignerSet.fromMembers(4, [3, 1])], [1, 3]);
      range(() => q.SignerSet.fromMembers(4, [65_536]), 'members[0]');
      // An endless list is read no further than the maximum size of a committee.
      code(() => q.SignerSet.fromMembers(65_535, endless(1)), 'DUPLICATE_SIGNER');
      code(() => committee.signerSet({ indices: endless(1) }), 'DUPLICATE_SIGNER');
      assert.throws(() => q.SignerSet.fromMembers(3, Array(100_000).fill().map((_, i) => i)), (e) => e.code === 'UNKNOWN_SIGNER' && e.details.index === 3);
      for (const value of [undefined, null, {}, { indices: [], lsbFirst: new Uint8Array(1) }]) type(() => committee.signerSet(value));
      type(() => committee.signerSet({ lsbFirst: null }), /lsbFirst must be a Uint8Array/);
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
      const { committee, other, secrets, chain, guard } = world(q);
      assert.throws(() => guard.sign(committee, other), (e) => {
        assert.deepEqual(e.details, { kind: 1, signedView: 9n });
        return e instanceof q.ContradictionError;
      });
      const own = () => q.SecretKey.fromBytes(secrets[0].suite, secrets[0].toBytes());
      const angry = { *[Symbol.iterator]() { throw new Error('mine'); } };
      const [one, two] = [own(), own()];
      assert.throws(() => q.Guard.restore(one, chain, angry), /mine/);
      assert.throws(() => q.Guard.restore(two, chain, endless(guard.records()[0])), (e) => e.code === 'TOO_LARGE' && e.details.limit === 1n << 22n);
      assert(one.closed && two.closed, 'a guard takes its secret also if it cannot be restored');
      guard.close();
      assert.deepEqual([String(guard), String(one)], ['Guard(closed)', 'SecretKey(closed)']);
    },
    'any iterable lists messages and proofs'() {
      const { committee, secrets } = world(q, 'ed25519');
      const message = (text) => new TextEncoder().encode(text);
      const signed = [0, 2, 3].map((member) => [member, message(`vote ${member}`)]);
      const signatures = signed.map(([member, data]) => secrets[member].sign(data).encode());
      const proof = Uint8Array.from(signatures.flatMap((signature) => [...signature]));
      assert.equal(committee.verifyRawEach(new Map(signed), proof), 3n);
      // An endless list is read no further than the committee's size.
      code(() => committee.verifyRawEach(endless(signed[0]), proof), 'DUPLICATE_SIGNER');
      const items = new Set([[signed[0][1], q.SignerSet.fromMembers(4, [0]), signatures[0]], [proof, q.SignerSet.full(3), proof]]);
      const [weight, error] = committee.verifyRawBatch(items);
      assert.ok(weight === 1n && error instanceof q.WrongContextError);
    },
    'evidence and collectors'() {
      const { committee, other, votes, secrets } = world(q);
      const collector = new q.VoteCollector(committee, 1, 9n);
      const suspects = new q.Suspects();
      assert.deepEqual(collector.add(votes[0], suspects), { certificate: undefined, faults: [] });
      const [fault] = collector.add(q.Vote.signUnguarded(secrets[0], committee, other), suspects).faults;
      assert.deepEqual([fault.kind, fault.signer], ['equivocation', 0]);
      assert.ok(fault.evidence instanceof q.VerifiedEquivocation);
      assert.deepEqual(collector.topic, { kind: 1, view: 9n });
    },
    'views of buffers'() {
      const { committee, statement, votes } = world(q);
      const data = votes[0].encode();
      const padded = new Uint8Array(data.length + 20).fill(255);
      padded.set(data, 7);
      assert.ok(q.Vote.decode('bls-min-sig', padded.subarray(7, 7 + data.length)).equals(votes[0]));
      type(() => q.Statement.decode(detached()), /^bytes is detached/);
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
