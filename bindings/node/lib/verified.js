'use strict';

const { makeCommitteeId } = require('./ids.js');
const { sealed } = require('./sealed.js');

/**
 * The class of what was checked against a committee: `valueOf` and `committeeOf` take its handle apart; `more` has the
 * methods that not all such classes have.
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
