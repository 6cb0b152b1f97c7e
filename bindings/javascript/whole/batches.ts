// Values that are verified together.

import * as check from '../common/check.js';
import type { QuorateError } from '../common/errors.js';
import { errorOf } from './backend.js';
import { Committee } from './committee.js';
import { type Class, open, opener, type Raw, wrap } from './handle.js';

/** The handles of a committee and of values of a class, the argument that `what` names. */
export function batch(of: Class<unknown>, committee: unknown, values: unknown, what: string): [Raw, Raw[]] {
  open(committee, Committee, 'committee');
  const all = check.list(values, what, opener(of));
  return [open(committee, Committee, 'committee'), all];
}

/** The verdict on each value of a batch: an object of a class, or an error. */
export const verdicts =
  <T>(of: Class<T>) =>
  (found: Raw[]): (T | QuorateError)[] =>
    found.map((one) => errorOf(one) ?? wrap(of, one));
