/**
 * quorate: consensus building blocks that are hard to misuse. Keys, committees, votes, certificates and evidence.
 *
 * - Arguments are `Uint8Array`s (a `Buffer` is one); each result is a new `Uint8Array` that the caller may change.
 * - Integers of 64 and 128 bits are `bigint`, smaller ones `number`. A member is an index from 0 in a committee.
 * - A failed call throws a {@link QuorateError} with a stable `code`; a value of the wrong type is a `TypeError`, a
 *   number out of range a `RangeError`. `verify` returns nothing or a verified object; it never returns `false`.
 * - Objects are immutable unless a method's description says that it changes them. They belong to one thread:
 *   `structuredClone` and `postMessage` throw a `DataCloneError`; send their encodings.
 * - Native memory is freed after an object is garbage-collected, or at once by `free()` and at the end of a `using` block.
 *
 * The library has not been audited.
 *
 * @packageDocumentation
 */

/// <reference lib="es2020" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />

export * from './exports.js';
export * from './journal.js';
export type { AsyncOptions } from './offthread.js';
export type { AbortSignalLike } from '../common/signal.js';
