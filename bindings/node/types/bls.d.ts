/** BLS signatures outside committees. */

import type { AsyncOptions } from './async.js';
import type { Signature, VerifiedKey } from './keys.js';

/** BLS signatures outside committees. Ed25519 throws {@link WrongContextError}, and so does a mixture of suites. */
export namespace bls {
  /** Sums signatures. @throws {@link MalformedError} for an empty list */
  function aggregate(signatures: Iterable<Signature>): Signature;
  /** Verifies one signature of all keys on one message. Cost: two pairings, plus one addition per key. */
  function fastAggregateVerify(
    keys: Iterable<VerifiedKey>,
    message: Uint8Array,
    signature: Signature,
  ): void;
  /** As {@link bls.fastAggregateVerify}, off this thread. */
  function fastAggregateVerifyAsync(
    keys: Iterable<VerifiedKey>,
    message: Uint8Array,
    signature: Signature,
    options?: AsyncOptions,
  ): Promise<void>;
  /** Verifies one signature of each key on its own message. Cost: one pairing per message, plus one pairing. */
  function aggregateVerify(
    signed: Iterable<readonly [VerifiedKey, Uint8Array]>,
    signature: Signature,
  ): void;
  /** As {@link bls.aggregateVerify}, off this thread. */
  function aggregateVerifyAsync(
    signed: Iterable<readonly [VerifiedKey, Uint8Array]>,
    signature: Signature,
    options?: AsyncOptions,
  ): Promise<void>;
}
