'use strict';
// Objects that hold a native handle. They cannot be forged: only this package creates and opens them.

const { shown } = require('./sealed.js');

/** Only this package creates objects from handles. */
const TOKEN = Symbol('quorate');

let slot;

class Handle {
  #raw;
  /** The class that it was created as: replacing the prototype does not change it. */
  #Class;

  constructor(token, raw) {
    if (token !== TOKEN) {
      throw new TypeError(`${new.target.name} cannot be constructed; its documentation names the functions that create it`);
    }
    this.#raw = raw;
    this.#Class = new.target;
  }

  static {
    slot = {
      is: (object, Class) => typeof object === 'object' && object !== null && #raw in object && object.#Class === Class,
      get: (object) => object.#raw,
      all: (object) => typeof object === 'object' && object !== null && #raw in object,
    };
  }
}
Object.defineProperty(Handle.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value() {
    return slot.all(this) ? this.toString() : `${this.constructor.name} {}`;
  },
});

/** Wraps a handle in an object of a class, without its public constructor. */
const wrap = (Class, raw) => Reflect.construct(Handle, [TOKEN, raw], Class);

/** Returns the handle of an object of a class, or throws an error that names the argument. */
function open(object, Class, what = 'this') {
  if (!slot.is(object, Class)) throw new TypeError(`${what} must be a ${Class.name}, not ${shown(object)}`);
  return slot.get(object);
}

/** Gives the objects of each class its name. */
function named(classes) {
  for (const [name, Class] of Object.entries(classes)) {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
  }
  return classes;
}

module.exports = { Handle, TOKEN, wrap, open, named };
