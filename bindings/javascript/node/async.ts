// Methods whose work runs on Node's worker threads.

import * as check from '../common/check.js';
import type { QuorateError } from '../common/errors.js';
import { native } from './backend.js';
import { batch, verdicts } from './batches.js';
import { own, same } from './bls-arguments.js';
import { Certificate, VerifiedCertificate } from './certificates.js';
import type { Ciphersuite } from './ciphersuite.js';
import { Committee } from './committee.js';
import { type Announced, type Entry, Signer, type Suite, Verifier } from './dsig.js';
import { announced, asked, copyNow, log, outcomes } from './dsig-parts.js';
import { Conflict, Equivocation, VerifiedConflict, VerifiedEquivocation } from './evidence.js';
import { Aggregate, VerifiedAggregate } from './gossip.js';
import { type Class, methods, open, type Raw, statics, wrap } from './handle.js';
import { Signature, UnverifiedKey, signedWith } from './keys.js';
import { type AsyncOptions, offThread } from './offthread.js';
import { PublicKey } from './public-key.js';
import { type RawProof, proofs, signedBy, weights } from './raw.js';
import { SignerSet } from './signers.js';
import { Lottery, Ticket, VerifiedTicket } from './sortition.js';
import { time } from './time.js';
import { TimeoutCertificate, TimeoutVote, VerifiedTimeoutCertificate, VerifiedTimeoutVote } from './timeouts.js';
import { VerifiedKey } from './verified-key.js';
import { VerifiedVote, Vote } from './votes.js';

declare module './public-key.js' {
  interface PublicKey {
    /** As {@link PublicKey.verify}, off this thread. */
    verifyAsync(message: Uint8Array, signature: Signature, options?: AsyncOptions): Promise<void>;
    /** As {@link PublicKey.verifyWith}, off this thread. */
    verifyWithAsync(
      ciphersuite: Ciphersuite,
      message: Uint8Array,
      signature: Signature,
      options?: AsyncOptions,
    ): Promise<void>;
    /** As {@link PublicKey.verifyPossession}, off this thread. */
    verifyPossessionAsync(possession: Signature, options?: AsyncOptions): Promise<void>;
  }
}
methods(PublicKey, {
  verifyAsync(message, signature, options) {
    return offThread(options, (flag) => {
      const parts = [check.bytes(message, 'message'), open(signature, Signature, 'signature')];
      return native.publicKeyVerifyAsync(open(this, PublicKey), ...parts, flag);
    });
  },
  verifyWithAsync(ciphersuite, message, signature, options) {
    return offThread(options, (flag) => {
      const parts = signedWith(ciphersuite, message, signature);
      return native.publicKeyVerifyWithAsync(open(this, PublicKey), ...parts, flag);
    });
  },
  verifyPossessionAsync(possession, options) {
    return offThread(options, (flag) =>
      native.publicKeyVerifyPossessionAsync(open(this, PublicKey), open(possession, Signature, 'possession'), flag),
    );
  },
});

declare module './keys.js' {
  interface UnverifiedKey {
    /** As {@link UnverifiedKey.verify}, off this thread. */
    verifyAsync(options?: AsyncOptions): Promise<VerifiedKey>;
  }
}
methods(UnverifiedKey, {
  verifyAsync(options) {
    const begin = (flag: Raw) => native.unverifiedKeyVerifyAsync(open(this, UnverifiedKey), flag);
    return offThread(options, begin, (raw) => wrap(VerifiedKey, raw));
  },
});

declare module './committee.js' {
  interface Committee {
    /** As {@link Committee.verifyRaw}, off this thread. */
    verifyRawAsync(
      message: Uint8Array,
      signers: SignerSet,
      proof: Uint8Array,
      options?: AsyncOptions,
    ): Promise<bigint>;
    /** As {@link Committee.verifyRawEach}, off this thread. */
    verifyRawEachAsync(
      signed: Iterable<readonly [member: number, message: Uint8Array]>,
      proof: Uint8Array,
      options?: AsyncOptions,
    ): Promise<bigint>;
    /** As {@link Committee.verifyRawBatch}, off this thread. */
    verifyRawBatchAsync(items: Iterable<RawProof>, options?: AsyncOptions): Promise<(bigint | QuorateError)[]>;
  }
}
methods(Committee, {
  verifyRawAsync(message, signers, proof, options) {
    return offThread(options, (flag) => {
      const parts = [check.bytes(message, 'message'), open(signers, SignerSet, 'signers'), check.bytes(proof, 'proof')];
      return native.committeeVerifyRawAsync(open(this, Committee), ...parts, flag);
    });
  },
  verifyRawEachAsync(signed, proof, options) {
    return offThread(options, (flag) => {
      const columns = signedBy(this, signed, proof);
      return native.committeeVerifyRawEachAsync(open(this, Committee), ...columns, flag);
    });
  },
  verifyRawBatchAsync(items, options) {
    const begin = (flag: Raw) => {
      open(this, Committee);
      const columns = proofs(items);
      return native.committeeVerifyRawBatchAsync(open(this, Committee), ...columns, flag);
    };
    return offThread(options, begin, weights);
  },
});

