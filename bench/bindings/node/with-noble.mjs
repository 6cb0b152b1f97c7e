// @noble/curves: BLS in pure JavaScript.

import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytes, required, serve, version, world } from './loop.mjs';

// The library's default is the suite without possession proofs.
const DST = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';
const scheme = bls12_381.longSignatures;
const decode = (key) => bls12_381.G1.Point.fromBytes(key);

const given = world.sync;
const encoded = given.signers.map((i) => bytes(given.keys[i]));
const [message, signature, forged] = [bytes(given.message), bytes(given.signature), bytes(given.forged)];
const points = encoded.map(decode);
const verify = (keys, signed = signature) =>
  scheme.verify(signed, scheme.hash(message, DST), scheme.aggregatePublicKeys(keys));

required(verify(points), 'points');
required(!verify(points, forged), 'points, forged');
required(!verify(points.slice(1)), 'points, one missing');
serve(`@noble/curves ${version('@noble/curves')}`, {
  'sync-keys': () => required(verify(points), 'points'),
  'sync-bytes': () => required(verify(encoded.map(decode)), 'bytes'),
});
