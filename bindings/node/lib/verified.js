'use strict';

const { makeCommitteeId } = require('./ids.js');
const { sealed } = require('./sealed.js');

/**
 * Creates the class of a value that was verified against a committee: `valueOf` and `committeeOf` read its handle;
 * `more` has the methods of this class only.
 */
exports.verified = function verified(name, valueOf, committeeOf, more = {}) {
  const slot = sealed(name);
  const Class = {
    [name]: class extends slot.Sealed {
      get value() {
        return valueOf(slot.open(this, 'this'));
      }
      get committee() {
        return makeCommitteeId(committeeOf(slot.open(this, 'this')));
      }
      toString() {
        return `${name}(${this.value}, committee ${this.committee})`;
      }
    },
  }[name];
  for (const [key, method] of Object.entries(Object.getOwnPropertyDescriptors(more))) {
    Object.defineProperty(Class.prototype, key, { ...method, enumerable: false });
  }
  return { Class, open: slot.open, is: slot.is, make: (handle) => slot.make(Class, handle) };
};
