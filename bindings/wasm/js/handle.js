// Objects that own memory of the module. They cannot be forged, and throw after `free`.

import { shown } from './check.js';
import { closed } from './errors.js';
import { Uncloneable } from './uncloneable.js';

/** Only this package creates objects from handles. */
export const TOKEN = Symbol('quorate');

let slot;

export class Handle extends Uncloneable {
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
      is: (object, Class) =>
        typeof object === 'object' &&
        object !== null &&
        #raw in object &&
        (object.#Class === Class || object.#Class.prototype instanceof Class),
      get: (object) => object.#raw,
      clear: (object) => (object.#raw = undefined),
    };
  }

  /** Frees the memory now instead of at the next garbage collection. Further calls do nothing. */
  free() {
    const raw = slot.get(this);
    slot.clear(this);
    raw?.free();
  }

  toString() {
    return this.constructor.name;
  }
}
Object.defineProperty(Handle.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), {
  value() {
    this.free();
  },
});
Object.defineProperty(Handle.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value() {
    return this.toString();
  },
});

/** Wraps a handle in an object of a class; `undefined` stays `undefined`. */
export const wrap = (Class, raw) => (raw === undefined ? undefined : new Class(TOKEN, raw));

function handle(object, Class, what) {
  if (!slot.is(object, Class)) {
    throw new TypeError(`${what} must be a ${Class.name}, not ${shown(object)}`);
  }
  return slot.get(object);
}

/** Returns the handle of an object of a class, or throws an error that names the argument. */
export function open(object, Class, what = 'this') {
  const raw = handle(object, Class, what);
  if (raw === undefined) throw closed(Class.name);
  return raw;
}

/** Takes the handle out of the object: the module becomes its owner. */
export function take(object, Class, what) {
  const raw = open(object, Class, what);
  slot.clear(object);
  return raw;
}

export const isOpen = (object, Class) => handle(object, Class, 'this') !== undefined;
export const is = (object, Class) => slot.is(object, Class);

/** Names that minifiers do not change. */
export function name(classes) {
  for (const [text, Class] of Object.entries(classes)) {
    Object.defineProperty(Class, 'name', { value: text });
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: text, configurable: true });
  }
  return classes;
}

export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('');
export const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
