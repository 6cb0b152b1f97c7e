/** Signature schemes. */

/**
 * A signature scheme, by its name.
 *
 * | suite | public key | signature | |
 * |---|---|---|---|
 * | `MinSig` | 96 bytes | 48 bytes | BLS12-381; certificates of one short signature |
 * | `MinPk` | 48 bytes | 96 bytes | BLS12-381 as in Ethereum |
 * | `Ed25519` | 32 bytes | 64 bytes | certificates list one signature per signer |
 * | `MinSigCounted`, `MinPkCounted` | as above | as above | with aggregates that can be summed in any order: {@link gossip} |
 *
 * The decoding side names the suite; a peer's bytes never choose it. Combining objects of two suites throws
 * {@link WrongContextError} with `details.what` `"suite"`, and so does an unknown name.
 */
export const Suite = Object.freeze({
  MinSig: 'bls-min-sig',
  MinPk: 'bls-min-pk',
  Ed25519: 'ed25519',
  MinSigCounted: 'bls-min-sig-counted',
  MinPkCounted: 'bls-min-pk-counted',
} as const);
export type Suite = (typeof Suite)[keyof typeof Suite];
/** The byte that identifies each suite in encodings. */
export const SUITE_NUMBERS = Object.freeze(
  Object.fromEntries(Object.values(Suite).map((suite, at) => [suite, at + 1])),
) as { readonly [suite in Suite]: number };
