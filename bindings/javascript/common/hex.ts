const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes as lower-case hex. */
export const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => DIGITS[byte]).join('');

/** Returns true if the bytes are the same. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at]);
