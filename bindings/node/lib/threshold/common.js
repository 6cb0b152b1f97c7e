'use strict';
// Common parts of the threshold blocks.

const native = require('../shared.js').native;
const { optional, string, u16, u32 } = require('../shared.js').check;
const { sealed } = require('../sealed.js');

const tolerance = sealed('Tolerance');
const threshold = sealed('Threshold');
const cache = sealed('Cache');

const agreement = (value) => string(value, 'agreement');

class Threshold extends threshold.Sealed {
  constructor(needed, parties) {
    super(threshold.key, native.thresholdNew(u16(needed, 'needed'), u16(parties, 'parties')));
  }
  get needed() {
    return native.thresholdNeeded(threshold.open(this, 'this'));
  }
  get parties() {
    return native.thresholdParties(threshold.open(this, 'this'));
  }
  equals(other) {
    threshold.open(other, 'other');
    return this.needed === other.needed && this.parties === other.parties;
  }
  toString() {
    return `Threshold(${this.needed} of ${this.parties})`;
  }
}
const makeThreshold = (handle) => threshold.make(Threshold, handle);

class Tolerance extends tolerance.Sealed {
  constructor(parties, faulty) {
    super(tolerance.key, native.toleranceNew(u16(parties, 'parties'), u16(faulty, 'faulty')));
  }
  get parties() {
    return native.toleranceParties(tolerance.open(this, 'this'));
  }
  get faulty() {
    return native.toleranceFaulty(tolerance.open(this, 'this'));
  }
  threshold(of) {
    return makeThreshold(native.toleranceThreshold(tolerance.open(this, 'this'), agreement(of)));
  }
  equals(other) {
    tolerance.open(other, 'other');
    return this.parties === other.parties && this.faulty === other.faulty;
  }
  toString() {
    return `Tolerance(${this.faulty} of ${this.parties})`;
  }
}

class Cache extends cache.Sealed {
  constructor(capacity) {
    super(cache.key, native.cacheNew(optional(u32)(capacity, 'capacity')));
  }
}

/** Classes with a `close` are also freed and disposed of by it, and show nothing of their secret in JSON. */
function closes({ prototype }) {
  for (const key of ['free', Symbol.dispose].filter(Boolean)) prototype[key] = prototype.close;
  prototype.toJSON = function toJSON() {
    return this.toString();
  };
}

/** Two objects are equal if their encodings are. */
function equal(open, encode) {
  return function equals(other) {
    return Buffer.compare(encode(open(this, 'this')), encode(open(other, 'other'))) === 0;
  };
}

/** Returns the culprit of evidence, if the user's function accepts each attestation. */
function verifiedCulprit({ culprit, attestations }, attested) {
  for (const { member, bytes, attestation } of attestations) {
    if (attested(member, bytes, attestation) !== true) native.thresholdNotEvidence();
  }
  return culprit;
}

module.exports = {
  Tolerance,
  Threshold,
  Cache,
  agreement,
  openTolerance: tolerance.open,
  openThreshold: threshold.open,
  openCache: optional(cache.open),
  makeTolerance: (handle) => tolerance.make(Tolerance, handle),
  makeThreshold,
  closes,
  equal,
  verifiedCulprit,
};
