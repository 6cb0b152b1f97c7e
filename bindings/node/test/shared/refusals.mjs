// Helpers of the tests of invalid arguments.

export const NOT_BYTES = [undefined, null, 0, 'text', {}, [], [1, 2], new ArrayBuffer(4), new Uint16Array(2), () => {}, Symbol('s'), 1n];
export const NOT_OBJECTS = [undefined, null, 0, 'text', {}, [], () => {}, Symbol('s'), 1n, Object.create(null)];

/** A list that does not end. */
export const endless = (item) => ({ *[Symbol.iterator]() { for (;;) yield item; } });

/** Takes the memory of an array away. */
export function detached(bytes = new Uint8Array(32)) {
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

/** Checks of calls that must fail: with a TypeError, with a RangeError that names the argument, or with an error's code. */
export const refusals = (q, assert) => ({
  type: (call, pattern) => assert.throws(call, (e) => e instanceof TypeError && (!pattern || pattern.test(e.message))),
  range: (call, name) => assert.throws(call, (e) => e instanceof RangeError && e.message.includes(name)),
  code: (call, wanted) => assert.throws(call, (e) => e instanceof q.QuorateError && e.code === wanted),
});

/** Each function of a class must refuse other objects than its own. */
export async function checkReceivers(assert, Class, genuine, borrowed) {
  const receivers = [Object.create(Class.prototype), Object.create(genuine), {}, new Proxy(genuine, {}), Object.setPrototypeOf({}, Class.prototype), borrowed];
  for (const [key, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(Class.prototype))) {
    // The texts return only the results of the object's own methods.
    if (['constructor', 'toString', 'toJSON'].includes(key)) continue;
    for (const receiver of receivers) {
      await assert.rejects(async () => (get ?? value).call(receiver), TypeError, `${Class.name}.${key}`);
    }
  }
}
