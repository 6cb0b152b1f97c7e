/** Signatures of other chains, and batches of certificates. */

import * as check from '../common/check.js';
import { QuorateError } from '../common/errors.js';
import { errorOf, native } from './backend.js';
import { batch, verdicts } from './batches.js';
import { Certificate, VerifiedCertificate } from './certificates.js';
import { Ciphersuite } from './ciphersuite.js';
import { Committee } from './committee.js';
import { methods, open, opener, type Raw, statics, wrap } from './handle.js';
import { SignerSet } from './signers.js';

/** A proof over a message, for {@link Committee.verifyRawBatch}. */
export type RawProof = readonly [message: Uint8Array, signers: SignerSet, proof: Uint8Array];

declare module './committee.js' {
  interface Committee {
    /**
     * Returns a committee of the same members, who sign the messages of another chain under this ciphersuite instead of the
     * default, proof of possession. This committee stays usable. Votes and certificates verify as before, and the id is the
     * same. Cost: a copy of the keys.
     *
     * @throws {@link WrongContextError} for another ciphersuite than the default, unless the suite is `MinSig` or `MinPk`
     */
    withCiphersuite(ciphersuite: Ciphersuite): Committee;
    /**
     * Verifies that each member signed its own message, as in a commit of CometBFT, where each vote has its own time. Cost
     * (BLS): a hash to the curve and a pairing per member, one more pairing and a subgroup check. Cost (Ed25519): as
     * {@link Committee.verifyRaw}.
     *
     * @param signed - pairs of member and message, ascending by member
     * @param proof - as for {@link Committee.verifyRaw}
     * @returns the members' weight: **compare it with your threshold**
     * @throws {@link UnknownSignerError}; {@link DuplicateSignerError}, also for members that are not ascending;
     * {@link BelowQuorumError} without members; the errors of {@link Committee.verifyRaw}
     */
    verifyRawEach(signed: Iterable<readonly [member: number, message: Uint8Array]>, proof: Uint8Array): bigint;
    /**
     * Verifies several proofs, each over its own message, by a random linear combination; bisection finds the bad ones.
     * Cost (BLS): per proof a hash to the curve, a subgroup check and two short multiplications; one pairing per distinct
     * signer set, and one more.
     *
     * @returns for each, in input order, the signers' weight, or the error that {@link Committee.verifyRaw} would throw
     */
    verifyRawBatch(items: Iterable<RawProof>): (bigint | QuorateError)[];
  }
}

// The objects are opened after the caller's iterator has run, which may have freed them.
methods(Committee, {
  withCiphersuite(ciphersuite) {
    return wrap(Committee, native.committeeWithCiphersuite(open(this, Committee), open(ciphersuite, Ciphersuite, 'ciphersuite')));
  },
  verifyRawEach(signed, proof) {
    const columns = signedBy(this, signed, proof);
    return native.committeeVerifyRawEach(open(this, Committee), ...columns);
  },
  verifyRawBatch(items) {
    open(this, Committee);
    const columns = proofs(items);
    return weights(native.committeeVerifyRawBatch(open(this, Committee), ...columns));
  },
});

/**
 * Members with their messages, and the proof. One member more than the committee has suffices: the core reports the one
 * that is repeated or unknown.
 */
export function signedBy(committee: Committee, signed: unknown, proof: unknown): [number[], Uint8Array[], Uint8Array] {
  const size = native.committeeSize(open(committee, Committee));
  const one = (value: unknown, what: string) => check.pair(value, what, check.u16, check.bytes);
  const pairs = check.list(signed, 'signed', one, size);
  return [pairs.map(([member]) => member), pairs.map(([, message]) => message), check.bytes(proof, 'proof')];
}

/** Messages, signers and proofs of `[message, signers, proof]` items. */
export function proofs(items: unknown): [Uint8Array[], Raw[], Uint8Array[]] {
  const one = (item: unknown, what: string) => check.triple(item, what, check.bytes, opener(SignerSet), check.bytes);
  const all = check.list(items, 'items', one);
  return [all.map(([message]) => message), all.map(([, signers]) => signers), all.map(([, , proof]) => proof)];
}

export const weights = (found: Raw[]): (bigint | QuorateError)[] => found.map((one) => errorOf(one) ?? one);

declare module './certificates.js' {
  namespace Certificate {
    /**
     * Verifies several by a random linear combination: sixteen with one signer set cost about a quarter of sixteen
     * verifications.
     *
     * @returns for each, in input order, the verified certificate or its error
     */
    function verifyBatch(
      committee: Committee,
      certificates: Iterable<Certificate>,
    ): (VerifiedCertificate | QuorateError)[];
    /** As {@link Certificate.verifyBatch}, with coefficients derived from the input: all nodes compute the same. */
    function verifyBatchDerived(
      committee: Committee,
      certificates: Iterable<Certificate>,
    ): (VerifiedCertificate | QuorateError)[];
  }
}

statics(Certificate, {
  verifyBatch: (committee, certificates) => verifyBatch(committee, certificates, false),
  verifyBatchDerived: (committee, certificates) => verifyBatch(committee, certificates, true),
});

function verifyBatch(committee: Committee, certificates: Iterable<Certificate>, derived: boolean) {
  const handles = batch(Certificate, committee, certificates, 'certificates');
  return verdicts(VerifiedCertificate)(native.certificateVerifyBatch(...handles, derived));
}
