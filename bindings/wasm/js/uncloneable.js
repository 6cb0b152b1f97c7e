// Objects that `structuredClone` and `postMessage` refuse: their result would be an empty object.

const NOTHING = Object.freeze({});

/** A base class. By the standard, no object with internal slots of its own can be cloned, and a weak reference has one. */
export class Uncloneable extends WeakRef {
  constructor() {
    super(NOTHING);
  }
}
// The objects have no methods of a weak reference.
Object.setPrototypeOf(Uncloneable.prototype, Object.prototype);
