// Invalid arguments of the threshold blocks, and closed secrets. Each entry is a test of its own.
import { MESSAGE, NAME, blamed, encryption, guard, oneOfEachModule, sharedBls, signing, tossing } from './threshold-world.mjs';
import { NOT_BYTES, NOT_OBJECTS, checkReceivers, endless, refusals } from './refusals.mjs';


export function thresholdBadInput(q, assert) {
  const { coin, ecdsa, seal, tdh2, Threshold, Tolerance } = q.threshold;
  const { type, range, code } = refusals(q, assert);

  return {
    'closed secrets, which are never shown'() {
      const [e, t, s, b] = [encryption(q), tossing(q), signing(q), sharedBls(q)];
      const sealing = seal.SealingKey.generate();
      const single = s.parties[1].take(s.plan.unagreed(1n, 1));
      const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('');
      const secrets = [
        [e.shares[0], e.shares[0].toBytes().slice(-32)],
        [t.shares[0], t.shares[0].toBytes().slice(-32)],
        [s.dealer, s.dealer.toBytes()],
        [s.parties[0]],
        [single],
        [s.signed[2].opener],
        [b.shares[0], b.shares[0].toBytes().slice(-32)],
        [sealing, sealing.toBytes()],
      ];
      for (const [object, hidden] of secrets) {
        const shown = [String(object), JSON.stringify({ object }), Object.getOwnPropertyNames(object).join()];
        if (hidden) for (const text of shown) assert.ok(!text.includes(hex(hidden)), text);
        assert.deepEqual(Reflect.ownKeys(object), []);
        object.close();
        assert.match(String(object), /\(closed\)$/);
        assert.equal(JSON.stringify(object), JSON.stringify(String(object)));
        if (Symbol.dispose) object[Symbol.dispose]();
      }
    },
    'hooks, names and attestations'() {
      const { faults, key, deal } = blamed(q);
      const [{ evidence: proof }] = faults;
      const seen = [];
      assert.equal(proof.verify(key, deal, (...all) => seen.push(all) > 0), 0);
      assert.deepEqual(seen, [[0, proof.share.attestedBytes(), new Uint8Array(0)]]);
      code(() => proof.verify(key, deal, () => 1), 'NOT_EVIDENCE');
      assert.throws(() => proof.verify(key, deal, () => { throw new Error('mine'); }), /mine/);
      for (const value of [undefined, null, true, {}]) type(() => proof.verify(key, deal, value), /^attested must be a function/);
      const { keys } = tossing(q);
      for (const part of ['epoch', 'instance', 'round']) {
        type(() => coin.Coin.fromName(keys, { ...NAME, [part]: 1 }), RegExp(`^name.${part} must be a bigint`));
        range(() => coin.Coin.fromName(keys, { ...NAME, [part]: 1n << 64n }), `name.${part}`);
      }
      for (const name of [undefined, null, 7, 'name']) type(() => coin.Coin.fromName(keys, name), /^name must be an object/);
      for (const value of [0.5, NaN]) range(() => new Threshold(value, 3), 'needed');
      for (const value of [undefined, null, '1', 1n]) type(() => new Tolerance(4, value), /^faulty must be a number/);
      code(() => new Tolerance(7, 2).threshold('maybe'), 'WRONG_CONTEXT');
      type(() => new Tolerance(7, 2).threshold(1), /^agreement must be a string/);
      type(() => guard(q).confirm({}), /^reservation must be a GuardRecord/);
    },
    'wrong types'() {
      const [e, s, b] = [encryption(q), signing(q), sharedBls(q)];
      const sealing = seal.SealingKey.generate();
      for (const value of NOT_BYTES) {
        for (const Class of [tdh2.PublicKeys, tdh2.DecryptionShare, tdh2.WrongShare, tdh2.EncryptionKey, tdh2.Ciphertext, ecdsa.Plan, ecdsa.Deal, seal.SealingPublicKey]) {
          type(() => Class.decode(value), /^bytes must be a Uint8Array/);
        }
        for (const Class of [ecdsa.GroupKey, ecdsa.Signature, ecdsa.SignatureShare, ecdsa.Opening, ecdsa.ShareFault]) {
          type(() => Class.decode('secp256k1', value), /^bytes must be a Uint8Array/);
        }
        type(() => tdh2.KeyShare.fromBytes(value), /^bytes/);
        type(() => e.key.encrypt(1n, 1, value), /^plaintext/);
        type(() => s.parties[0].signing(s.tag, value), /^message/);
        type(() => s.key.verify(s.tag, value, undefined), /^message/);
        type(() => b.shares[0].sign(value), /^message/);
        type(() => sealing.open(value, MESSAGE), /^context/);
        type(() => sealing.public.seal(MESSAGE, value), /^content/);
      }
      for (const value of [...NOT_OBJECTS, e.keys, new Proxy(e.valid, {})]) {
        type(() => e.shares[0].decryptionShare(value), /^ciphertext must be a ValidCiphertext/);
        type(() => new ecdsa.Combiner(value), /^signing must be a Signing/);
        type(() => s.parties[0].take(value), /^tag must be a Tag/);
        type(() => s.parties[0].destroy(value), /^guard must be a Guard/);
        if (value !== undefined) type(() => new tdh2.Decryption(e.keys, e.valid, value), /^cache must be a Cache/);
        if (value !== e.keys) type(() => new tdh2.Decryption(value, e.valid), /^keys must be a PublicKeys/);
      }
      for (const value of [undefined, null, 7, {}]) {
        type(() => e.keys.verifyShares(e.valid, value), /^shares must be iterable/);
        type(() => ecdsa.GroupKey.decode(value, s.key.encode()), /^group must be a string/);
      }
      code(() => ecdsa.GroupKey.decode('secp256r1', s.key.encode()), 'WRONG_CONTEXT');
      code(() => ecdsa.GroupKey.decode('ristretto255', s.key.encode()), 'WRONG_CONTEXT');
      range(() => e.key.encrypt(-1n, 1, MESSAGE), 'epoch');
      range(() => e.key.encrypt(1n, 65_536, MESSAGE), 'proposer');
      type(() => e.key.encrypt(1, 1, MESSAGE), /^epoch must be a bigint/);
      assert.throws(() => e.keys.verifyShares(e.valid, endless(e.made[0])), (error) => error.code === 'TOO_LARGE');
      const taken = s.parties[0].take(s.plan.unagreed(1n, 1));
      type(() => taken.sign({}, MESSAGE));
      type(() => taken.sign(s.guards[0], 'text'));
      assert.equal(taken.closed, false, 'what is wrong with types is noticed before');
    },
    'objects cannot be forged'() {
      for (const [module, objects] of Object.entries(oneOfEachModule(q))) {
        const names = module.split('/').reduce((at, name) => at[name], q);
        for (const [name, genuine] of Object.entries(objects)) {
          const Class = names[name];
          assert.ok(genuine instanceof Class, `${module}.${name}`);
          assert.equal(Object.prototype.toString.call(genuine), `[object ${name}]`);
          assert.equal(typeof String(genuine), 'string');
          checkReceivers(assert, Class, genuine, Object.entries(objects).find(([other]) => other !== name)[1]);
        }
      }
    },
  };
}
