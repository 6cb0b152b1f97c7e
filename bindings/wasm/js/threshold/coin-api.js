// The common coin.

import { bytes, options, u16, u64, u8 } from '../../dist/common/check.js';
import { Handle, TOKEN, hex, name, open, same, wrap } from '../handle.js';
import { dleqApi } from './dleq-api.js';

function named(given) {
  if (given === undefined) throw new TypeError('name must be an object, not undefined');
  const { protocol, epoch, instance, round } = options(given, 'name');
  return [
    u8(protocol, 'name.protocol'),
    u64(epoch, 'name.epoch'),
    u64(instance, 'name.instance'),
    u64(round, 'name.round'),
  ];
}

export function coinApi(wasm, base) {
  const { shareOf } = base;
  const common = dleqApi(wasm, base, {
    isCoin: true,
    share: 'CoinShare',
    makes: 'coinShare',
    what: 'coin',
    of: () => Coin,
  });
  const { PublicKeys, Share, fault, verifiedList } = common;

  class Coin extends Handle {
    static fromName(keys, given) {
      return wrap(Coin, wasm().CoinHandle.from_name(open(keys, PublicKeys, 'keys'), ...named(given)));
    }
    get name() {
      const raw = open(this, Coin);
      const [epoch, instance, round] = raw.place();
      return { protocol: raw.protocol(), epoch, instance, round };
    }
    get id() {
      return open(this, Coin).id();
    }
    get base() {
      return open(this, Coin).base();
    }
    combine(keys, shares, cache) {
      open(this, Coin);
      const raw = open(keys, PublicKeys, 'keys');
      const kept = shareOf(cache);
      try {
        const all = verifiedList(shares);
        return wrap(CoinValue, open(this, Coin).combine(raw, all, kept?.share()));
      } finally {
        kept?.free();
      }
    }
    toString() {
      const { protocol, epoch, instance, round } = this.name;
      return `Coin(protocol ${protocol}, epoch ${epoch}, instance ${instance}, round ${round})`;
    }
  }

  class CoinValue extends Handle {
    static fromBytes(data) {
      return wrap(CoinValue, wasm().CoinValueHandle.from_bytes(bytes(data, 'bytes')));
    }
    get bytes() {
      return open(this, CoinValue).bytes();
    }
    bit() {
      return open(this, CoinValue).bit();
    }
    below(n) {
      return open(this, CoinValue).below(u16(n, 'n'));
    }
    equals(other) {
      return same(open(this, CoinValue).bytes(), open(other, CoinValue, 'other').bytes());
    }
    toString() {
      return hex(this.bytes);
    }
    toJSON() {
      return this.toString();
    }
  }

  class CoinCombiner extends Handle {
    constructor(keys, of, cache) {
      const parts = [open(keys, PublicKeys, 'keys'), open(of, Coin, 'coin')];
      super(TOKEN, wasm().CoinToss.new(...parts, shareOf(cache)));
    }
    add(share) {
      const tossed = open(this, CoinCombiner).add(open(share, Share, 'share'));
      const faults = tossed.faults().map(fault);
      return { output: wrap(CoinValue, tossed.output()), faults };
    }
    get isDone() {
      return open(this, CoinCombiner).is_done();
    }
    toString() {
      return `CoinCombiner(done: ${this.isDone})`;
    }
  }

  return Object.freeze(name({ ...common.classes, Coin, CoinValue, CoinCombiner }));
}
