// Hooks and conversions of `dsig`.

import * as check from '../common/check.js';
import { MAX_MEMBERS } from '../common/constants.js';
import { type QuorateError, tooLarge } from '../common/errors.js';
import { MAX_BYTES } from '../common/platform.js';
import { errorOf } from './backend.js';
import { type Class, type Handle, open, type Raw } from './handle.js';
import { PublicKey } from './keys.js';

/** An announcement and its recipients. */
export interface Announced {
  /** The members of the batch's group, ascending; `undefined` for all verifiers. */
  readonly to: readonly number[] | undefined;
  /** Bytes to send to the recipients. */
  readonly announcement: Uint8Array;
}

/** Members as u16; the backend rejects a list above its limit. */
export const members = (value: unknown, what: string) => check.list(value, what, check.u16, MAX_MEMBERS);

/** An announcement of the backend. */
export const announced = (made: Raw): Announced | undefined =>
  made ? { to: made.to ?? undefined, announcement: made.announcement } : undefined;

// Hooks are called here, not by the backend, which would hold a lock or a borrow meanwhile: a hook that uses its own object
// would deadlock. They are called before handles and bytes are read, because a hook could free or detach them, and before
// the clock is read, because a hook may be slow. Their exceptions propagate, and an answer of another type is an error.
export const copyOf = (hook: () => bigint) => check.u64(hook(), 'the result of the detectCopies hook');
const isRevoked = (hook: (signer: PublicKey) => boolean, signer: PublicKey) =>
  check.boolean(hook(signer), 'the result of the checkRevocation hook');
/** The hooks of signers that detect copies of the machine. */
export const copies = new WeakMap<Handle, () => bigint>();

/** Identifier of this copy of the machine, if the signer has a hook. */
export function copyNow(signer: Handle, Signer: Class<unknown>): bigint | undefined {
  open(signer, Signer);
  const hook = copies.get(signer);
  return hook && copyOf(hook);
}

/** The hooks of verifiers that look up revoked keys. */
export const revocations = new WeakMap<Handle, (signer: PublicKey) => boolean>();

/** The handles of a verifier and of a key, and whether the key is revoked. */
export function asked(verifier: Handle, Verifier: Class<unknown>, signer: PublicKey): [Raw, Raw, boolean] {
  const handles = (): [Raw, Raw] => [open(verifier, Verifier), open(signer, PublicKey, 'signer')];
  const opened = handles();
  const hook = revocations.get(verifier);
  if (hook === undefined) return [...opened, false];
  const revoked = isRevoked(hook, signer);
  return [...handles(), revoked];
}

/** The suite's name, and the keys, messages and signatures, read after all of the caller's code has run. */
export function log(suite: unknown, entries: unknown): [string, Raw[], Uint8Array[], Uint8Array[]] {
  const name = check.suite(suite);
  const whole: check.Check<any> = (value) => value;
  const all = check.list(entries, 'entries', (value, what) => check.triple(value, what, whole, whole, whole));
  const keys = all.map(([signer], line) => open(signer, PublicKey, `entries[${line}][0]`));
  const column = (at: 1 | 2) => all.map((entry, line) => check.bytes(entry[at], `entries[${line}][${at}]`));
  const [texts, signatures] = [column(1), column(2)];
  const total = [...texts, ...signatures].reduce((sum, { length }) => sum + length, 0);
  if (total > MAX_BYTES) throw tooLarge('entries', MAX_BYTES);
  return [name, keys, texts, signatures];
}

/** The outcome of each entry. */
export const outcomes = (found: Raw[]): (QuorateError | undefined)[] => found.map(errorOf);
