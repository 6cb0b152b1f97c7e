'use strict';

const combining = require('./combining.js');
const deal = require('./deal.js');
const dealer = require('./dealer.js');
const presignatures = require('./presignatures.js');

module.exports = {
  MAX_ATTESTATION: deal.MAX_ATTESTATION,
  ...dealer.classes,
  ...deal.classes,
  ...presignatures.classes,
  ...combining.classes,
};
