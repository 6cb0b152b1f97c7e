/** Evidence whose attestations the user verifies. */

import { native } from './backend.js';
import type { Raw } from './handle.js';

/** Returns true if a member's attestation of some bytes is valid. Called for each share of the evidence, after all other checks. */
export type Attested = (member: number, bytes: Uint8Array, attestation: Uint8Array) => boolean;

/**
 * Returns the culprit of evidence, if the user's function accepts each attestation. It is called here, not by the backend: it
 * may use or free any object, and its exceptions propagate.
 */
export function culpritOf(attested: Attested, { culprit, attestations }: Raw): number {
  for (const { member, bytes, attestation } of attestations) {
    if (attested(member, bytes, attestation) !== true) native.notEvidence!();
  }
  return culprit;
}
