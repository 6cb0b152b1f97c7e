/** Signatures of BLS outside committees. */

import type { AsyncOptions, Signature, VerifiedKey } from '../index.js';

/** BLS signatures outside committees. Ed25519 throws {@link WrongContextError}, and so does a mixture of suites. */
export namespace bls {
  /** The sum of signatures. @throws {@link MalformedError} for none */
  function aggregate(signatures: Iterable<Signature>): Signature;
  /** Checks one signature of all keys on one message. Cost: two pairings, an addition per key. */
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
  /** Checks one signature of each key on its own message. Cost: a pairing per message and one more. */
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
