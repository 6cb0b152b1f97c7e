// The threshold blocks, which share one base.

import { name } from '../handle.js';
import { sharedBlsApi } from './bls-api.js';
import { coinApi } from './coin-api.js';
import { commonApi } from './common.js';
import { ecdsaApi } from './ecdsa-api.js';
import { sealApi } from './seal-api.js';
import { tdh2Api } from './tdh2-api.js';

export const MAX_PARTIES = 1024;

export function thresholdApi(wasm, classes) {
  const common = commonApi(wasm);
  const base = { ...classes, ...common };
  return Object.freeze({
    MAX_PARTIES,
    Group: Object.freeze({ Ristretto255: 'ristretto255', Secp256k1: 'secp256k1' }),
    Agreement: Object.freeze({ Agreed: 'agreed', Unagreed: 'unagreed' }),
    ...name(common.classes),
    bls: sharedBlsApi(wasm, base),
    coin: coinApi(wasm, base),
    ecdsa: ecdsaApi(wasm, base),
    seal: sealApi(wasm),
    tdh2: tdh2Api(wasm, base),
  });
}
