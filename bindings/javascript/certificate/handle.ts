// Objects that own a handle of the backend. They cannot be forged, and throw after `free`.

import { type QuorateError, closed } from '../common/errors.js';
import { shown } from '../common/shown.js';
import { Uncloneable } from '../common/uncloneable.js';
import { errorOf, native } from './backend.js';

/** Only this package creates objects from handles. */
export const TOKEN = Symbol('quorate');

/** A value of the backend. Only the backend knows its type. */
export type Raw = any;
/** A class of this package, whether or not its constructor is public. */
export type Class<T> = { readonly prototype: T; readonly name: string };

let slot: {
  is(value: unknown, of: Class<unknown>): boolean;
  get(object: Handle): Raw;
  clear(object: Handle): void;
  filled(value: unknown): boolean;
};

/** An object outside JavaScript's memory. */
export class Handle extends Uncloneable {
  #raw: Raw;
  /** The class that it was created as: replacing the prototype does not change it. */
  #Class: Function;

  protected constructor(token?: unknown, raw?: Raw) {
    super();
    if (token !== TOKEN) {
      throw new TypeError(`${new.target.name} cannot be constructed; its documentation names the functions that create it`);
    }
    this.#raw = raw;
    this.#Class = new.target;
  }

  static {
    const filled = (value: unknown): value is Handle => typeof value === 'object' && value !== null && #raw in value;
    slot = {
      is: (value, of) => filled(value) && (value.#Class === of || value.#Class.prototype instanceof (of as any)),
      get: (object) => object.#raw,
      clear: (object) => (object.#raw = undefined),
      filled,
    };
  }

  /**
   * Frees the memory now instead of after a garbage collection; after that every use throws {@link ClosedError}. A secret
   * is overwritten. Further calls do nothing.
   */
  free(): void {
    if (!slot.filled(this)) throw new TypeError(`this must be an object of quorate, not ${shown(this)}`);
    const raw = slot.get(this);
    slot.clear(this);
    if (raw !== undefined) native.handleFree(raw);
  }
}
export interface Handle {
  /** As {@link Handle.free}: at the end of a `using` block. */
  [Symbol.dispose](): void;
}
// Engines without `Symbol.dispose` have no `using` blocks.
Object.defineProperty(Handle.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), {
  value(this: Handle) {
    this.free();
  },
  writable: true,
  configurable: true,
});
Object.defineProperty(Handle.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: Handle) {
    if (!slot.filled(this)) return `${(this as object).constructor.name} {}`;
    const isClosed = slot.get(this) === undefined && !('closed' in this);
    return isClosed ? `${this.constructor.name}(freed)` : this.toString();
  },
});

/** An object that holds a secret, which is overwritten when the object is closed or garbage-collected. */
export class Secret extends Handle {
  /** Overwrites the secret. Closing twice does nothing. */
  close(): void {
    this.free();
  }
  /** True if it was closed or consumed. */
  get closed(): boolean {
    return !isOpen(this, Secret);
  }
  /** Without the secret. */
  toJSON(): string {
    return this.toString();
  }
}

/** Creates an object of a class from a handle, without its public constructor. */
export const wrap = <T>(of: Class<T>, raw: Raw): T => Reflect.construct(Handle as any, [TOKEN, raw], of as any);

/** As {@link wrap}, for a list. */
export const wrapAll = <T>(of: Class<T>, all: Iterable<Raw>): T[] => Array.from(all, (raw) => wrap(of, raw));

/** As {@link wrap}, unless there is no value. */
export const wrapMaybe = <T>(of: Class<T>, raw: Raw): T | undefined => raw == null ? undefined : wrap(of, raw);

/** Converts a value of the backend, unless there is none. */
export const maybe = <T>(convert: (raw: Raw) => T, raw: Raw): T | undefined => raw == null ? undefined : convert(raw);

/** Converts a verdict of the backend: a value or an error. */
export const verdict =
  <T>(convert: (raw: Raw) => T) =>
  (raw: Raw): T | QuorateError =>
    errorOf(raw) ?? convert(raw);

function slotOf(value: any, of: Class<unknown>, what: string): Raw {
  if (!slot.is(value, of)) throw new TypeError(`${what} must be a ${of.name}, not ${shown(value)}`);
  return slot.get(value);
}

/** Returns the handle of an object of a class, or throws an error that names the argument. */
export function open(value: unknown, of: Class<unknown>, what = 'this'): Raw {
  const raw = slotOf(value, of, what);
  if (raw === undefined) throw closed(of.name);
  return raw;
}

/** As {@link open}, to check the items of a list. */
export const opener =
  (of: Class<unknown>) =>
  (value: any, what: string): Raw =>
    open(value, of, what);

/** Takes the handle out of the object: the backend becomes its owner. */
export function take(value: any, of: Class<unknown>, what: string): Raw {
  const raw = open(value, of, what);
  slot.clear(value);
  return raw;
}

/** Calls a function that becomes the owner of a handle; if its other arguments are rejected, the handle is freed. */
export function owning<T>(raw: Raw, call: (raw: Raw) => T): T {
  try {
    return call(raw);
  } catch (error) {
    native.handleFree!(raw);
    throw error;
  }
}

export const isOpen = (value: unknown, of: Class<unknown>): boolean => slotOf(value, of, 'this') !== undefined;
export const is = <T>(value: unknown, of: Class<T>): value is T => slot.is(value, of);

/** Gives classes and their objects names that minifiers do not change. */
export function named(classes: Record<string, Class<unknown>>): void {
  for (const [name, of] of Object.entries(classes)) {
    Object.defineProperty(of, 'name', { value: name, configurable: true });
    Object.defineProperty(of.prototype, Symbol.toStringTag, { value: name, configurable: true });
  }
}

/** Adds methods to a class of another file; that file's declaration is augmented with their types. */
export function methods<T extends object>(of: Class<T>, added: Partial<T> & ThisType<T>): void {
  define(of.prototype, added);
}

/** Adds static functions to a class of another file, as {@link methods}. */
export function statics<T extends object>(of: T, added: Partial<T>): void {
  define(of, added);
}

function define(object: object, added: object): void {
  for (const [name, value] of Object.entries(added)) {
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  }
}
