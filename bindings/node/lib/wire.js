'use strict';

const native = require('./native.js');
const { boolean, bytes, size, string, u8, u16, u32, u64, u128 } = require('./check.js');
const { sealed } = require('./sealed.js');

const reader = sealed('Reader');
const writer = sealed('Writer');

const hash = (domain, data) => native.wireHash(string(domain, 'domain'), bytes(data, 'bytes'));

class Reader extends reader.Sealed {
  constructor(data) {
    super(reader.key, native.readerNew(bytes(data, 'bytes')));
  }
  get remaining() {
    return native.readerRemaining(reader.open(this, 'this'));
  }
  raw(length) {
    return native.readerRaw(reader.open(this, 'this'), size(length, 'length'));
  }
  u8() {
    return native.readerU8(reader.open(this, 'this'));
  }
  u16() {
    return native.readerU16(reader.open(this, 'this'));
  }
  u32() {
    return native.readerU32(reader.open(this, 'this'));
  }
  u64() {
    return native.readerU64(reader.open(this, 'this'));
  }
  u128() {
    return native.readerU128(reader.open(this, 'this'));
  }
  varint() {
    return native.readerVarint(reader.open(this, 'this'));
  }
  bytes(cap) {
    return native.readerBytes(reader.open(this, 'this'), size(cap, 'cap'));
  }
  count(cap) {
    return native.readerCount(reader.open(this, 'this'), size(cap, 'cap'));
  }
  option() {
    return native.readerOption(reader.open(this, 'this'));
  }
  finish() {
    native.readerFinish(reader.open(this, 'this'));
  }
  toString() {
    return `Reader(${this.remaining} bytes left)`;
  }
}

class Writer extends writer.Sealed {
  constructor() {
    super(writer.key, native.writerNew());
  }
  get length() {
    return native.writerLength(writer.open(this, 'this'));
  }
  raw(data) {
    native.writerRaw(writer.open(this, 'this'), bytes(data, 'bytes'));
  }
  u8(value) {
    native.writerU8(writer.open(this, 'this'), u8(value, 'value'));
  }
  u16(value) {
    native.writerU16(writer.open(this, 'this'), u16(value, 'value'));
  }
  u32(value) {
    native.writerU32(writer.open(this, 'this'), u32(value, 'value'));
  }
  u64(value) {
    native.writerU64(writer.open(this, 'this'), u64(value, 'value'));
  }
  u128(value) {
    native.writerU128(writer.open(this, 'this'), u128(value, 'value'));
  }
  varint(value) {
    native.writerVarint(writer.open(this, 'this'), u32(value, 'value'));
  }
  bytes(data) {
    const given = bytes(data, 'bytes');
    u32(given.byteLength, 'bytes.length');
    native.writerBytes(writer.open(this, 'this'), given);
  }
  count(length) {
    native.writerCount(writer.open(this, 'this'), u32(length, 'length'));
  }
  option(present) {
    native.writerOption(writer.open(this, 'this'), boolean(present, 'present'));
  }
  intoBytes() {
    return native.writerIntoBytes(writer.open(this, 'this'));
  }
  toString() {
    return `Writer(${this.length} bytes)`;
  }
}

module.exports = { DOMAINS: Object.freeze(native.constants().domains), hash, Reader, Writer };
