'use strict';

const dealing = require('./dealing.js');
const presignatures = require('./presignatures.js');
const combining = require('./combining.js');

module.exports = {
  MAX_ATTESTATION: dealing.MAX_ATTESTATION,
  ...dealing.classes,
  ...presignatures.classes,
  ...combining.classes,
};
