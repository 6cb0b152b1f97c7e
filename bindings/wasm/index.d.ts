/**
 * quorate: consensus building blocks that are hard to misuse. Keys, committees, votes, certificates and evidence.
 *
 * - Arguments are `Uint8Array`s (a `Buffer` is one); each result is a new `Uint8Array` that the caller may change.
 * - Integers of 64 and 128 bits are `bigint`, smaller ones `number`. A member is an index from 0 in a committee.
 * - A failed call throws a {@link QuorateError} with a stable `code`; a value of the wrong type is a `TypeError`, a
 *   number out of range a `RangeError`. `verify` returns nothing or a verified object; it never returns `false`.
 * - Objects are immutable unless a method's description says that it changes them. They belong to one thread:
 *   `structuredClone` and `postMessage` throw a `DataCloneError`; send their encodings.
 *
 * The library has not been audited.
 *
 * @packageDocumentation
 */

/// <reference lib="es2020" />
/// <reference lib="esnext.disposable" />

import type { ErrorCode } from './types/errors.js';

// ------------------------------------------------------------------------------------------------------ loading

/**
 * Loads the module; call it before any other function. Further calls do nothing. In Node the module is loaded during
 * the import, and this returns at once.
 *
 * @param source - location of the module, if it is not beside the package: a URL, a `Response`, bytes or a
 * `WebAssembly.Module`
 */
export function init(source?: unknown): Promise<void>;
export default init;

// ---------------------------------------------------------------------------------------------------- constants

/** The version of this package. */
export const VERSION: string;
/** Every code that {@link QuorateError.code} can have. */
export const CODES: readonly ErrorCode[];
/** Maximum number of members of a committee: 65,535. */
export const MAX_MEMBERS: number;
/** Maximum total weight of a committee: 2¹²⁵. */
export const MAX_TOTAL_WEIGHT: bigint;
/** Maximum number of different values in one timeout certificate. */
export const MAX_TIMEOUT_GROUPS: number;
/** Fewer pending votes than this are verified one by one. */
export const DEFAULT_BATCH_THRESHOLD: number;

// ------------------------------------------------------------------------------------------------- further files

export * from './types/bls.js';
export * from './types/certificates.js';
export * from './types/collectors.js';
export * from './types/committees.js';
export * from './types/dsig.js';
export * from './types/errors.js';
export * from './types/evidence.js';
export * from './types/guard.js';
export * from './types/ids.js';
export * from './types/keys.js';
export * from './generated/ciphersuite.js';
export * from './generated/header.js';
export * from './generated/merkle.js';
export * from './types/statements.js';
export * from './types/suites.js';
export * from './types/timeouts.js';
export * from './types/votes.js';
export * from './types/wire.js';
export * as erasure from './types/erasure.js';
export * as gossip from './types/gossip.js';
export * as sortition from './types/sortition.js';
export * as threshold from './types/threshold.js';
