// The threshold blocks through a package: cooperation of members, and attribution of faults. Each entry is a test of
// its own; `assert` is a parameter so that browsers can run them too.
import { MESSAGE, NAME, blamed, encryption, evidence, guard, renamed, sharedBls, signing, tossing, utf8 } from './threshold-world.mjs';

export function thresholdTests(q, assert) {
  const { bls, coin, ecdsa, seal, tdh2, Cache, Threshold, Tolerance } = q.threshold;
  const type = (call, pattern) => assert.throws(call, (e) => e instanceof TypeError && (!pattern || pattern.test(e.message)));
  const range = (call, name) => assert.throws(call, (e) => e instanceof RangeError && e.message.includes(name));
  const code = (call, wanted, culprits = []) =>
    assert.throws(call, (e) => e instanceof q.QuorateError && e.code === wanted && e.culprits.join() === culprits.join());
  const committee = q.CommitteeId.fromBytes(new Uint8Array(32).fill(7));
  const flipped = (data, at = data.length - 1) => data.map((byte, i) => (i === at ? byte ^ 1 : byte));

  return {
    'numbers of shares'() {
      const tolerance = new Tolerance(7, 2);
      assert.deepEqual(['agreed', 'unagreed'].map((agreement) => tolerance.threshold(agreement).needed), [3, 5]);
      assert.ok(tolerance.equals(new Tolerance(7, 2)) && !tolerance.equals(new Tolerance(7, 1)));
      assert.ok(new Threshold(3, 7).equals(tolerance.threshold(q.threshold.Agreement.Agreed)));
      for (const [needed, parties] of [[0, 3], [4, 3], [1, 1025]]) code(() => new Threshold(needed, parties), 'BAD_COMMITTEE');
      for (const [parties, faulty] of [[0, 0], [3, 1], [1025, 1]]) code(() => new Tolerance(parties, faulty), 'BAD_COMMITTEE');
      for (const value of [-1, 0.5, 65_536, NaN]) range(() => new Threshold(value, 3), 'needed');
      for (const value of [undefined, null, '1', 1n]) type(() => new Tolerance(4, value), /^faulty must be a number/);
      code(() => tolerance.threshold('maybe'), 'WRONG_CONTEXT');
      type(() => tolerance.threshold(1), /^agreement must be a string/);
      assert.equal(q.threshold.MAX_PARTIES, 1024);
    },
    'any client encrypts, two members decrypt'() {
      const { keys, shares, key, ciphertext, valid, made, verified } = encryption(q);
      assert.deepEqual([valid.label.epoch, valid.label.proposer, String(valid.label.committee)], [12n, 3, String(committee)]);
      assert.ok(valid.ciphertext.equals(ciphertext) && tdh2.Ciphertext.decode(ciphertext.encode()).equals(ciphertext));
      assert.equal(ciphertext.payload.length, MESSAGE.length + tdh2.OVERHEAD);
      shares.forEach((share) => share.check(keys));
      for (const cache of [undefined, new Cache(), new Cache(1)]) {
        const decryption = new tdh2.Decryption(keys, valid, cache);
        assert.deepEqual(decryption.add(made[2]), { output: undefined, error: undefined, faults: [] });
        assert.deepEqual(decryption.add(made[0]), { output: MESSAGE, error: undefined, faults: [] });
        assert.ok(decryption.isDone);
        assert.deepEqual(valid.combine(keys, [verified[3], verified[1]], cache), MESSAGE);
      }
      code(() => valid.combine(keys, [verified[1]]), 'BELOW_QUORUM');
      code(() => valid.combine(keys, [verified[1], verified[1]]), 'DUPLICATE_SIGNER');
      // It is invalid in another epoch and for another proposer.
      code(() => ciphertext.check(key, 13n, 3), 'WRONG_CONTEXT');
      code(() => ciphertext.check(key, 12n, 2), 'WRONG_CONTEXT');
      code(() => ciphertext.check(encryption(q).key, 12n, 3), 'BAD_CIPHERTEXT');
      code(() => tdh2.Ciphertext.decode(flipped(ciphertext.encode())).check(key, 12n, 3), 'BAD_CIPHERTEXT');
      code(() => key.encrypt(1n, 1, new Uint8Array(tdh2.MAX_PLAINTEXT + 1)), 'TOO_LARGE');
      // Shares of one ciphertext are invalid for another.
      const other = key.encrypt(12n, 3, MESSAGE).check(key, 12n, 3);
      code(() => other.combine(keys, verified), 'WRONG_CONTEXT');
      code(() => keys.verifyShare(other, made[0]), 'BAD_SHARE', [0]);
    },
    'wrong shares are found and identified'() {
      const { keys, valid, made } = encryption(q);
      const forged = renamed(made[1], 0);
      const { verified, faults } = keys.verifyShares(valid, [made[2], forged, made[3]]);
      assert.deepEqual(verified.map(({ member }) => member), [2, 3]);
      assert.deepEqual(faults.map(({ kind, member }) => [kind, member]), [['forged', 0]]);
      assert.ok(faults[0].share.equals(forged));
      const decryption = new tdh2.Decryption(keys, valid);
      decryption.add(forged);
      const outcome = decryption.add(made[1]);
      assert.deepEqual([outcome.output, outcome.faults.map(({ member }) => member)], [undefined, [0]]);
      assert.deepEqual(decryption.add(made[3]).output, MESSAGE);
      code(() => keys.verifyShare(valid, forged), 'BAD_SHARE', [0]);
      code(() => keys.verifyShare(valid, renamed(made[1], 4)), 'UNKNOWN_SIGNER');
      code(() => new tdh2.Decryption(keys, valid).add(renamed(made[1], 200)), 'UNKNOWN_SIGNER');
    },
    'a coin is the same for all'() {
      const { keys, shares, of, made, verified } = tossing(q);
      assert.deepEqual([of.name, of.id.length, of.base.length], [NAME, 32, 32]);
      const value = of.combine(keys, [verified[0], verified[2]]);
      assert.ok(value.equals(of.combine(keys, [verified[3], verified[1]], new Cache())));
      assert.ok(value.equals(coin.CoinValue.fromBytes(value.bytes)) && String(value).length === 64);
      assert.equal(value.bit(), value.bytes[0] % 2 === 1);
      assert.deepEqual([value.below(0), value.below(1)], [undefined, 0]);
      const toss = new coin.CoinCombiner(keys, of);
      toss.add(renamed(made[1], 3));
      const outcome = toss.add(made[1]);
      assert.deepEqual([outcome.output, outcome.faults.map(({ member }) => member)], [undefined, [3]]);
      assert.ok(toss.add(made[0]).output.equals(value) && toss.isDone);
      assert.deepEqual(toss.add(made[2]), { output: undefined, faults: [] });
      // Another name gives another coin, and shares of one are invalid for the other.
      const other = coin.Coin.fromName(keys, { ...NAME, round: 1n });
      code(() => keys.verifyShare(other, made[0]), 'BAD_SHARE', [0]);
      assert.notDeepEqual(shares[0].coinShare(other).encode(), made[0].encode());
      for (const part of ['epoch', 'instance', 'round']) {
        type(() => coin.Coin.fromName(keys, { ...NAME, [part]: 1 }), RegExp(`^name.${part} must be a bigint`));
        range(() => coin.Coin.fromName(keys, { ...NAME, [part]: 1n << 64n }), `name.${part}`);
      }
      range(() => coin.Coin.fromName(keys, { ...NAME, protocol: 256 }), 'name.protocol');
      for (const name of [undefined, null, 7, 'name']) type(() => coin.Coin.fromName(keys, name), /^name must be an object/);
      for (const length of [0, 31, 33]) code(() => coin.CoinValue.fromBytes(new Uint8Array(length)), 'MALFORMED');
    },
    'keys and shares of both purposes'() {
      const [e, t] = [encryption(q), tossing(q)];
      for (const [module, world, share, makes] of [[tdh2, e, 'DecryptionShare', 'valid'], [coin, t, 'CoinShare', 'of']]) {
        const { keys, shares, made } = world;
        assert.ok(module.PublicKeys.decode(keys.encode()).equals(keys) && keys.precomputed().equals(keys));
        assert.deepEqual([keys.threshold.needed, keys.threshold.parties, keys.key.length], [2, 4, 32]);
        assert.equal(keys.verificationKey(4), undefined);
        assert.deepEqual(keys.verificationKey(3), shares[3].verificationKey);
        const again = module.KeyShare.fromBytes(shares[1].toBytes());
        again.check(keys);
        assert.deepEqual([again.member, String(again.committee)], [1, String(committee)]);
        assert.ok(module[share].decode(made[1].encode()).equals(made[1]));
        const moved = shares[1].toBytes();
        moved[65] = 2;
        code(() => module.KeyShare.fromBytes(moved).check(keys), 'BAD_SHARE', [2]);
        moved[65] = 9;
        code(() => module.KeyShare.fromBytes(moved).check(keys), 'UNKNOWN_SIGNER');
        code(() => evidence(module, world[makes], made[0]).verify(keys), 'NOT_EVIDENCE');
        assert.throws(() => module.PublicKeys.decode(flipped(keys.encode())), q.QuorateError);
        const shuffled = keys.encode();
        shuffled.set(keys.encode().subarray(69, 101), 101);
        code(() => module.PublicKeys.decode(shuffled), 'BAD_COMMITTEE');
      }
      // Encodings for one purpose are rejected for the other.
      code(() => coin.PublicKeys.decode(e.keys.encode()), 'WRONG_CONTEXT');
      code(() => tdh2.KeyShare.fromBytes(t.shares[0].toBytes()), 'WRONG_CONTEXT');
      type(() => e.keys.verifyShare(t.of, e.made[0]), /^instance must be a ValidCiphertext/);
      type(() => t.keys.verifyShare(t.of, e.made[0]), /^share must be a CoinShare/);
      type(() => e.shares[0].check(t.keys), /^keys must be a PublicKeys/);
      type(() => e.valid.combine(t.keys, e.verified), /^keys must be a PublicKeys/);
      type(() => e.valid.combine(e.keys, t.verified), /^shares\[0\] must be a VerifiedShare/);
    },
    'a presignature signs once, as the journal records'() {
      const { dealer, plan, tag, parties, signed, key } = signing(q);
      const secret = q.SecretKey.generate('ed25519');
      const kept = secret.toBytes();
      const own = guard(q, secret);
      const file = dealer.deal(2n, plan)[0].toBytes();
      const party = () => ecdsa.Presignatures.fromBytes('secp256k1', file);
      const at = plan.unagreed(2n, 1);
      const held = party();
      const one = held.take(at);
      assert.deepEqual([one.group, one.agreement, held.left, one.closed], ['secp256k1', 'unagreed', 2, false]);
      const { record, share, opener } = one.sign(own, MESSAGE);
      assert.ok(record instanceof q.GuardRecord && one.closed);
      // Neither the object, nor the presignatures, nor a copy of their file signs again.
      code(() => one.sign(own, MESSAGE), 'EXHAUSTED');
      code(() => held.take(at), 'EXHAUSTED');
      code(() => held.toBytes(), 'EXHAUSTED');
      code(() => party().take(at).sign(own, utf8('pay 6 to Eve')), 'CONTRADICTION');
      assert.ok(party().take(at).sign(own, MESSAGE).share.equals(share), 'the same message, the same share');
      // After a crash the journal prevents it.
      const again = q.Guard.restore(q.SecretKey.fromBytes('ed25519', kept), q.ChainId.fromName('threshold'), [record]);
      code(() => party().take(at).sign(again, utf8('pay 6 to Eve')), 'CONTRADICTION');
      // A failure consumes it too; a closed guard does not, because nothing was signed.
      const failed = party().take(at);
      code(() => failed.sign(again, utf8('pay 6 to Eve')), 'CONTRADICTION');
      code(() => failed.sign(again, MESSAGE), 'EXHAUSTED');
      const unused = party().take(at);
      again.close();
      code(() => unused.sign(again, MESSAGE), 'CLOSED');
      assert.equal(unused.closed, false);
      unused.sign(own, MESSAGE);
      // Tags of other epochs and plans.
      code(() => parties[0].take(at), 'WRONG_CONTEXT');
      code(() => party().take(tag), 'WRONG_CONTEXT');
      code(() => party().take(ecdsa.Plan.forAgreed(3).agreed(2n, 1)), 'WRONG_CONTEXT');
      assert.ok(signed.every((done) => done.record !== undefined) && opener.open().member === 0);
      party().audit(2);
      code(() => party().audit(3), 'EXHAUSTED');
      assert.ok(party().key.equals(key) && party().deal.equals(held.deal));
    },
    'blocks are reserved, and epochs end'() {
      const { dealer, plan, key } = signing(q);
      const [own, chain] = [guard(q), q.ChainId.fromName('threshold')];
      const [party] = dealer.deal(5n, plan);
      const copy = ecdsa.Presignatures.fromBytes('secp256k1', party.toBytes());
      const reservation = own.reserve(key.id, 5n, 0);
      own.confirm(reservation);
      assert.equal(party.take(plan.unagreed(5n, 0)).sign(own, MESSAGE).record, undefined);
      const secret = q.SecretKey.generate('ed25519');
      const kept = secret.toBytes();
      const mine = guard(q, secret);
      const burnt = q.Guard.restore(q.SecretKey.fromBytes('ed25519', kept), chain, [mine.reserve(key.id, 5n, 0)]);
      code(() => copy.take(plan.unagreed(5n, 0)).sign(burnt, MESSAGE), 'EXHAUSTED');
      code(() => own.confirm(burnt.closeEpoch(key.id, 1n)), 'WRONG_CONTEXT');
      const end = party.destroy(own);
      assert.ok(end instanceof q.GuardRecord && party.closed);
      code(() => party.take(plan.unagreed(5n, 1)), 'EXHAUSTED');
      code(() => party.destroy(own), 'EXHAUSTED');
      code(() => copy.take(plan.unagreed(5n, 1)).sign(own, MESSAGE), 'EXHAUSTED');
      code(() => own.reserve(key.id, 5n, 0), 'EXHAUSTED');
      for (const length of [0, 31, 33]) code(() => own.reserve(new Uint8Array(length), 5n, 0), 'MALFORMED');
      range(() => own.reserve(key.id, -1n, 0), 'epoch');
      range(() => own.reserve(key.id, 1n, 2 ** 32), 'index');
      type(() => own.confirm({}), /^reservation must be a GuardRecord/);
    },
    'three of four sign'() {
      for (const [group, make, needed] of [['secp256k1', 'forUnagreed', 3], ['secp256k1', 'forAgreed', 2], ['ristretto255', 'forUnagreed', 3], ['ristretto255', 'forAgreed', 2]]) {
        const { signed, key, of, tag, dealer, parties } = signing(q, group, make);
        const combiner = new ecdsa.Combiner(of, new Cache());
        const outcomes = signed.slice(0, needed).map(({ share }) => combiner.add(share.member, share));
        assert.deepEqual(outcomes.map(({ signature }) => signature !== undefined), outcomes.map((_, i) => i === needed - 1));
        const { signature } = combiner;
        assert.ok(signature.equals(outcomes.at(-1).signature) && signature.group === group);
        assert.deepEqual(combiner.counts, { combinations: 1, shareChecks: 0, decodings: 0 });
        key.verify(tag, MESSAGE, signature);
        code(() => key.verify(tag, utf8('pay 6 to Eve'), signature), 'BAD_SIGNATURE');
        if (group === 'secp256k1') {
          key.verifyMessage(MESSAGE, signature);
          assert.deepEqual([key.toSpkiDer().length, signature.toDer()[0]], [56, 0x30]);
        } else {
          code(() => key.verifyMessage(MESSAGE, signature), 'WRONG_CONTEXT');
          code(() => key.toSpkiDer(), 'WRONG_CONTEXT');
          code(() => signature.toDer(), 'WRONG_CONTEXT');
        }
        assert.ok(ecdsa.Signature.decode(group, signature.encode()).equals(signature));
        const again = ecdsa.TrustedDealer.fromBytes(group, committee, new Tolerance(4, 1), dealer.toBytes());
        assert.ok(again.key.equals(key) && ecdsa.GroupKey.decode(group, key.encode()).equals(key));
        assert.ok(new ecdsa.Signing(key, parties[1].deal, of.nonce, tag, MESSAGE).tag.equals(tag));
      }
    },
    'the sender of a wrong share is blamed'() {
      const { combiner, outcomes, faults, signed, key, deal } = blamed(q);
      assert.deepEqual(outcomes.map(({ wanted }) => wanted), [[], [], [0, 1, 2]]);
      const [{ culprit, evidence: proof }] = faults;
      assert.equal(culprit, 0);
      const seen = [];
      assert.equal(proof.verify(key, deal, (...all) => seen.push(all) > 0), 0);
      assert.deepEqual([seen.length, seen[0][0], seen[0][2].length], [1, 0, 0]);
      assert.deepEqual(seen[0][1], proof.share.attestedBytes());
      code(() => proof.verify(key, deal, () => false), 'NOT_EVIDENCE');
      code(() => proof.verify(key, deal, () => 1), 'NOT_EVIDENCE');
      assert.throws(() => proof.verify(key, deal, () => { throw new Error('mine'); }), /mine/);
      for (const value of [undefined, null, true, {}]) type(() => proof.verify(key, deal, value), /^attested must be a function/);
      code(() => proof.verify(signing(q).key, deal, () => true), 'WRONG_CONTEXT');
      assert.ok(ecdsa.ShareFault.decode('secp256k1', proof.encode()).equals(proof));
      // The combiner continues with the other shares.
      code(() => combiner.add(0, signed[0].share), 'BAD_SHARE', [0]);
      combiner.open(1, signed[1].opener.open());
      combiner.open(2, signed[2].opener.open());
      const { signature } = combiner.add(3, signed[3].share);
      key.verifyMessage(MESSAGE, signature);
      assert.deepEqual(combiner.counts.combinations, 2);
      code(() => combiner.add(2, signed[2].share), 'DUPLICATE_SIGNER');
      code(() => combiner.add(1, signed[2].share), 'WRONG_CONTEXT');
      // A share with an attestation is another object.
      const attested = signed[1].share.attest(utf8('signature'));
      assert.deepEqual([attested.attestation, signed[1].share.attestation.length], [utf8('signature'), 0]);
      code(() => attested.attest(new Uint8Array(ecdsa.MAX_ATTESTATION + 1)), 'TOO_LARGE');
    },
    'plans and tags'() {
      const plan = ecdsa.Plan.forAgreement(4);
      assert.deepEqual([plan.count, ecdsa.Plan.ROUNDS, ecdsa.Plan.forAgreement(4, 1).count], [4 + 20 * 17, 20, 21]);
      const tags = [plan.prbc(3n, 2), plan.promotion(3n, 1, 2, 4), plan.completion(3n, 0)];
      assert.deepEqual(tags.map(({ index, agreement }) => [index, agreement]), [[2, 'agreed'], [32, 'unagreed'], [20, 'agreed']]);
      for (const tag of tags) assert.equal(plan.agreement(tag.index), tag.agreement);
      assert.equal(plan.agreement(plan.count), undefined);
      code(() => plan.promotion(3n, 20, 0, 1), 'EXHAUSTED');
      code(() => plan.promotion(3n, 0, 0, 5), 'MALFORMED');
      code(() => plan.prbc(3n, 4), 'UNKNOWN_SIGNER');
      code(() => plan.agreed(3n, 0), 'WRONG_CONTEXT');
      code(() => ecdsa.Plan.forAgreed(2).agreed(3n, 2), 'EXHAUSTED');
      assert.ok(ecdsa.Plan.decode(plan.encode()).equals(plan) && !tags[0].equals(tags[2]) && tags[0].equals(plan.prbc(3n, 2)));
      const { dealer } = signing(q);
      code(() => dealer.deal(1n, ecdsa.Plan.forAgreed(0)), 'MALFORMED');
      code(() => dealer.deal(1n, ecdsa.Plan.forAgreed(ecdsa.Plan.MAX_COUNT + 1)), 'TOO_LARGE');
      code(() => dealer.deal(1n, ecdsa.Plan.forAgreed(2 ** 32 - 1)), 'TOO_LARGE');
      code(() => dealer.deal(1n, ecdsa.Plan.forAgreement(1024, 65_535)), 'WRONG_CONTEXT');
    },
    'two of four sign with BLS'() {
      for (const suite of [q.Suite.MinSig, q.Suite.MinPk]) {
        const { shares, made, key, combiner, faults } = sharedBls(q, suite);
        assert.deepEqual(faults.map(({ culprit }) => culprit), [0]);
        const { signature } = combiner.add(2, made[2]);
        key.public.verify(MESSAGE, signature);
        assert.ok(signature instanceof q.Signature && combiner.signature.equals(signature));
        assert.deepEqual(combiner.counts, { combinations: 2, shareChecks: 2, decodings: 0 });
        const other = new bls.Combiner(key, MESSAGE, new Cache());
        other.add(3, made[3]);
        assert.ok(other.add(0, made[0]).signature.equals(signature), 'there is one signature of a message');
        assert.equal(bls.beacon(signature).length, 32);
        const [{ evidence: proof }] = faults;
        assert.equal(proof.verify(key, () => true), 0);
        code(() => proof.verify(key, () => false), 'NOT_EVIDENCE');
        assert.ok(bls.ShareFault.decode(suite, proof.encode()).share.equals(proof.share));
        const again = bls.KeyShare.fromBytes(suite, shares[1].toBytes());
        assert.ok(again.key.equals(key) && again.sign(MESSAGE).equals(made[1]) && again.suite === suite);
        assert.deepEqual([key.threshold.needed, key.tolerance.faulty, key.party(4)], [2, 1, undefined]);
        made[1].attest(utf8('x'));
        key.party(1).verify(MESSAGE, q.Signature.decode(suite, made[1].attestedBytes().slice(-signature.encode().length)));
        const another = suite === q.Suite.MinSig ? q.Suite.MinPk : q.Suite.MinSig;
        code(() => bls.KeyShare.fromBytes(another, shares[1].toBytes()), 'WRONG_CONTEXT');
        code(() => combiner.add(1, sharedBls(q, another).made[1]), 'WRONG_CONTEXT');
        code(() => combiner.add(3, shares[3].sign(utf8('something else'))), 'WRONG_CONTEXT');
      }
      code(() => bls.deal('ed25519', committee, new Tolerance(4, 1), 'agreed'), 'WRONG_CONTEXT');
      code(() => bls.deal('bls-min-sig', committee, new Tolerance(4, 1), 'agree'), 'WRONG_CONTEXT');
      code(() => bls.beacon(q.SecretKey.generate('ed25519').sign(MESSAGE)), 'WRONG_CONTEXT');
    },
    'only the recipient opens a sealed file'() {
      const [bob, eve] = [seal.SealingKey.generate(), seal.SealingKey.generate()];
      const context = utf8('epoch 7');
      const sealed = bob.public.seal(context, MESSAGE);
      assert.equal(sealed.length, MESSAGE.length + seal.OVERHEAD);
      assert.deepEqual(seal.SealingKey.fromBytes(bob.toBytes()).open(context, sealed), MESSAGE);
      assert.ok(seal.SealingPublicKey.decode(bob.public.encode()).equals(bob.public));
      code(() => eve.open(context, sealed), 'WRONG_CONTEXT');
      code(() => bob.open(utf8('epoch 8'), sealed), 'WRONG_CONTEXT');
      for (let at = 0; at < sealed.length; at += 7) code(() => bob.open(context, flipped(sealed, at)), 'WRONG_CONTEXT');
      for (const length of [0, 31, 47]) code(() => bob.open(context, sealed.subarray(0, length)), 'MALFORMED');
      code(() => seal.SealingPublicKey.decode(new Uint8Array(32)).seal(context, MESSAGE), 'INFINITY');
      code(() => bob.public.seal(context, new Uint8Array(seal.MAX_CONTENT + 1)), 'TOO_LARGE');
      for (const length of [0, 31, 33]) {
        code(() => seal.SealingKey.fromBytes(new Uint8Array(length)), 'MALFORMED');
        code(() => seal.SealingPublicKey.decode(new Uint8Array(length)), 'MALFORMED');
      }
    },
  };
}
