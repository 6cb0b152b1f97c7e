// @chainsafe/blst: blst through napi, as a binary package.

import { PublicKey, Signature, fastAggregateVerify } from '@chainsafe/blst';
import { bytes, required, serve, version, world } from './loop.mjs';

const given = world.sync;
const encoded = given.signers.map((i) => bytes(given.keys[i]));
const [message, proof] = [bytes(given.message), bytes(given.signature)];
// Both flags enable checks that quorate always makes: the subgroup checks of the keys and of the signature.
const decode = (key) => PublicKey.fromBytes(key, true);
const verify = (keys, signature) => fastAggregateVerify(message, keys, signature, true);
const keys = encoded.map(decode);
const signature = Signature.fromBytes(proof);

required(verify(keys, signature), 'keys');
required(!verify(keys, Signature.fromBytes(bytes(given.forged))), 'keys, forged');
required(!verify(keys.slice(1), signature), 'keys, one missing');
serve(`@chainsafe/blst ${version('@chainsafe/blst')}`, {
  'sync-keys': () => required(verify(keys, signature), 'keys'),
  'sync-bytes': () => required(verify(encoded.map(decode), Signature.fromBytes(proof)), 'bytes'),
});
