'use strict';
// Loads the native half for this machine and converts its errors to QuorateErrors.

const { translated } = require('./errors.js');

function isMusl() {
  if (process.platform !== 'linux') return false;
  const { report } = process;
  const before = report?.excludeNetwork;
  try {
    // Otherwise the report queries the name service about every open connection and waits for the answers.
    if (report) report.excludeNetwork = true;
    return !report?.getReport?.().header?.glibcVersionRuntime;
  } finally {
    if (report) report.excludeNetwork = before;
  }
}

function load() {
  const name = `quorate.${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}.node`;
  try {
    return require(`../${name}`);
  } catch (cause) {
    throw new Error(
      `quorate: the native library ${name} could not be loaded. This package may not have been built for this ` +
        'system: build it from source, or use the package quorate-wasm, which has the same API.',
      { cause },
    );
  }
}

/** The same function with translated errors, including those of its promise. */
function wrapped(native) {
  if (native.name.endsWith('Async')) {
    return (...values) => {
      try {
        return native(...values).catch((error) => Promise.reject(translated(error)));
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

module.exports = Object.fromEntries(functions.map(([name, native]) => [name, wrapped(native)]));
