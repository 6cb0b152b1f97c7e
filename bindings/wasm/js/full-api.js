// The whole package: verification of certificates, and everything else. If a result of the module has several parts,
// the last part to be read consumes the result, so that nothing is left to free.

import { merkleApi } from '../generated/merkle.js';
import { blsApi } from './bls-api.js';
import { certificateApi } from './certificate-api.js';
import { fill } from './common.js';
import { dsigApi } from './dsig-api.js';
import { erasureApi } from './erasure-api.js';
import { evidenceApi } from './evidence-api.js';
import { gossipApi } from './gossip-api.js';
import { guardApi } from './guard-api.js';
import { name, open, wrap } from './handle.js';
import { keysApi } from './keys-api.js';
import { rawApi } from './raw-api.js';
import { sortitionApi } from './sortition-api.js';
import { thresholdApi } from './threshold/index.js';
import { timeoutsApi } from './timeouts-api.js';
import { votesApi } from './votes-api.js';
import { wireApi } from './wire-api.js';

export const MAX_TOTAL_WEIGHT = 1n << 125n;
export const MAX_TIMEOUT_GROUPS = 1024;
export const DEFAULT_BATCH_THRESHOLD = 2;

export function fullApi(wasm) {
  const base = certificateApi(wasm, { VerifiedKey: () => keys.VerifiedKey });
  const { openChain, openCommitteeId } = base;
  const { CommitteeId, PublicKey, Committee, Certificate, VerifiedCertificate } = base.classes;
  const keys = keysApi(wasm, base.classes);

  /** Verifies batches of certificates, with a verdict for each. */
  function batch(committee, certificates, verify) {
    const context = open(committee, Committee, 'committee');
    const one = (certificate, what) => open(certificate, Certificate, what);
    const verdicts = verify(fill(wasm().Certificates.empty(), certificates, 'certificates', one), context);
    return verdicts.map((verdict) => {
      const error = verdict.error();
      return wrap(VerifiedCertificate, verdict.certificate()) ?? error;
    });
  }
  Object.assign(Certificate, {
    verifyBatch: (committee, certificates) => batch(committee, certificates, (all, context) => all.verify(context)),
    verifyBatchDerived: (committee, certificates) =>
      batch(committee, certificates, (all, context) => all.verify_derived(context)),
  });

  const signing = { ...base.classes, ...keys };
  const { votes, collecting } = votesApi(wasm, signing, { VerifiedEquivocation: () => evidence.VerifiedEquivocation });
  const timeouts = timeoutsApi(wasm, { ...signing, ...votes }, collecting);
  const evidence = evidenceApi(wasm, { ...signing, ...votes });
  const guard = guardApi(wasm, { ...signing, ...votes, ...timeouts }, openChain);
  const raw = rawApi(wasm, signing);
  const classes = name({ ...keys, ...raw, ...votes, ...timeouts, ...evidence, ...guard, ...merkleApi(wasm) });
  const shared = { CommitteeId, openCommitteeId, PublicKey, Signature: keys.Signature, ...guard };
  return {
    ...base.classes,
    ...classes,
    bls: blsApi(wasm, keys),
    dsig: dsigApi(wasm, { SecretKey: keys.SecretKey, PublicKey }),
    erasure: erasureApi(wasm),
    gossip: gossipApi(wasm, { ...base.classes, ...classes }),
    sortition: sortitionApi(wasm, { ...base.classes, ...classes, openChain }),
    threshold: thresholdApi(wasm, shared),
    wire: wireApi(wasm),
  };
}
