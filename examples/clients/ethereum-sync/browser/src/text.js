// Encoding of values in the beacon API's JSON: integers as decimal strings, bytes as hexadecimal with `0x`. A reader turns a
// JSON value into a value or throws `Wrong`.

export class Wrong extends Error {}

const kind = (value) => (value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`);
const excerpt = (text) => (text.length > 20 ? `"${text.slice(0, 20)}…"` : `"${text}"`);

export function string(value) {
  if (typeof value !== 'string') throw new Wrong(`a string is expected, not ${kind(value)}`);
  // JSON can escape halves of surrogate pairs, which are no Unicode text.
  if (/\p{Surrogate}/u.test(value)) throw new Wrong('a string is expected, not half of a surrogate pair');
  return value;
}

const unsigned = (bits) => (value) => {
  const text = string(value);
  // No integer of 256 bits has more digits.
  if (/^[0-9]{1,100}$/.test(text) && BigInt(text) < 1n << BigInt(bits)) return BigInt(text);
  throw new Wrong(`${excerpt(text)} is no unsigned integer of ${bits} bits`);
};
export const number = unsigned(64);
export const number256 = unsigned(256);

const digits = (value) => string(value).replace(/^0x/, '');

export function anyBytes(value) {
  const text = digits(value);
  // No group is repeated here: a regular expression remembers each repetition, of millions.
  if (text.length % 2 === 1 || /[^0-9a-fA-F]/.test(text)) throw new Wrong(`${excerpt(value)} is no hexadecimal text`);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

export const bytes = (length) => (value) => {
  // Checks the length first, to avoid decoding oversized input.
  if (digits(value).length !== 2 * length) throw new Wrong(`${excerpt(value)} is no hexadecimal text of ${length} bytes`);
  return anyBytes(value);
};
export const bytes32 = bytes(32);

export const listOf = (read) => (value) => {
  if (!Array.isArray(value)) throw new Wrong(`a list is expected, not ${kind(value)}`);
  return value.map((item) => read(item));
};

/** An optional value: null or absent. */
export const optional = (read) => (value) => (value === null || value === undefined ? undefined : read(value));

/** An object with these fields. */
export const object = (fields) => (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Wrong(`an object is expected, not ${kind(value)}`);
  }
  const read = ([name, reader]) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    try {
      return [name, reader(given)];
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      throw new Wrong(given === undefined ? `missing field \`${name}\`` : `${name}: ${error.message}`);
    }
  };
  return Object.fromEntries(Object.entries(fields).map(read));
};

export const shown = (data) => `0x${Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
export const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
