// How commands are signed. With DSig, one-time keys are made ahead of time on another thread, and announced.
import { ExhaustedError, QuorateError, dsig } from 'quorate';

import { BadInput } from './failure.mjs';
import { announcement } from './wire.mjs';

/** By their bytes. A front refuses `none` unless it was told otherwise; it is for measurements. */
export const SCHEMES = Object.freeze(/** @type {const} */ (['none', 'eddsa', 'dsig']));
/** The suites of DSig that a front takes. */
export const SUITES = Object.freeze(dsig.SUITES.slice(0, 4));

/** With fewer keys the background works at once. */
const LOW = 512;
/** Milliseconds after which the background looks by itself: keys expire. */
const LOOK = 250;
const MOST_TOLD = 256;

/** A signal for one waiter: a notification without a waiter is kept for the next one. */
class Bell {
  #rung = false;
  #wake = () => {};

  /** @param {number} [limit] milliseconds */
  async wait(limit) {
    if (!this.#rung) {
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
    this.#rung = false;
  }

  ring() {
    this.#rung = true;
    this.#wake();
  }
}

/** Signs for one client, over all its connections: no key may sign twice, so there is one signer. */
export class Signing {
  #secret;
  #signer;
  #wanted = new Bell();
  #made = new Bell();
  /** @type {((frame: Uint8Array) => unknown) | undefined} */
  #write;
  /** The batches that the front was told of, by their Ed25519 signatures. @type {Set<string>} */
  #told = new Set();

  /**
   * @param {import('./keys.mjs').Key} key
   * @param {string} scheme
   * @param {string} suite
   */
  constructor(key, scheme, suite) {
    this.scheme = SCHEMES.findIndex((known) => known === scheme);
    const found = SUITES.find((known) => known === suite);
    if (this.scheme < 0) throw new BadInput(`'${scheme}' is none of ${SCHEMES.join(', ')}`);
    if (!found) throw new BadInput(`'${suite}' is none of ${SUITES.join(', ')}`);
    this.#secret = scheme === 'eddsa' ? key.secretKey() : undefined;
    this.#signer = scheme === 'dsig' ? new dsig.Signer(key.secretKey(), { suite: found, lowWater: LOW }) : undefined;
  }

  /**
   * Announces what there is to a new connection, and goes on making keys.
   *
   * @param {(frame: Uint8Array) => unknown} write
   */
  start(write) {
    this.#write = write;
    this.#told.clear();
    if (!this.#signer) return;
    this.#tell(this.#signer);
    this.#prepare(this.#signer, write);
  }

  /** The connection is lost; keys that are not used meanwhile expire. */
  stop() {
    this.#write = undefined;
    this.#wanted.ring();
    // A caller that waits for a key checks the connection again.
    this.#made.ring();
  }

  /** Wipes all keys. */
  close() {
    this.stop();
    this.#secret?.close();
    this.#signer?.close();
  }

  /**
   * A signature; `undefined` if no one-time key is ready. Its key's batch has been announced when this returns.
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
      this.#wanted.ring();
      return undefined;
    }
    // The thread that made the batch may be ahead of the announcement: the signature must not be.
    const batch = tag(signature.subarray(72, 136));
    if (!this.#told.has(batch)) {
      this.#tell(this.#signer);
      this.#told.add(batch);
    }
    if (this.#signer.ready < LOW) this.#wanted.ring();
    return signature;
  }

  /** Waits until there may be a key again. */
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
        // The signer was closed. Or the operating system's generator failed: it may not the next time.
        if (!(error instanceof QuorateError)) throw error;
      }
      if (this.#write !== write) return;
      if (made) {
        this.#tell(signer);
        this.#made.ring();
      } else {
        await this.#wanted.wait(LOOK);
      }
    }
  }

  /**
   * Announces every batch that has keys and was not announced.
   *
   * @param {dsig.Signer} signer
   */
  #tell(signer) {
    for (const { announcement: body } of signer.announcements()) {
      const batch = tag(body.subarray(4, 68));
      if (this.#told.has(batch)) continue;
      this.#told.add(batch);
      this.#write?.(announcement(body));
    }
    for (const [oldest] of [...this.#told.entries()].slice(0, -MOST_TOLD)) this.#told.delete(oldest);
  }
}

/** @param {Uint8Array} signature */
const tag = (signature) => Buffer.from(signature).toString('latin1');
