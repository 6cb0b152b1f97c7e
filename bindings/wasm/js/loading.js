// The module is there once it was loaded; what needs it says so until then.

/** What gives the module's exports, and what says that they are loaded. */
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

/** A function that loads once, however often it is called; a failure can be tried again. */
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
