// `bls`: aggregates of other chains.

import { bytes, pair } from './check.js';
import { fill } from './common.js';
import { open, wrap } from './handle.js';

export function blsApi(wasm, { Signature, VerifiedKey }) {
  const openKey = (key, what) => open(key, VerifiedKey, what);

  return Object.freeze({
    aggregate(signatures) {
      const one = (signature, what) => open(signature, Signature, what);
      return wrap(Signature, fill(wasm().Signatures.empty(), signatures, 'signatures', one).aggregate());
    },
    fastAggregateVerify(keys, message, signature) {
      const context = [bytes(message, 'message'), open(signature, Signature, 'signature')];
      fill(wasm().Keys.empty(), keys, 'keys', openKey).verify(...context);
    },
    aggregateVerify(signed, signature) {
      const context = open(signature, Signature, 'signature');
      const raw = wasm().Signed.empty();
      const one = (value, what) => pair(value, what, openKey, bytes);
      fill(raw, signed, 'signed', one, ([key, message]) => raw.add(key, message)).verify(context);
    },
  });
}
