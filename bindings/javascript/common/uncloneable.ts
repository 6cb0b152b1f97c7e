// Objects that `structuredClone` and `postMessage` refuse: their result would be an empty object.

const NOTHING = Object.freeze({});

/** Creates a base class. By the standard, no object with internal slots can be cloned, and a weak reference has one. */
function uncloneable(): new () => object {
  class Uncloneable extends WeakRef<object> {
    constructor() {
      super(NOTHING);
    }
  }
  // The objects have no methods of a weak reference.
  Object.setPrototypeOf(Uncloneable.prototype, Object.prototype);
  return Uncloneable;
}

/** A base class of objects that cannot be cloned. */
export const Uncloneable = uncloneable();
