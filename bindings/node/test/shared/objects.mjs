// What the objects of all classes have in common: their identity, their texts, and their end. Each entry is a test of its own.
import { inspect } from 'node:util';
import { checkReceivers } from './refusals.mjs';
import { oneOfEachModule, signing } from './threshold-world.mjs';
import { oneOfEach, world } from './world.mjs';

/** An object of each class of the package and its modules: its class, the object, and another one of its module. */
function* everyObject(q) {
  for (const [module, objects] of Object.entries({ '': oneOfEach(q), ...oneOfEachModule(q) })) {
    const classes = module.split('/').reduce((at, part) => at[part] ?? at, q);
    const all = Object.entries(objects);
    for (const [at, [name, object]] of all.entries()) yield [classes[name], object, all[(at + 1) % all.length][1]];
  }
}

/** Every form of some bytes in a text. */
const forms = (bytes) => [Buffer.from(bytes).toString('hex'), Buffer.from(bytes).toString('base64'), bytes.join()];

export function objectTests(q, assert) {
  return {
    'none can be forged'() {
      for (const [Class, object, other] of everyObject(q)) {
        assert.ok(object instanceof Class, Class.name);
        assert.equal(Object.prototype.toString.call(object), `[object ${Class.name}]`);
        checkReceivers(assert, Class, object, other);
      }
    },
    'none can be cloned'() {
      for (const [{ name }, object] of everyObject(q)) {
        for (const value of [object, { inside: [object] }]) {
          assert.throws(() => structuredClone(value), (e) => e.name === 'DataCloneError', name);
        }
        for (const key of ['deref', 'then']) assert.ok(!(key in object), name);
      }
    },
    'no secret is shown'() {
      const signer = new q.dsig.Signer(q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(9)));
      const secrets = [...everyObject(q)].map(([, object]) => object).filter((object) => 'closed' in object).concat(signer);
      // A file of presignatures exists only while none was taken.
      const readable = secrets.filter((secret) => secret.toBytes && !(secret instanceof q.threshold.ecdsa.Presignatures));
      const hidden = readable.flatMap((secret) => forms(secret.toBytes().slice(-32)));
      hidden.push(...forms(new Uint8Array(32).fill(9)));
      for (const secret of secrets) {
        const inspected = inspect({ deep: { er: secret } }, { showHidden: true, depth: 9, getters: true });
        const entries = [JSON.stringify(Object.entries(secret)), Object.getOwnPropertyNames(secret).join()];
        for (const text of [String(secret), JSON.stringify({ secret }), inspected, ...entries]) {
          assert.ok(!hidden.some((form) => text.includes(form)), text);
        }
        assert.deepEqual(Reflect.ownKeys(secret), []);
        secret.close();
        assert.match(String(secret), /\(closed\)$/);
        assert.equal(JSON.stringify(secret), JSON.stringify(String(secret)));
      }
    },
    'texts are those of the core'() {
      const { dealer, parties, signed } = signing(q);
      const objects = [q.SecretKey.generate('bls-min-sig'), dealer, parties[2], signed[0].opener, new q.dsig.Verifier()];
      const texts = ['SecretKey(bls-min-sig)', 'TrustedDealer(secp256k1)', 'Presignatures(secp256k1, member 2, epoch 1)', 'Opener()', 'Verifier(wots-blake3)'];
      assert.deepEqual(objects.map((object) => inspect(object)), texts);
    },
    'a freed object throws ClosedError, and freeing it twice does nothing'() {
      for (const [Class, object] of everyObject(q)) {
        object.free();
        object.free();
        object[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
        assert.equal(inspect(object), `${Class.name}(${'closed' in object ? 'closed' : 'freed'})`);
        for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(Class.prototype))) {
          if (get && key !== 'closed') assert.throws(() => get.call(object), q.ClosedError, `${Class.name}.${key}`);
        }
      }
    },
    'a secret is closed'() {
      const { secrets, guard } = world(q);
      for (const object of [secrets[0], guard]) {
        object.free();
        assert.equal(object.closed, true);
        assert.match(String(object), /closed/);
      }
    },
    'an argument throws ClosedError'() {
      const { committee, votes, statement } = world(q);
      const suspects = new q.Suspects();
      const collector = new q.VoteCollector(committee, 1, 9n);
      suspects.free();
      assert.throws(() => collector.add(votes[0], suspects), q.ClosedError);
      committee.free();
      assert.throws(() => votes[0].verify(committee), { code: 'CLOSED', details: { what: 'Committee' } });
      assert.ok(votes[0].statement.equals(statement));
    },
    'a method throws ClosedError'() {
      const { committee, votes, statement } = world(q);
      const [writer, peers] = [new q.wire.Writer(), new q.gossip.Peers(0, 4)];
      const uses = [
        [writer, () => writer.u8(1)],
        [peers, () => peers.nextFree()],
        [statement, () => statement.encode()],
        [votes[1], () => votes[1].verify(committee)],
      ];
      for (const [object, use] of uses) {
        object.free();
        assert.throws(use, q.ClosedError);
      }
    },
  };
}
