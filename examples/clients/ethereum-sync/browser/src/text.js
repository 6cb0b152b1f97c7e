// Encoding of values in the beacon API's JSON: integers as decimal strings, bytes as hexadecimal with `0x`. A reader
// converts a JSON value or throws `InvalidValue`.

/** A JSON value of an unexpected type or form. */
export class InvalidValue extends Error {}

const kind = (value) => (value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`);
const excerpt = (text) => (text.length > 20 ? `"${text.slice(0, 20)}…"` : `"${text}"`);

export function string(value) {
  if (typeof value !== 'string') throw new InvalidValue(`expected a string, got ${kind(value)}`);
  // JSON can escape halves of surrogate pairs, which are no Unicode text.
  if (/\p{Surrogate}/u.test(value)) throw new InvalidValue('expected a string, got half of a surrogate pair');
  return value;
}

const unsigned = (bits) => (value) => {
  const text = string(value);
  // No integer of 256 bits has more than 78 digits.
  if (/^[0-9]{1,100}$/.test(text) && BigInt(text) < 1n << BigInt(bits)) return BigInt(text);
  throw new InvalidValue(`expected an unsigned integer of ${bits} bits, got ${excerpt(text)}`);
};
export const number = unsigned(64);
export const number256 = unsigned(256);

const digits = (value) => string(value).replace(/^0x/, '');

export function anyBytes(value) {
  const text = digits(value);
  // Avoids a repeated group: the regular expression engine records each of millions of repetitions.
  if (text.length % 2 === 1 || /[^0-9a-fA-F]/.test(text)) throw new InvalidValue(`expected hexadecimal digits, got ${excerpt(value)}`);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

export const bytes = (length) => (value) => {
  // Checks the length first, to avoid decoding oversized input.
  if (digits(value).length !== 2 * length) throw new InvalidValue(`expected ${length} bytes in hexadecimal, got ${excerpt(value)}`);
  return anyBytes(value);
};
export const bytes32 = bytes(32);

export const listOf = (read) => (value) => {
  if (!Array.isArray(value)) throw new InvalidValue(`expected a list, got ${kind(value)}`);
  return value.map((item) => read(item));
};

/** An optional value: null or absent. */
export const optional = (read) => (value) => (value === null || value === undefined ? undefined : read(value));

/** An object with these fields. */
export const object = (fields) => (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidValue(`expected an object, got ${kind(value)}`);
  }
  const read = ([name, reader]) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    try {
      return [name, reader(given)];
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      throw new InvalidValue(given === undefined ? `missing field \`${name}\`` : `${name}: ${error.message}`);
    }
  };
  return Object.fromEntries(Object.entries(fields).map(read));
};

export const toHex = (data) => `0x${Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
export const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
