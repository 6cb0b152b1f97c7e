// Handles and bytes from the arguments of the functions of `bls`.

import * as check from '../common/check.js';
import { open, opener } from './handle.js';
import { Signature } from './keys.js';
import { VerifiedKey } from './verified-key.js';

/** Arguments of `fastAggregateVerify`. */
export const same = (keys: Iterable<VerifiedKey>, message: Uint8Array, signature: Signature) => [
  check.list(keys, 'keys', opener(VerifiedKey)),
  check.bytes(message, 'message'),
  open(signature, Signature, 'signature'),
];

/** Arguments of `aggregateVerify`. */
export function own(signed: Iterable<readonly [VerifiedKey, Uint8Array]>, signature: Signature) {
  const one = (item: unknown, what: string) => check.pair(item, what, opener(VerifiedKey), check.bytes);
  const pairs = check.list(signed, 'signed', one);
  return [pairs.map(([key]) => key), pairs.map(([, message]) => message), open(signature, Signature, 'signature')];
}
