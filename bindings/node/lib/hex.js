'use strict';

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes as lower-case hex. */
exports.hex = (bytes) => Array.from(bytes, (byte) => DIGITS[byte]).join('');
