// Methods whose work runs on Node's worker threads, of classes that are written by hand.

import * as check from '../common/check.js';
import type { QuorateError } from '../common/errors.js';
import { native } from './backend.js';
import { type Announced, type Entry, Signer, type Suite, Verifier } from './dsig.js';
import { announced, asked, copyNow, log, outcomes } from './dsig-parts.js';
import { methods, open, type Raw } from './handle.js';
import type { PublicKey } from './keys.js';
import { type AsyncOptions, offThread } from './offthread.js';
import { time } from './time.js';

declare module './dsig.js' {
  interface Signer {
    /**
     * As {@link dsig.Signer.prepare}, off this thread; the signer can sign meanwhile. Make one call at a time:
     * concurrent calls make a batch each. A batch that an aborted call completed nevertheless appears in
     * {@link dsig.Signer.announcements}.
     */
    prepareAsync(now?: bigint, options?: AsyncOptions): Promise<Announced | undefined>;
  }
  interface Verifier {
    /**
     * As {@link dsig.Verifier.announce}, off this thread; the verifier can verify meanwhile. Announcements of unknown
     * signers and those above the allowance are rejected at once. An announcement that an aborted call verified
     * nevertheless is remembered.
     */
    announceAsync(signer: PublicKey, announcement: Uint8Array, now?: bigint, options?: AsyncOptions): Promise<void>;
  }
}
methods(Signer, {
  prepareAsync(now, options) {
    const begin = (flag: Raw) => {
      const copy = copyNow(this, Signer);
      return native.dsigSignerPrepareAsync(open(this, Signer), time(now), copy, flag);
    };
    return offThread(options, begin, (made) => {
      // Throws if the signer was closed meanwhile: then the batch was wiped, or never generated.
      open(this, Signer);
      return announced(made);
    });
  },
});
methods(Verifier, {
  announceAsync(signer, announcement, now, options) {
    return offThread(options, (flag) => {
      const [handle, key, revoked] = asked(this, Verifier, signer);
      const parts = [check.bytes(announcement, 'announcement'), time(now), revoked, flag];
      return native.dsigVerifierAnnounceAsync(handle, key, ...parts);
    });
  },
});

/** As {@link dsig.verifyAll}, off this thread. Later changes to the bytes have no effect. */
export function verifyAllAsync(
  suite: Suite,
  entries: Iterable<Entry>,
  options?: AsyncOptions,
): Promise<(QuorateError | undefined)[]> {
  return offThread(options, (flag) => native.dsigVerifyAllAsync(...log(suite, entries), flag), outcomes);
}
