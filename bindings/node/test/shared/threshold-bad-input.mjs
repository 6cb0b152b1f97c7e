// Invalid arguments of the threshold blocks. Each entry is a test of its own.
import { NAME, blamed, encryption, signing, tossing } from './threshold-world.mjs';
import { endless, refusals } from './refusals.mjs';


export function thresholdBadInput(q, assert) {
  const { coin, ecdsa, Tolerance } = q.threshold;
  const { range, code } = refusals(q, assert);

  return {
    'hooks, names and attestations'() {
      const { faults, key, deal } = blamed(q);
      const [{ evidence: proof }] = faults;
      const seen = [];
      assert.equal(proof.verify(key, deal, (...all) => seen.push(all) > 0), 0);
      assert.deepEqual(seen, [[0, proof.share.attestedBytes(), new Uint8Array(0)]]);
      code(() => proof.verify(key, deal, () => 1), 'NOT_EVIDENCE');
      assert.throws(() => proof.verify(key, deal, () => { throw new Error('mine'); }), /mine/);
      const { keys } = tossing(q);
      range(() => coin.Coin.fromName(keys, { ...NAME, round: 1n << 64n }), 'name.round');
      code(() => new Tolerance(7, 2).threshold('maybe'), 'WRONG_CONTEXT');
    },
    'names of groups, and endless lists'() {
      const [e, s] = [encryption(q), signing(q)];
      code(() => ecdsa.GroupKey.decode('secp256r1', s.key.encode()), 'WRONG_CONTEXT');
      code(() => ecdsa.GroupKey.decode('ristretto255', s.key.encode()), 'WRONG_CONTEXT');
      code(() => e.keys.verifyShares(e.valid, endless(e.made[0])), 'TOO_LARGE');
    },
  };
}
