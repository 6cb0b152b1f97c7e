// What differs between the backends for arguments. They are copied into the module's memory, which is limited.

/** Maximum length of bytes and strings. */
export const MAX_BYTES = 1 << 28;
/** The largest length in memory. */
export const MAX_SIZE = 0xffff_ffff;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const getter = (name: string) => Object.getOwnPropertyDescriptor(typedArray, name)!.get!;
const [bufferOf, offsetOf, lengthOf] = [getter('buffer'), getter('byteOffset'), getter('length')];

/**
 * A plain array on the same memory. The copy into the module reads the array's length twice and trusts both results: this
 * array has no getter of the caller, and does not grow with its buffer.
 */
export const plain = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bufferOf.call(bytes), offsetOf.call(bytes), lengthOf.call(bytes));
