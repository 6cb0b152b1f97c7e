// Messages to and from a Worker: all bytes in one array, which is transferred without a copy, however many keys or
// certificates it contains.

/** Packs a value of arrays, plain objects and bytes: all its bytes go into one array. */
export function pack(value) {
  const parts = [];
  let length = 0;
  const walk = (part) => {
    if (part instanceof Uint8Array) {
      parts.push(part);
      length += part.length;
      return { bytesAt: length - part.length, bytesLength: part.length };
    }
    if (Array.isArray(part)) return part.map(walk);
    return typeof part === 'object' && part !== null ? mapped(part, walk) : part;
  };
  const shape = walk(value);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { shape, bytes };
}

/** Unpacks the value; its bytes are copies, so that none references the whole array. */
export function unpack({ shape, bytes }) {
  const walk = (part) => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    const { bytesAt, bytesLength } = part;
    return bytesAt === undefined ? mapped(part, walk) : bytes.slice(bytesAt, bytesAt + bytesLength);
  };
  return walk(shape);
}

const mapped = (object, map) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