declare module './votes.js' {
  interface Vote {
    /** As {@link Vote.verify}, off this thread. */
    verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedVote>;
  }
}
declare module './certificates.js' {
  interface Certificate {
    /** As {@link Certificate.verify}, off this thread. */
    verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedCertificate>;
  }
  namespace Certificate {
    /** As {@link Certificate.verifyBatch}, off this thread. */
    function verifyBatchAsync(
      committee: Committee,
      certificates: Iterable<Certificate>,
      options?: AsyncOptions,
    ): Promise<(VerifiedCertificate | QuorateError)[]>;
    /** As {@link Certificate.verifyBatchDerived}, off this thread. */
    function verifyBatchDerivedAsync(
      committee: Committee,
      certificates: Iterable<Certificate>,
      options?: AsyncOptions,
    ): Promise<(VerifiedCertificate | QuorateError)[]>;
  }
}
declare module './timeouts.js' {
  interface TimeoutVote {
    /** As {@link TimeoutVote.verify}, off this thread. */
    verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedTimeoutVote>;
  }
  interface TimeoutCertificate {
    /** As {@link TimeoutCertificate.verify}, off this thread. */
    verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedTimeoutCertificate>;
  }
}
declare module './evidence.js' {
  interface Equivocation {
    /** As {@link Equivocation.verify}, off this thread. */
    verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedEquivocation>;
  }
  interface Conflict {
    /** As {@link Conflict.verify}, off this thread. */
    verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedConflict>;
  }
}
declare module './gossip.js' {
  interface Aggregate {
    /** As {@link Aggregate.verify}, off this thread. */
    verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedAggregate>;
  }
  namespace Aggregate {
    /** As {@link Aggregate.verifyBatch}, off this thread. */
    function verifyBatchAsync(
      committee: Committee,
      aggregates: Iterable<Aggregate>,
      options?: AsyncOptions,
    ): Promise<(VerifiedAggregate | QuorateError)[]>;
    /** As {@link Aggregate.verifyBatchDerived}, off this thread. */
    function verifyBatchDerivedAsync(
      committee: Committee,
      aggregates: Iterable<Aggregate>,
      options?: AsyncOptions,
    ): Promise<(VerifiedAggregate | QuorateError)[]>;
  }
}
declare module './sortition.js' {
  interface Ticket {
    /** As {@link Ticket.verify}, off this thread. */
    verifyAsync(lottery: Lottery, options?: AsyncOptions): Promise<VerifiedTicket>;
  }
}
methods(Vote, { verifyAsync: verifying(Vote, Committee, VerifiedVote) });
methods(Certificate, { verifyAsync: verifying(Certificate, Committee, VerifiedCertificate) });
methods(TimeoutVote, { verifyAsync: verifying(TimeoutVote, Committee, VerifiedTimeoutVote) });
methods(TimeoutCertificate, { verifyAsync: verifying(TimeoutCertificate, Committee, VerifiedTimeoutCertificate) });
methods(Equivocation, { verifyAsync: verifying(Equivocation, Committee, VerifiedEquivocation) });
methods(Conflict, { verifyAsync: verifying(Conflict, Committee, VerifiedConflict) });
methods(Aggregate, { verifyAsync: verifying(Aggregate, Committee, VerifiedAggregate) });
methods(Ticket, { verifyAsync: verifying(Ticket, Lottery, VerifiedTicket) });

/** A method that verifies an object of `Unverified` against one of `Context`. */
function verifying<C, T>(Unverified: Class<unknown>, Context: Class<C>, Verified: Class<T>) {
  const [name, what] = [Unverified.name, Context.name].map((text) => text.charAt(0).toLowerCase() + text.slice(1));
  const call = native[`${name}VerifyAsync`]!;
  return function verifyAsync(this: unknown, context: C, options?: AsyncOptions): Promise<T> {
    const begin = (flag: Raw) => call(open(this, Unverified), open(context, Context, what), flag);
    return offThread(options, begin, (raw) => wrap(Verified, raw));
  };
}

statics(Certificate, {
  verifyBatchAsync: (committee, certificates, options) => certified(committee, certificates, false, options),
  verifyBatchDerivedAsync: (committee, certificates, options) => certified(committee, certificates, true, options),
});
function certified(committee: Committee, certificates: Iterable<Certificate>, derived: boolean, options?: AsyncOptions) {
  const begin = (flag: Raw) => {
    const handles = batch(Certificate, committee, certificates, 'certificates');
    return native.certificateVerifyBatchAsync(...handles, derived, flag);
  };
  return offThread(options, begin, verdicts(VerifiedCertificate));
}

statics(Aggregate, {
  verifyBatchAsync: (committee, all, options) => aggregated(committee, all, false, options),
  verifyBatchDerivedAsync: (committee, all, options) => aggregated(committee, all, true, options),
});
function aggregated(committee: Committee, all: Iterable<Aggregate>, derived: boolean, options?: AsyncOptions) {
  const begin = (flag: Raw) => {
    const handles = batch(Aggregate, committee, all, 'aggregates');
    return native.aggregateVerifyBatchAsync(...handles, derived, flag);
  };
  return offThread(options, begin, verdicts(VerifiedAggregate));
}

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

/** As {@link bls.fastAggregateVerify}, off this thread. */
export function fastAggregateVerifyAsync(
  keys: Iterable<VerifiedKey>,
  message: Uint8Array,
  signature: Signature,
  options?: AsyncOptions,
): Promise<void> {
  return offThread(options, (flag) => native.blsFastAggregateVerifyAsync(...same(keys, message, signature), flag));
}

/** As {@link bls.aggregateVerify}, off this thread. */
export function aggregateVerifyAsync(
  signed: Iterable<readonly [VerifiedKey, Uint8Array]>,
  signature: Signature,
  options?: AsyncOptions,
): Promise<void> {
  return offThread(options, (flag) => native.blsAggregateVerifyAsync(...own(signed, signature), flag));
}
