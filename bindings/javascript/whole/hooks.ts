// Hooks: functions that users set on an object, and whose results its functions take.

import type { Check } from '../common/check.js';
import { type Class, type Handle, open } from './handle.js';

type Hook = (...asked: any[]) => unknown;

const hooks = new WeakMap<Handle, Hook>();

/** Sets the hook of an object. */
export const setHook = (object: Handle, hook: Hook): void => void hooks.set(object, hook);

/** The result of a hook, which the method `name` sets. An exception propagates, and a result of another type is an error. */
export const answerOf = <T>(hook: Hook, name: string, check: Check<T>, ...asked: unknown[]): T =>
  check(hook(...asked), `the result of the ${name} hook`);

/** As {@link answerOf}, of the hook of an open object, if it has one. */
export function answered<T>(
  object: Handle,
  of: Class<unknown>,
  name: string,
  check: Check<T>,
  ...asked: unknown[]
): T | undefined {
  open(object, of);
  const hook = hooks.get(object);
  return hook && answerOf(hook, name, check, ...asked);
}
