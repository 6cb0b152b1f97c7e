/** Canonical, bounded encoding, as used by every type of this package. Integers are little-endian. */

import * as check from '../common/check.js';
import { native, whenLoaded } from './backend.js';
import { Handle, TOKEN, named, open } from './handle.js';

/** Every domain string: each identifies one purpose of a hash or of signed bytes. */
export let DOMAINS: readonly string[] = [];
whenLoaded(() => {
  DOMAINS = Object.freeze(native.domains());
});

/** Returns the 32-byte BLAKE3 hash of `bytes` under a domain string. */
export function hash(domain: string, bytes: Uint8Array): Uint8Array {
  return native.wireHash(check.string(domain, 'domain'), check.bytes(bytes, 'bytes'));
}

/** Reads an encoding front to back. Too few bytes raise {@link MalformedError}; each call advances the position. */
export class Reader extends Handle {
  declare private readonly brand: never;
  /** A reader over a copy of `bytes`. */
  constructor(bytes: Uint8Array) {
    super(TOKEN, native.readerNew(check.bytes(bytes, 'bytes')));
  }
  /** Number of bytes left. */
  get remaining(): number {
    return native.readerRemaining(open(this, Reader));
  }
  /** Reads the next `length` bytes. */
  raw(length: number): Uint8Array {
    return native.readerRaw(open(this, Reader), check.size(length, 'length'));
  }
  u8(): number {
    return native.readerU8(open(this, Reader));
  }
  u16(): number {
    return native.readerU16(open(this, Reader));
  }
  u32(): number {
    return native.readerU32(open(this, Reader));
  }
  u64(): bigint {
    return native.readerU64(open(this, Reader));
  }
  u128(): bigint {
    return native.readerU128(open(this, Reader));
  }
  /** Reads LEB128 of 32 bits in its shortest form. @throws {@link NonCanonicalError} */
  varint(): number {
    return native.readerVarint(open(this, Reader));
  }
  /** Reads a length of at most `cap`, then that many bytes. @throws {@link TooLargeError} */
  bytes(cap: number): Uint8Array {
    return native.readerBytes(open(this, Reader), check.size(cap, 'cap'));
  }
  /** Reads a list length of at most `cap`. @throws {@link TooLargeError} */
  count(cap: number): number {
    return native.readerCount(open(this, Reader), check.size(cap, 'cap'));
  }
  /** Reads the tag of an option: whether a value follows. */
  option(): boolean {
    return native.readerOption(open(this, Reader));
  }
  /** @throws {@link MalformedError} if bytes are left */
  finish(): void {
    native.readerFinish(open(this, Reader));
  }
  toString(): string {
    return `Reader(${this.remaining} bytes left)`;
  }
}

/** Writes an encoding front to back. */
export class Writer extends Handle {
  declare private readonly brand: never;
  constructor() {
    super(TOKEN, native.writerNew());
  }
  /** Number of bytes written. */
  get length(): number {
    return native.writerLength(open(this, Writer));
  }
  raw(bytes: Uint8Array): void {
    native.writerRaw(open(this, Writer), check.bytes(bytes, 'bytes'));
  }
  u8(value: number): void {
    native.writerU8(open(this, Writer), check.u8(value, 'value'));
  }
  u16(value: number): void {
    native.writerU16(open(this, Writer), check.u16(value, 'value'));
  }
  u32(value: number): void {
    native.writerU32(open(this, Writer), check.u32(value, 'value'));
  }
  u64(value: bigint): void {
    native.writerU64(open(this, Writer), check.u64(value, 'value'));
  }
  u128(value: bigint): void {
    native.writerU128(open(this, Writer), check.u128(value, 'value'));
  }
  varint(value: number): void {
    native.writerVarint(open(this, Writer), check.u32(value, 'value'));
  }
  /** Writes a length, then the bytes. */
  bytes(bytes: Uint8Array): void {
    const given = check.bytes(bytes, 'bytes');
    check.u32(given.byteLength, 'bytes.length');
    native.writerBytes(open(this, Writer), given);
  }
  /** Writes a list length. */
  count(length: number): void {
    native.writerCount(open(this, Writer), check.u32(length, 'length'));
  }
  /** Writes the tag of an option. */
  option(present: boolean): void {
    native.writerOption(open(this, Writer), check.boolean(present, 'present'));
  }
  /** Returns the written bytes. The writer is empty afterwards. */
  intoBytes(): Uint8Array {
    return native.writerIntoBytes(open(this, Writer));
  }
  toString(): string {
    return `Writer(${this.length} bytes)`;
  }
}

named({ Reader, Writer });
