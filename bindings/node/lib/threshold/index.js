'use strict';

const native = require('../shared.js').native;
const { Cache, Threshold, Tolerance } = require('./common.js');

module.exports = Object.freeze({
  MAX_PARTIES: native.thresholdMaxParties(),
  Group: Object.freeze({ Ristretto255: 'ristretto255', Secp256k1: 'secp256k1' }),
  Agreement: Object.freeze({ Agreed: 'agreed', Unagreed: 'unagreed' }),
  Threshold,
  Tolerance,
  Cache,
  bls: Object.freeze(require('./bls.js')),
  coin: Object.freeze(require('./coin.js')),
  ecdsa: Object.freeze(require('./ecdsa.js')),
  seal: Object.freeze(require('./seal.js')),
  tdh2: Object.freeze(require('./tdh2.js')),
});
