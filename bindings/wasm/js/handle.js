// Objects that hold something in the module's memory. They cannot be forged, and after `free` they say so.

import { shown } from './check.js';
import { closed } from './errors.js';

/** Only this package makes objects from handles. */
export const TOKEN = Symbol('quorate');

let slot;

export class Handle {
  #raw;
  /** What it was made as: another prototype does not make it something else. */
  #Class;

  constructor(token, raw) {
    if (token !== TOKEN) {
      throw new TypeError(`${new.target.name} cannot be constructed; see where its documentation says it comes from`);
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

  /** Gives the memory back now instead of at the next garbage collection. Twice does nothing. */
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

/** An object of a class around a handle; `undefined` stays it. */
export const wrap = (Class, raw) => (raw === undefined ? undefined : new Class(TOKEN, raw));

function handle(object, Class, what) {
  if (!slot.is(object, Class)) {
    throw new TypeError(`${what} must be a ${Class.name}, not ${shown(object)}`);
  }
  return slot.get(object);
}

/** The handle of an object of a class, or an error that names the argument. */
export function open(object, Class, what = 'this') {
  const raw = handle(object, Class, what);
  if (raw === undefined) throw closed(Class.name);
  return raw;
}

/** The handle, which the object then no longer has: the module takes it over. */
export function take(object, Class, what) {
  const raw = open(object, Class, what);
  slot.clear(object);
  return raw;
}

export const isOpen = (object, Class) => handle(object, Class, 'this') !== undefined;
export const is = (object, Class) => slot.is(object, Class);

/** Names that survive minifiers. */
export function name(classes) {
  for (const [text, Class] of Object.entries(classes)) {
    Object.defineProperty(Class, 'name', { value: text });
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: text, configurable: true });
  }
  return classes;
}

export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('');
export const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
