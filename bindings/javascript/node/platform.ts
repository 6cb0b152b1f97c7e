// What differs between the backends for arguments. Native code reads the caller's memory in place.

/** Maximum length of bytes and strings: no limit. */
export const MAX_BYTES = Infinity;
/** The largest length in memory. */
export const MAX_SIZE = Number.MAX_SAFE_INTEGER;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const bufferOf = Object.getOwnPropertyDescriptor(typedArray, 'buffer')!.get!;
const sharedLength = Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength')!.get!;

function isShared(memory: unknown): boolean {
  try {
    sharedLength.call(memory);
    return true;
  } catch {
    return false;
  }
}

/** Copies memory that other threads can write to. */
export const plain = (bytes: Uint8Array): Uint8Array => (isShared(bufferOf.call(bytes)) ? new Uint8Array(bytes) : bytes);
