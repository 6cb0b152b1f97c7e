// Common parts of the threshold blocks. `wasm()` returns the module's exports, as in full-api.js.

import { list, optional, string, u16, u32 } from '../../dist/common/check.js';
import { Handle, TOKEN, isOpen, open, same, wrap } from '../handle.js';

export const agreement = (value) => string(value, 'agreement');

/** Two objects are equal if their encodings are. */
export const equal = (Class) =>
  function equals(other) {
    open(this, Class);
    open(other, Class, 'other');
    return same(this.encode(), other.encode());
  };

/** An object with a secret: `close` is `free`, and JSON shows nothing of it. */
export class Secret extends Handle {
  close() {
    if (isOpen(this, this.constructor)) this.free();
  }
  get closed() {
    return !isOpen(this, this.constructor);
  }
  toJSON() {
    return this.toString();
  }
}

/** Fills a list in the module; it is freed if an item is rejected. */
export function fill(raw, values, what, check) {
  try {
    list(values, what, check).forEach((item) => raw.add(item));
  } catch (error) {
    raw.free();
    throw error;
  }
  return raw;
}

/** Returns the culprit of evidence, if the user's function accepts each attestation. */
export function verifiedCulprit(wasm, accusation, attested) {
  const culprit = accusation.culprit();
  const asked = accusation.attestations().map((one) => [one.member(), one.bytes(), one.attestation()]);
  for (const parts of asked) if (attested(...parts) !== true) wasm().not_evidence();
  return culprit;
}

/** Work done by a combiner, in its public form. */
export function counts([combinations, shareChecks, decodings]) {
  return { combinations, shareChecks, decodings };
}

export function commonApi(wasm) {
  class Threshold extends Handle {
    constructor(needed, parties) {
      const make = () => wasm().ThresholdHandle.new(u16(needed, 'needed'), u16(parties, 'parties'));
      super(TOKEN, needed === TOKEN ? parties : make());
    }
    get needed() {
      return open(this, Threshold).needed();
    }
    get parties() {
      return open(this, Threshold).parties();
    }
    equals(other) {
      open(this, Threshold);
      open(other, Threshold, 'other');
      return this.needed === other.needed && this.parties === other.parties;
    }
    toString() {
      return `Threshold(${this.needed} of ${this.parties})`;
    }
  }

  class Tolerance extends Handle {
    constructor(parties, faulty) {
      const make = () => wasm().ToleranceHandle.new(u16(parties, 'parties'), u16(faulty, 'faulty'));
      super(TOKEN, parties === TOKEN ? faulty : make());
    }
    get parties() {
      return open(this, Tolerance).parties();
    }
    get faulty() {
      return open(this, Tolerance).faulty();
    }
    threshold(of) {
      return wrap(Threshold, open(this, Tolerance).threshold(agreement(of)));
    }
    equals(other) {
      open(this, Tolerance);
      open(other, Tolerance, 'other');
      return this.parties === other.parties && this.faulty === other.faulty;
    }
    toString() {
      return `Tolerance(${this.faulty} of ${this.parties})`;
    }
  }

  class Cache extends Handle {
    constructor(capacity) {
      super(TOKEN, wasm().CombinerCache.new(optional(u32)(capacity, 'capacity')));
    }
  }

  /**
   * A reference to a cache, of which the module takes ownership. Create it last: it would leak if another argument is
   * rejected.
   */
  const shareOf = (cache) => (cache === undefined ? undefined : open(cache, Cache, 'cache').share());
  return { classes: { Threshold, Tolerance, Cache }, Threshold, Tolerance, shareOf };
}
