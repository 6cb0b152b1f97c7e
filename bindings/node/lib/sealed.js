'use strict';
// Classes whose objects cannot be forged: each has a private slot that only this package fills.

const { closed } = require('../dist/common/errors.js');
const { native } = require('../dist/classes/backend.js');
const { shown } = require('../dist/common/shown.js');
const { Uncloneable } = require('../dist/common/uncloneable.js');

const inspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * A base class with a slot for a native handle.
 *
 * `make(Class, handle)` creates an object without running the public constructor; `open(value, what)` returns its
 * handle, or throws a TypeError that names the argument, or a ClosedError if the object was freed. Subclasses with a
 * public constructor pass the handle to `super`.
 */
function sealed(name) {
  const key = Symbol(name);

  class Sealed extends Uncloneable {
    #handle;

    constructor(token, handle) {
      super();
      if (token !== key) throw new TypeError(`${name} cannot be constructed; its documentation names the functions that create it`);
      this.#handle = handle;
    }

    /** Frees the value now instead of after the next garbage collection. Further calls do nothing. */
    free() {
      const handle = Sealed.#of(this, 'this');
      this.#handle = undefined;
      if (handle !== undefined) native.handleFree(handle);
    }

    static #of(value, what) {
      if (typeof value !== 'object' || value === null || !(#handle in value)) {
        throw new TypeError(`${what} must be a ${name}, not ${shown(value)}`);
      }
      return value.#handle;
    }

    static open(value, what) {
      const handle = Sealed.#of(value, what);
      if (handle === undefined) throw closed(name);
      return handle;
    }

    static isFreed(value) {
      return value.#handle === undefined;
    }

    static is(value) {
      return typeof value === 'object' && value !== null && #handle in value;
    }
  }

  const { open, is, isFreed } = Sealed;
  for (const key of ['open', 'is', 'isFreed']) delete Sealed[key];
  // Neither a public class nor a way to reach the handles.
  Object.defineProperty(Sealed, 'name', { value: `Sealed${name}` });
  Object.defineProperty(Sealed.prototype, inspect, {
    value() {
      if (!is(this)) return `${name} {}`;
      return isFreed(this) ? `${name}(freed)` : this.toString();
    },
  });
  Object.defineProperty(Sealed.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), {
    value() {
      this.free();
    },
    writable: true,
    configurable: true,
  });
  Object.defineProperty(Sealed.prototype, Symbol.toStringTag, { value: name, configurable: true });
  return { Sealed, key, open, is, make: (Class, handle) => Reflect.construct(Sealed, [key, handle], Class) };
}

module.exports = { sealed };
