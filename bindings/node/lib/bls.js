'use strict';

const native = require('./native.js');
const { bytes, list, pair } = require('./check.js');
const { makeSignature, openSignature, openVerifiedKey } = require('./keys.js');
const { offThread } = require('./offthread.js');

const aggregate = (signatures) => makeSignature(native.blsAggregate(list(signatures, 'signatures', openSignature)));

const same = (keys, message, signature) => [
  list(keys, 'keys', openVerifiedKey),
  bytes(message, 'message'),
  openSignature(signature, 'signature'),
];

function fastAggregateVerify(keys, message, signature) {
  native.blsFastAggregateVerify(...same(keys, message, signature));
}

function fastAggregateVerifyAsync(keys, message, signature, options) {
  return offThread(options, (flag) => native.blsFastAggregateVerifyAsync(...same(keys, message, signature), flag));
}

function own(signed, signature) {
  const pairs = list(signed, 'signed', (item, what) => pair(item, what, openVerifiedKey, bytes));
  return [pairs.map(([key]) => key), pairs.map(([, message]) => message), openSignature(signature, 'signature')];
}

function aggregateVerify(signed, signature) {
  native.blsAggregateVerify(...own(signed, signature));
}

function aggregateVerifyAsync(signed, signature, options) {
  return offThread(options, (flag) => native.blsAggregateVerifyAsync(...own(signed, signature), flag));
}

module.exports = {
  aggregate,
  fastAggregateVerify,
  fastAggregateVerifyAsync,
  aggregateVerify,
  aggregateVerifyAsync,
};
