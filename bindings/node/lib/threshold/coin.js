'use strict';

const native = require('../shared.js').native;
const { bytes, list, options, u16, u64, u8 } = require('../shared.js').check;
const { dleq } = require('./dleq.js');
const { hex } = require('../shared.js');
const { sealed } = require('../sealed.js');
const { openCache } = require('./common.js');

const coin = sealed('Coin');
const coinValue = sealed('CoinValue');
const toss = sealed('CoinCombiner');

const common = dleq({
  isCoin: true,
  share: 'CoinShare',
  makes: 'coinShare',
  prove: native.coinShare,
  what: 'coin',
  open: coin.open,
  instance: native.coinInstance,
});
const { openKeys, openShare, openVerified, fault } = common;

function named(name) {
  if (name === undefined) throw new TypeError('name must be an object, not undefined');
  const { protocol, epoch, instance, round } = options(name, 'name');
  return [
    u8(protocol, 'name.protocol'),
    u64(epoch, 'name.epoch'),
    u64(instance, 'name.instance'),
    u64(round, 'name.round'),
  ];
}

class Coin extends coin.Sealed {
  static fromName(keys, name) {
    return coin.make(Coin, native.coinFromName(openKeys(keys, 'keys'), ...named(name)));
  }
  get name() {
    return native.coinName(coin.open(this, 'this'));
  }
  get id() {
    return native.coinId(coin.open(this, 'this'));
  }
  get base() {
    return native.coinBase(coin.open(this, 'this'));
  }
  combine(keys, shares, cache) {
    const parts = [openKeys(keys, 'keys'), list(shares, 'shares', openVerified), openCache(cache, 'cache')];
    return makeValue(native.coinCombine(coin.open(this, 'this'), ...parts));
  }
  toString() {
    const { protocol, epoch, instance, round } = this.name;
    return `Coin(protocol ${protocol}, epoch ${epoch}, instance ${instance}, round ${round})`;
  }
}

/** The handle is the 32 bytes. */
class CoinValue extends coinValue.Sealed {
  static fromBytes(data) {
    const given = bytes(data, 'bytes').slice();
    native.coinValueBit(given); // Refuses other lengths.
    return makeValue(given);
  }
  get bytes() {
    return coinValue.open(this, 'this').slice();
  }
  bit() {
    return native.coinValueBit(coinValue.open(this, 'this'));
  }
  below(n) {
    return native.coinValueBelow(coinValue.open(this, 'this'), u16(n, 'n')) ?? undefined;
  }
  equals(other) {
    return Buffer.compare(coinValue.open(this, 'this'), coinValue.open(other, 'other')) === 0;
  }
  toString() {
    return hex(coinValue.open(this, 'this'));
  }
  toJSON() {
    return this.toString();
  }
}
const makeValue = (value) => coinValue.make(CoinValue, value);

class CoinCombiner extends toss.Sealed {
  constructor(keys, of, cache) {
    const parts = [openKeys(keys, 'keys'), coin.open(of, 'coin'), openCache(cache, 'cache')];
    super(toss.key, native.coinTossNew(...parts));
  }
  add(share) {
    const { output, faults } = native.coinTossAdd(toss.open(this, 'this'), openShare(share, 'share'));
    return { output: output ? makeValue(output) : undefined, faults: faults.map(fault) };
  }
  get isDone() {
    return native.coinTossDone(toss.open(this, 'this'));
  }
  toString() {
    return `CoinCombiner(done: ${this.isDone})`;
  }
}

module.exports = { ...common.classes, Coin, CoinValue, CoinCombiner };
