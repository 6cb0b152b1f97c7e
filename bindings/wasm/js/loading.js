// Loading of the module; until it is loaded, calls that need it throw.

/** Returns the access to the module's exports, and the function that marks them as loaded. */
export function loading(exports) {
  let ready = false;
  return {
    wasm() {
      if (!ready) throw new Error('quorate-wasm is not loaded yet: `await init()` first');
      return exports;
    },
    loaded() {
      ready = true;
    },
  };
}

/** Wraps a function so that it loads once; after a failure it can be called again. */
export function once(load, loaded) {
  let pending;
  return function init(source) {
    pending ??= load(source).then(loaded, (error) => {
      pending = undefined;
      throw error;
    });
    return pending;
  };
}
