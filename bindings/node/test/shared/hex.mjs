/** Bytes as lower-case hex. */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Decodes hex. */
export const bytes = (text) => {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error(`not hex: ${text}`);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
};
