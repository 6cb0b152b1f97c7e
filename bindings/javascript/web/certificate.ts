/**
 * quorate-wasm/certificate: the part of quorate-wasm that verifies certificates, less than half the size. The error classes
 * are the same.
 *
 * @packageDocumentation
 */

/// <reference lib="es2020" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />

export * from './certificate-exports.js';
