'use strict';
// Classes whose objects cannot be forged: each has a private slot that only this package fills.

const inspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * A base class with a slot for a native handle.
 *
 * `make(Class, handle)` creates an object without running the public constructor; `open(value, what)` returns its
 * handle, or throws a TypeError that names the argument. Subclasses with a public constructor pass the handle to
 * `super`.
 */
function sealed(name) {
  const key = Symbol(name);

  class Sealed {
    #handle;

    constructor(token, handle) {
      if (token !== key) throw new TypeError(`${name} cannot be constructed; its documentation names the functions that create it`);
      this.#handle = handle;
    }

    static open(value, what) {
      if (typeof value !== 'object' || value === null || !(#handle in value)) {
        throw new TypeError(`${what} must be a ${name}, not ${shown(value)}`);
      }
      return value.#handle;
    }

    static is(value) {
      return typeof value === 'object' && value !== null && #handle in value;
    }
  }

  const { open, is } = Sealed;
  delete Sealed.open;
  delete Sealed.is;
  // Neither a public class nor a way to reach the handles.
  Object.defineProperty(Sealed, 'name', { value: `Sealed${name}` });
  Object.defineProperty(Sealed.prototype, inspect, {
    value() {
      return is(this) ? this.toString() : `${name} {}`;
    },
  });
  Object.defineProperty(Sealed.prototype, Symbol.toStringTag, { value: name, configurable: true });
  return { Sealed, key, open, is, make: (Class, handle) => Reflect.construct(Sealed, [key, handle], Class) };
}

/** Describes a value in an error message by its type, never by its content. */
function shown(value) {
  if (value === null) return 'null';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
  let name;
  try {
    name = value.constructor?.name;
  } catch {
    // A user's getter or proxy threw; its error is not reported.
  }
  return typeof name === 'string' && name !== '' ? `an object of class ${name}` : 'an object';
}

module.exports = { sealed, shown };
