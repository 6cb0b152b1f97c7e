// The native library for this machine. Its errors become QuorateErrors.

import { addMembers, addNumber, addText, make, type QuorateError } from '../common/errors.js';

/** The functions of a backend, by their names. */
export type Backend = Record<string, (...values: any[]) => any>;

/** The error that the native library wrote as JSON; the stack begins below the function `below`. */
function failure(text: string, below: Function = failure): QuorateError {
  const { code, message, culprits, details } = JSON.parse(text);
  const error = make(code, message, culprits);
  for (const [name, type, value] of details) {
    if (type === 'members') addMembers(error, name, value);
    else if (type === 'number') addNumber(error, name, BigInt(value));
    else addText(error, name, value);
  }
  Error.captureStackTrace?.(error, below);
  return error;
}

/** The error among results, if this is one. */
export const errorOf = (value: unknown): QuorateError | undefined => (typeof value === 'string' ? failure(value) : undefined);

/** Converts an error of the native library to a public one. */
function translated(error: any, below?: Function): unknown {
  if (error?.code === 'GenericFailure' && error.message.startsWith('{')) return failure(error.message, below);
  // A handle of another type; it occurs only if an object's prototype was replaced, or was freed during the call.
  if (error?.code === 'InvalidArg') return new TypeError(error.message);
  return error;
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const report: any = process.report;
  const before = report?.excludeNetwork;
  try {
    // Otherwise the report queries the name service about every open connection and waits for the answers.
    if (report) report.excludeNetwork = true;
    return !report?.getReport?.().header?.glibcVersionRuntime;
  } finally {
    if (report) report.excludeNetwork = before;
  }
}

/** The library built here, or the package for this platform, which npm installs with this one. */
function load(): Backend {
  const { platform, arch } = process;
  const musl = isMusl();
  const name = `quorate.${platform}-${arch}${musl ? '-musl' : ''}.node`;
  const libc = platform !== 'linux' ? '' : musl ? '-musl' : '-gnu';
  const platformPackage = `quorate-${platform}-${arch}${libc}`;
  const causes = [];
  for (const place of [`../../${name}`, platformPackage]) {
    try {
      return require(place);
    } catch (cause) {
      causes.push(cause);
    }
  }
  throw new Error(
    `quorate: found no native library for ${platform}-${arch}${libc}: neither the file ${name} nor the package ` +
      `${platformPackage} could be loaded. npm installs that package with this one, unless optional dependencies are ` +
      'left out, or a lock file of another system lists others. Where there is no such package, build quorate from ' +
      'source, or use quorate-wasm, which has the same API and runs everywhere.',
    { cause: new AggregateError(causes, causes.map(String).join('\n')) },
  );
}

/** The same function with translated errors, including those of its promise. */
function wrapped(name: string, native: Backend[string]): Backend[string] {
  if (name.endsWith('Async')) {
    return (...values) => {
      try {
        return native(...values).catch((error: unknown) => Promise.reject(translated(error)));
      } catch (error) {
        return Promise.reject(translated(error));
      }
    };
  }
  return function call(...values) {
    try {
      return native(...values);
    } catch (error) {
      throw translated(error, call);
    }
  };
}

const functions = Object.entries(load()).filter(([, value]) => typeof value === 'function');

export const native: Backend = Object.fromEntries(functions.map(([name, one]) => [name, wrapped(name, one)]));

/** Runs a function once the backend can be called: here, at once. */
export const whenLoaded = (run: () => void): void => run();

/** A list of byte strings for the backend. */
export const byteStrings = (list: Uint8Array[]): unknown => list;

/** Lists of numbers, if there are any, for the backend. */
export const numberLists = (lists: number[][] | undefined): unknown => lists;

/** A list of objects of the native class `name` for the backend. */
export const objects = (name: string, handles: unknown[]): unknown => handles;

/** As {@link objects}, of one class. */
export const objectsOf = (name: string) => (handles: unknown[]) => objects(name, handles);

/** A list of integers of 128 bits for the backend. */
export const wide = (list: bigint[]): unknown => list;

/** An object of the native class `name`, or none, for the backend. */
export const optionalObject = (name: string, handle: unknown): unknown => handle;
