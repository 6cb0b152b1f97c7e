const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes as lower-case hex. */
export const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => DIGITS[byte]).join('');
