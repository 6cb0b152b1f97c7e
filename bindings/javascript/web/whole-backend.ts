// The functions of the whole package that differ from the methods of the module's classes: they take and return lists, or
// results of several parts. The last part to be read consumes such a result, so that nothing is left to free.

import { type Backend, filled, provide } from './backend.js';

/** Uses the loaded module of the whole package. */
export const provideWhole = (exports: any): void => provide(exports, whole);

const whole = (module: Backend): Backend => ({
  ...lists(module),
  ...results(module),
  domains: module.domains!,
  wireHash: module.hash!,
  writerNew: module.writerEmpty!,
  writerIntoBytes: module.writerTake!,
  suspectsNew: module.suspectsNone!,
  suspectsSize: (suspects) => suspects.members().length,
  verifiedKeyEquals: (a, b) => module.publicKeyEquals!(a.public(), b.public()),
  aggregateFromVote: module.verifiedAggregateFromVote!,
  aggregateFromCertificate: module.verifiedAggregateFromCertificate!,
  scoreBytes: (score) => score.slice(),
  scoreCompare: (a, b) => {
    const at = a.findIndex((byte: number, i: number) => byte !== b[i]);
    return at === -1 ? 0 : Math.sign(a[at] - b[at]);
  },
  // The object is freed next, which overwrites the keys.
  dsigSignerClose: () => {},
});

const lists = (module: Backend): Backend => ({
  blsAggregate: (signatures) => filled(module.signaturesEmpty!(), signatures).aggregate(),
  blsFastAggregateVerify: (keys, message, signature) => filled(module.keysEmpty!(), keys).verify(message, signature),
  blsAggregateVerify: (keys, messages, signature) => filled(module.signedEmpty!(), keys, messages).verify(signature),
  committeeNew: (chain, epoch, keys, weights) =>
    module.committeeNew!(chain, epoch, filled(module.membersEmpty!(), keys, weights)),
  committeeVerifyRawEach: (committee, members, messages, proof) =>
    filled(module.rawSignedEmpty!(), members, messages).verify(committee, proof),
  committeeVerifyRawBatch: (committee, ...columns) =>
    verdicts(filled(module.rawProofsEmpty!(), ...columns).verify(committee), 'weight'),
  certificateVerifyBatch: (committee, certificates, derived) =>
    verdicts(verified(filled(module.certificatesEmpty!(), certificates), committee, derived), 'certificate'),
  aggregateVerifyBatch: (committee, aggregates, derived) =>
    verdicts(verified(filled(module.aggregatesEmpty!(), aggregates), committee, derived), 'aggregate'),
  verifiedAggregateNormalised: (aggregate, parts) => {
    const raw = module.aggregatesEmpty!();
    for (const part of parts) raw.add_verified(part);
    return aggregate.normalised(raw);
  },
  guardRestore: (secret, chain, records) =>
    module.guardRestore!(secret, chain, filled(module.guardRecordsEmpty!(), records)),
  dsigSignerNew: (secret, suite, groups, ...limits) => {
    let sets;
    try {
      sets = filled(module.dsigGroupsEmpty!(), groups);
    } catch (error) {
      secret.free();
      throw error;
    }
    return module.dsigSignerNew!(secret, suite, sets, ...limits);
  },
  dsigVerifyAll: (suite, ...columns) => filled(module.dsigEntriesEmpty!(), ...columns).verify(suite),
});

const verified = (batch: any, committee: any, derived: boolean): any[] =>
  derived ? batch.verify_derived(committee) : batch.verify(committee);

/** The value of each verdict, or its error. */
const verdicts = (found: any[], value: string): any[] =>
  found.map((verdict) => {
    const error = verdict.error();
    return verdict[value]() ?? error;
  });

const results = (module: Backend): Backend => ({
  guardSign: (...given) => signed(module.guardSign!(...given)),
  guardSignTimeout: (...given) => signed(module.guardSignTimeout!(...given)),
  guardLast: (guard, kind) => {
    const [epoch, view] = guard.last(kind);
    return epoch === undefined ? undefined : { epoch, view };
  },
  voteCollectorAdd: (...given) => collected(module.voteCollectorAdd!(...given)),
  voteCollectorAddVerified: (...given) => collected(module.voteCollectorAddVerified!(...given)),
  timeoutCollectorAdd: (...given) => collected(module.timeoutCollectorAdd!(...given)),
  timeoutCollectorAddVerified: (...given) => collected(module.timeoutCollectorAddVerified!(...given)),
  timeoutCollectorVerifyHonest: (...given) => {
    const found = module.timeoutCollectorVerifyHonest!(...given);
    return { honest: found.verdict(), faults: found.faults().map(fault) };
  },
  timeoutCertificateGroups: (certificate) => {
    const signers = certificate.group_signers();
    return Array.from(certificate.group_values(), (value, at) => ({ value, signers: signers[at] }));
  },
  gossipCheck: (...given) => {
    const found = module.gossipCheck!(...given);
    const [aggregates, signers, grew] = [found.aggregates(), found.signers(), found.grew()];
    const culprits = found.culprits();
    const faults = found.evidence().map((evidence: any, at: number) => ({ culprit: culprits[at], evidence }));
    return { faults, aggregates, signers, grew };
  },
  gossipNext: (...given) => {
    const send = module.gossipNext!(...given);
    return send && { to: send.to(), aggregate: send.aggregate() };
  },
  dsigSignerPrepare: (...given) => announced(module.dsigSignerPrepare!(...given)),
  dsigSignerAnnouncements: (signer) => signer.announcements().map(announced),
});

function signed(made: any) {
  const record = made.record();
  return { vote: made.vote(), record };
}

function fault(raw: any) {
  const [signer, error] = [raw.signer(), raw.error()];
  return { signer, error, evidence: raw.evidence() };
}

const collected = (raw: any) => ({ certificate: raw.certificate(), faults: raw.faults().map(fault) });

function announced(made: any) {
  if (made === undefined) return undefined;
  const to = made.to();
  return { to: to && Array.from(to), announcement: made.announcement() };
}
