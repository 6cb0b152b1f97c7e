// What the objects of all classes have in common: their identity, their texts, and their end. Each entry is a test of its own.
import { inspect } from 'node:util';
import { checkReceivers, refusals } from './refusals.mjs';
import { signing } from './threshold-world.mjs';
import { world } from './world.mjs';

/** The objects of each class that behaviours made, with those that their properties return. */
function withParts(made) {
  const all = new Map(made);
  // A map also iterates over what is added meanwhile.
  for (const [{ prototype }, objects] of all) {
    const open = objects.find((object) => !object.closed);
    const properties = open ? Object.entries(Object.getOwnPropertyDescriptors(prototype)) : [];
    for (const [, { get }] of properties.filter(([, { get }]) => get)) {
      let part;
      try {
        part = [get.call(open)].flat()[0];
      } catch {
        // What was consumed has no properties.
      }
      if (part?.free && !all.has(part.constructor)) all.set(part.constructor, [part]);
    }
  }
  return all;
}

/** The classes of objects that a package or one of its modules exports. */
const classesOf = (module) =>
  Object.values(module).flatMap((one) => (typeof one === 'object' ? classesOf(one) : one.prototype?.free ? [one] : []));

/** Every form of some bytes in a text. */
const forms = (bytes) => [Buffer.from(bytes).toString('hex'), Buffer.from(bytes).toString('base64'), bytes.join()];

/** Tests with the objects of each class that the behaviours `made`. */
export function objectTests(q, assert, made) {
  /** Each class with an object of it, an open one if there is one, and an object of another class. */
  function* everyObject() {
    const all = [...withParts(made)].map(([Class, objects]) => [Class, objects.find((one) => !one.closed) ?? objects[0]]);
    for (const [at, [Class, object]] of all.entries()) yield [Class, object, all[(at + 1) % all.length][1]];
  }
  const { type } = refusals(q, assert);

  return {
    'every class has one'() {
      const known = new Set(withParts(made).keys());
      assert.deepEqual(classesOf(q).filter((one) => !known.has(one)).map(({ name }) => name), []);
    },
    'what functions create has no constructor'() {
      for (const [Class, object] of everyObject()) {
        if (/super\(TOKEN|super\(handle_js_1\.TOKEN/.test(Class)) {
          assert.doesNotMatch(Class.name, /^Verified|^Checked|^Valid/);
          continue;
        }
        type(() => new Class(), RegExp(Class.name));
        type(() => new Class(object, object));
        type(() => Reflect.construct(Class, [Symbol(Class.name), {}]));
      }
      // An unverified key that claims to be verified is rejected.
      const { chain, unverified } = world(q);
      const key = Object.setPrototypeOf(unverified[0], q.VerifiedKey.prototype);
      type(() => new q.Committee(chain, 0n, [[key, 1n]]), /VerifiedKey/);
    },
    async 'none can be forged'() {
      for (const [Class, object, other] of everyObject()) {
        assert.ok(object instanceof Class, Class.name);
        assert.equal(Object.prototype.toString.call(object), `[object ${Class.name}]`);
        await checkReceivers(assert, Class, object, other);
      }
    },
    'none can be cloned'() {
      for (const [{ name }, object] of everyObject()) {
        for (const value of [object, { inside: [object] }]) {
          assert.throws(() => structuredClone(value), (e) => e.name === 'DataCloneError', name);
        }
        for (const key of ['deref', 'then']) assert.ok(!(key in object), name);
      }
    },
    'no secret is shown'() {
      const signer = new q.dsig.Signer(q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(9)));
      const secrets = [...everyObject()].map(([, object]) => object).filter((object) => 'closed' in object).concat(signer);
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
    async 'a freed object throws ClosedError, and freeing it twice does nothing'() {
      for (const [Class, object] of everyObject()) {
        object.free();
        object.free();
        object[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
        assert.notEqual(object.closed, false);
        assert.equal(inspect(object), `${Class.name}(${'closed' in object ? 'closed' : 'freed'})`);
        for (const [key, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(Class.prototype))) {
          // A verifier asks its hook about the arguments, and checks them before. So is a function of the user's.
          const isLater = Class === q.dsig.Verifier && value;
          if (isLater || ['constructor', 'closed', 'toString', 'toJSON'].includes(key)) continue;
          const isClosed = (error) => error instanceof q.ClosedError || /must be a function/.test(error.message);
          await assert.rejects(async () => (get ?? value).call(object), isClosed, `${Class.name}.${key}`);
        }
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
  };
}
