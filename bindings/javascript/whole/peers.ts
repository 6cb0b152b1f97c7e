/** The other members, as the gossip of one member sees them. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { Handle, TOKEN, named, open, type Raw } from './handle.js';
import { time } from './time.js';

/** Parameters of gossip. They affect the speed and cost of dissemination, never the validity of a certificate. */
export interface Parameters {
  /** Maximum of every count. Default: 255. */
  readonly limit?: number | undefined;
  /** Preferred maximum of the counts of a pool's sum; only sums that make a quorum exceed it. Default: 16. */
  readonly preferred?: number | undefined;
  /** Maximum number of aggregates that are verified together. Default: 4. */
  readonly batch?: number | undefined;
  /** Maximum number of concurrent sends, and number of members to which a new aggregate is sent. Default: 5. */
  readonly fanOut?: number | undefined;
  /** Back-off after a failed send to a peer, in microseconds; each further failure in a row adds as much. Default: 2 s. */
  readonly backOff?: bigint | undefined;
  /** Time after which an unanswered send counts as failed and frees its slot, in microseconds. Default: 0.5 s. */
  readonly sendTimeout?: bigint | undefined;
}

/** Randomness and a time, for methods that use them. */
export interface Choice {
  /** A random number below 2⁶⁴; by default from the operating system. */
  readonly draw?: bigint | undefined;
  /** Microseconds of any monotonic clock; by default the system's. */
  readonly now?: bigint | undefined;
}

/**
 * One member's view of the other members: sends in progress, suspended peers, and peers heard from recently. Every
 * {@link gossip.Gossip} of a committee's epoch shares one, so that knowledge about a peer and the limit of concurrent sends
 * apply to all. `now` is in microseconds of any monotonic clock; it defaults to the system's.
 */
export class Peers extends Handle {
  declare private readonly brand: never;
  /** The peers of member `me` in a committee of that size. */
  constructor(me: number, committeeSize: number, parameters?: Parameters) {
    const parts = [check.u16(me, 'me'), check.u16(committeeSize, 'committeeSize'), completed(parameters)];
    super(TOKEN, native.peersNew(...parts));
  }
  /**
   * Picks a peer that may be sent to now: neither this member, nor a peer with a send in progress, nor a suspended one.
   * `undefined` if the maximum number of sends is in progress, or no peer is available. The pick takes effect only with
   * {@link Peers.begin}.
   */
  pick(options?: Choice): number | undefined {
    const { draw, now } = check.options(options);
    const parts = [check.optional(check.u64)(draw, 'options.draw'), time(now, 'options.now')];
    return native.peersPick(open(this, Peers), ...parts) ?? undefined;
  }
  /** Returns true if another send may begin. */
  hasRoom(now?: bigint): boolean {
    return native.peersHasRoom(open(this, Peers), time(now));
  }
  /** Returns true if this peer may be sent to, slots aside. */
  isAvailable(peer: number, now?: bigint): boolean {
    return native.peersIsAvailable(open(this, Peers), check.u16(peer, 'peer'), time(now));
  }
  /**
   * Registers the start of a send: it occupies a slot until it has `left`, was `sent` or `failed`, at most for the
   * send timeout. {@link gossip.Gossip.next} calls it itself.
   */
  begin(peer: number, now?: bigint): void {
    native.peersBegin(open(this, Peers), check.u16(peer, 'peer'), time(now));
  }
  /** Registers that a message has left: its slot is free again, although its delivery is unknown. */
  left(peer: number): void {
    native.peersLeft(open(this, Peers), check.u16(peer, 'peer'));
  }
  /** Registers that a send was answered. */
  sent(peer: number): void {
    native.peersSent(open(this, Peers), check.u16(peer, 'peer'));
  }
  /** Registers that a send failed: the peer is suspended, and longer after each further failure in a row. */
  failed(peer: number, now?: bigint): void {
    native.peersFailed(open(this, Peers), check.u16(peer, 'peer'), time(now));
  }
  /** Registers that a message came from a peer: it is reachable. */
  heard(peer: number): void {
    native.peersHeard(open(this, Peers), check.u16(peer, 'peer'));
  }
  /**
   * Registers that a peer sent an invalid message: nothing is sent to it or accepted from it for a while.
   * {@link Gossip.check} calls it itself.
   */
  accuse(peer: number, now?: bigint): void {
    native.peersAccuse(open(this, Peers), check.u16(peer, 'peer'), time(now));
  }
  /** Returns true if nothing is accepted from this peer now. */
  isRefused(peer: number, now?: bigint): boolean {
    return native.peersIsRefused(open(this, Peers), check.u16(peer, 'peer'), time(now));
  }
  /** Time at which the next slot becomes free without an answer, in microseconds. */
  nextFree(): bigint | undefined {
    return native.peersNextFree(open(this, Peers)) ?? undefined;
  }
  toString(): string {
    return `Peers(next free: ${this.nextFree()})`;
  }
}

/** The caller's parameters, completed with the defaults. */
export function completed(parameters?: Parameters): Raw {
  const { limit, preferred, batch, fanOut, backOff, sendTimeout } = check.options(parameters, 'parameters');
  return native.gossipParametersNew(
    check.optional(check.u16)(limit, 'parameters.limit'),
    check.optional(check.u16)(preferred, 'parameters.preferred'),
    check.optional(check.u32)(batch, 'parameters.batch'),
    check.optional(check.u32)(fanOut, 'parameters.fanOut'),
    check.optional(check.u64)(backOff, 'parameters.backOff'),
    check.optional(check.u64)(sendTimeout, 'parameters.sendTimeout'),
  );
}

named({ Peers });
