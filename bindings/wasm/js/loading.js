// Loading of the module.

/** Wraps a function so that it loads once; after a failure it can be called again. */
export function once(load, loaded) {
  let pending;
  return function init(source) {
    pending ??= load(source).then(loaded, (error) => {
      pending = undefined;
      throw isInMemory(source) ? error : new Error(explained(error), { cause: error });
    });
    return pending;
  };
}

/** Bytes or a compiled module: no server sent it. */
const isInMemory = (source) =>
  ArrayBuffer.isView(source) || source instanceof ArrayBuffer || source instanceof WebAssembly.Module;

/** Of a page in place of the module, as many servers send for a file that they do not find, the engine reports only bytes. */
const explained = (error) =>
  `quorate-wasm: the .wasm file could not be loaded: ${error?.message ?? error}. The server must send it, not a page in ` +
  "its place, as application/wasm. Vite's development server needs optimizeDeps: { exclude: ['quorate-wasm'] }. " +
  'Otherwise call init with the URL of the file.';
