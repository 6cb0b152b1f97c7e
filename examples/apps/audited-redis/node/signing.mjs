// The client's signer. With DSig, another thread makes one-time keys in advance, and the signer announces them.
import { ExhaustedError, QuorateError, dsig } from 'quorate';

import { BadInput } from './failure.mjs';
import { announcement } from './wire.mjs';

/** Signature schemes in the order of their bytes. `none` is for measurements; fronts refuse it by default. */
export const SCHEMES = Object.freeze(/** @type {const} */ (['none', 'eddsa', 'dsig']));
/** The suites of DSig that a front accepts. */
export const SUITES = Object.freeze(dsig.SUITES.slice(0, 4));

/** The background loop is woken when fewer keys than this are ready. */
const LOW_WATER = 512;
/** Interval in milliseconds at which the background loop checks for expired keys. */
const POLL_INTERVAL = 250;
const MAX_ANNOUNCED = 256;

/** Wakes one waiter. A notification without a waiter is kept for the next one. */
class Notify {
  #notified = false;
  #wake = () => {};

  /** @param {number} [limit] milliseconds */
  async wait(limit) {
    if (!this.#notified) {
      /** @type {NodeJS.Timeout | undefined} */
      let timer;
      await /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          this.#wake = resolve;
          if (limit !== undefined) timer = setTimeout(resolve, limit);
        })
      );
      clearTimeout(timer);
    }
    this.#notified = false;
  }

  notify() {
    this.#notified = true;
    this.#wake();
  }
}

/** Signer of a client, across its connections: one signer ensures that no one-time key signs twice. */
export class CommandSigner {
  #secret;
  #signer;
  #wanted = new Notify();
  #made = new Notify();
  /** @type {((frame: Uint8Array) => unknown) | undefined} */
  #write;
  /** Batches that were announced on this connection, by their Ed25519 signatures. @type {Set<string>} */
  #announced = new Set();

  /**
   * @param {import('./keys.mjs').Key} key
   * @param {string} scheme
   * @param {string} suite
   */
  constructor(key, scheme, suite) {
    this.scheme = SCHEMES.findIndex((known) => known === scheme);
    const found = SUITES.find((known) => known === suite);
    if (this.scheme < 0) throw new BadInput(`expected one of ${SCHEMES.join(', ')}, got '${scheme}'`);
    if (!found) throw new BadInput(`expected one of ${SUITES.join(', ')}, got '${suite}'`);
    this.#secret = scheme === 'eddsa' ? key.secretKey() : undefined;
    const options = { suite: found, lowWater: LOW_WATER };
    this.#signer = scheme === 'dsig' ? new dsig.Signer(key.secretKey(), options) : undefined;
  }

  /**
   * Announces the existing batches on a new connection and starts making keys.
   *
   * @param {(frame: Uint8Array) => unknown} write
   */
  start(write) {
    this.#write = write;
    this.#announced.clear();
    if (!this.#signer) return;
    this.#announce(this.#signer);
    this.#prepare(this.#signer, write);
  }

  /** Stops making keys when the connection is lost; unused keys expire meanwhile. */
  stop() {
    this.#write = undefined;
    this.#wanted.notify();
    // A caller that waits for a key checks the connection again.
    this.#made.notify();
  }

  /** Wipes all keys. */
  close() {
    this.stop();
    this.#secret?.close();
    this.#signer?.close();
  }

  /**
   * Signs, or returns `undefined` if no one-time key is ready. The key's batch is announced before this returns.
   *
   * @param {Uint8Array} message
   * @param {bigint} now
   */
  sign(message, now) {
    if (this.#secret) return this.#secret.sign(message).encode();
    if (!this.#signer) return new Uint8Array();
    let signature;
    try {
      signature = this.#signer.sign(message, { now });
    } catch (error) {
      if (!(error instanceof ExhaustedError)) throw error;
      this.#wanted.notify();
      return undefined;
    }
    // The batch may be ready before it is announced, but its announcement must precede the signature.
    const batch = tag(signature.subarray(72, 136));
    if (!this.#announced.has(batch)) {
      this.#announce(this.#signer);
      this.#announced.add(batch);
    }
    if (this.#signer.ready < LOW_WATER) this.#wanted.notify();
    return signature;
  }

  /** Waits until a key may be ready. */
  made() {
    return this.#made.wait();
  }

  /**
   * @param {dsig.Signer} signer
   * @param {(frame: Uint8Array) => unknown} write
   */
  async #prepare(signer, write) {
    while (this.#write === write) {
      let made;
      try {
        made = await signer.prepareAsync();
      } catch (error) {
        // The signer was closed, or the operating system's generator failed; try again later.
        if (!(error instanceof QuorateError)) throw error;
      }
      // Also after a reconnect: the loop of the next connection may find enough keys, and then it never notifies.
      if (made) this.#made.notify();
      if (this.#write !== write) return;
      if (made) this.#announce(signer);
      else await this.#wanted.wait(POLL_INTERVAL);
    }
  }

  /**
   * Announces every batch that has keys and was not announced yet.
   *
   * @param {dsig.Signer} signer
   */
  #announce(signer) {
    for (const { announcement: body } of signer.announcements()) {
      const batch = tag(body.subarray(4, 68));
      if (this.#announced.has(batch)) continue;
      this.#announced.add(batch);
      this.#write?.(announcement(body));
    }
    for (const [oldest] of [...this.#announced.entries()].slice(0, -MAX_ANNOUNCED)) this.#announced.delete(oldest);
  }
}

/** @param {Uint8Array} signature */
const tag = (signature) => Buffer.from(signature).toString('latin1');
