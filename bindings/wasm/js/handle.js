// What `threshold` needs of the classes compiled from TypeScript.

import { Guard, GuardRecord } from '../dist/whole/guard.js';
import { TOKEN, named, wrap as wrapCompiled } from '../dist/whole/handle.js';
import { CommitteeId } from '../dist/whole/ids.js';
import { Signature } from '../dist/whole/keys.js';
import { PublicKey } from '../dist/whole/public-key.js';

export { Handle, TOKEN, isOpen, open, take } from '../dist/whole/handle.js';
export { hex } from '../dist/common/hex.js';

const COMPILED = new Set([CommitteeId, Guard, GuardRecord, PublicKey, Signature]);

/** Wraps a handle in an object of a class; `undefined` stays `undefined`. */
export function wrap(Class, raw) {
  if (raw === undefined) return undefined;
  return COMPILED.has(Class) ? wrapCompiled(Class, raw) : new Class(TOKEN, raw);
}

/** Names that minifiers do not change. */
export function name(classes) {
  named(classes);
  return classes;
}

export const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
