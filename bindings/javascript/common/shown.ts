/** Describes a value in an error message by its type, never by its content. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
  let name;
  try {
    name = value.constructor?.name;
  } catch {
    // A user's getter or proxy threw; its error is not reported.
  }
  return typeof name === 'string' && name !== '' ? `an object of class ${name}` : 'an object';
}
