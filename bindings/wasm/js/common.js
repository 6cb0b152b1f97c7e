// Shared by the classes of several files.

import { list } from './check.js';
import { open, same } from './handle.js';

/** `equals` of a class whose objects are compared by their encodings. */
export const equal = (Class) =>
  function equals(other) {
    open(this, Class);
    open(other, Class, 'other');
    return this.suite === other.suite && same(this.encode(), other.encode());
  };

/** Fills a list in the module; it is freed if an item is rejected. */
export function fill(raw, values, what, check, add = (item) => raw.add(item)) {
  try {
    list(values, what, check).forEach(add);
  } catch (error) {
    raw.free();
    throw error;
  }
  return raw;
}
