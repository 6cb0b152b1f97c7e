/** Names of types that the classes have without a name. */

import type { VoteCollector } from './collectors.js';
import type { SignerSet } from './signers.js';

/** A proof over a message, for {@link Committee.verifyRawBatch}. */
export type RawProof = readonly [message: Uint8Array, signers: SignerSet, proof: Uint8Array];

/** Options of a collector. */
export type CollectorOptions = NonNullable<ConstructorParameters<typeof VoteCollector>[3]>;
