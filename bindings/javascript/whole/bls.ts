/** BLS signatures outside committees. Ed25519 throws {@link WrongContextError}, and so does a mixture of suites. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { own, same } from './bls-arguments.js';
import { opener, wrap } from './handle.js';
import { Signature } from './keys.js';
import { VerifiedKey } from './verified-key.js';

/** Sums signatures. @throws {@link MalformedError} for an empty list */
export function aggregate(signatures: Iterable<Signature>): Signature {
  return wrap(Signature, native.blsAggregate(check.list(signatures, 'signatures', opener(Signature))));
}

/** Verifies one signature of all keys on one message. Cost: two pairings, plus one addition per key. */
export function fastAggregateVerify(keys: Iterable<VerifiedKey>, message: Uint8Array, signature: Signature): void {
  native.blsFastAggregateVerify(...same(keys, message, signature));
}

/** Verifies one signature of each key on its own message. Cost: one pairing per message, plus one pairing. */
export function aggregateVerify(signed: Iterable<readonly [VerifiedKey, Uint8Array]>, signature: Signature): void {
  native.blsAggregateVerify(...own(signed, signature));
}
