/**
 * Loads the module; call it before any other function. Further calls do nothing. In Node the module is loaded during
 * the import, and this returns at once.
 *
 * @param source - location of the module, if it is not beside the package: a URL, a `Response`, bytes or a
 * `WebAssembly.Module`
 */
export function init(source?: unknown): Promise<void>;
export default init;
