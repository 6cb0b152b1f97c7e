'use strict';
// Objects that hold a native handle. They cannot be forged: only this package creates and opens them.

const { closed } = require('./errors.js');
const native = require('./native.js');
const { shown } = require('./sealed.js');
const { Uncloneable } = require('./uncloneable.js');

/** Only this package creates objects from handles. */
const TOKEN = Symbol('quorate');

let slot;

class Handle extends Uncloneable {
  #raw;
  /** The class that it was created as: replacing the prototype does not change it. */
  #Class;

  constructor(token, raw) {
    super();
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
      clear: (object) => (object.#raw = undefined),
      all: (object) => typeof object === 'object' && object !== null && #raw in object,
    };
  }

  /** Frees the value now instead of after the next garbage collection. Further calls do nothing. */
  free() {
    if (!slot.all(this)) throw new TypeError(`this must be an object of quorate, not ${shown(this)}`);
    const raw = slot.get(this);
    slot.clear(this);
    if (raw !== undefined) native.handleFree(raw);
  }
}
Object.defineProperty(Handle.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), {
  value() {
    this.free();
  },
});
Object.defineProperty(Handle.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value() {
    if (!slot.all(this)) return `${this.constructor.name} {}`;
    return slot.get(this) === undefined ? `${this.constructor.name}(freed)` : this.toString();
  },
});

/** Wraps a handle in an object of a class, without its public constructor. */
const wrap = (Class, raw) => Reflect.construct(Handle, [TOKEN, raw], Class);

/** Returns the handle of an object of a class, or throws an error that names the argument. */
function open(object, Class, what = 'this') {
  if (!slot.is(object, Class)) throw new TypeError(`${what} must be a ${Class.name}, not ${shown(object)}`);
  const raw = slot.get(object);
  if (raw === undefined) throw closed(Class.name);
  return raw;
}

/** Gives the objects of each class its name. */
function named(classes) {
  for (const [name, Class] of Object.entries(classes)) {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
  }
  return classes;
}

module.exports = { Handle, TOKEN, wrap, open, named };
