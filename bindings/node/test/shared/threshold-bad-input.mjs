// Invalid arguments of the threshold blocks and of erasure coding. Each entry is a test of its own.
import { blamed, dispersing, encryption, signing } from './threshold-world.mjs';
import { endless, refusals } from './refusals.mjs';

export function thresholdBadInput(q, assert) {
  const { ecdsa, Tolerance } = q.threshold;
  const { CheckedShard, Coding, Row, Shape, Suite } = q.erasure;
  const { range, code } = refusals(q, assert);

  return {
    'answers and names'() {
      const { faults, key, deal } = blamed(q);
      const [{ evidence: proof }] = faults;
      code(() => proof.verify(key, deal, () => 1), 'NOT_EVIDENCE');
      code(() => new Tolerance(7, 2).threshold('maybe'), 'WRONG_CONTEXT');
    },
    'names of groups, and endless lists'() {
      const [e, s] = [encryption(q), signing(q)];
      code(() => ecdsa.GroupKey.decode('secp256r1', s.key.encode()), 'WRONG_CONTEXT');
      code(() => ecdsa.GroupKey.decode('ristretto255', s.key.encode()), 'WRONG_CONTEXT');
      code(() => e.keys.verifyShares(e.valid, endless(e.made[0])), 'TOO_LARGE');
    },
    'erasure: the bytes of a shard are a copy'() {
      const { shards } = dispersing(q);
      const data = shards[2].encode();
      // The caller may change the result.
      shards[2].bytes.fill(255);
      assert.deepEqual(shards[2].encode(), data);
    },
    'erasure: the numbers of a table'() {
      const shape = new Shape(50, 50);
      range(() => new Row(shape, 1, Suite.Gf8, 1n << 64n), 'cost');
      code(() => new Row(shape, 2 ** 40, Suite.Gf8, 1n), 'TOO_LARGE');
      for (const length of [2 ** 32, Number.MAX_SAFE_INTEGER]) code(() => new Coding(new Shape(2, 2), length), 'TOO_LARGE');
    },
    'erasure: wrong numbers, lists and views'() {
      const { coding, coder, sent, shards } = dispersing(q);
      for (const name of ['data', 'parity']) range(() => new Shape(name === 'data' ? 65_536 : 1, 65_536), name);
      range(() => sent.shard(2 ** 32), 'index');
      code(() => sent.shard(2 ** 32 - 1), 'MALFORMED');
      code(() => coder.decode(endless(shards[0])), 'DUPLICATE_SIGNER');
      const padded = new Uint8Array(3000).fill(9);
      padded.set(shards[0].encode(), 11);
      assert.ok(CheckedShard.decode(padded.subarray(11, 11 + shards[0].encode().length), coding).equals(shards[0]));
    },
  };
}
