'use strict';
// The package for `require`, and the single instance that `import` uses too; index.d.ts describes it.

const { constants } = require('./lib/native.js');
const { classes, codes } = require('./lib/errors.js');
const { ChainId, CommitteeId } = require('./lib/ids.js');
const { SignerSet } = require('./lib/signers.js');
const { SecretKey, PublicKey, Signature, UnverifiedKey, VerifiedKey } = require('./lib/keys.js');
const { Statement } = require('./lib/statement.js');
const { Committee } = require('./lib/committee.js');
const { Vote, VerifiedVote, Suspects } = require('./lib/votes.js');
const { Certificate, VerifiedCertificate } = require('./lib/certificates.js');
const timeouts = require('./lib/timeouts.js');
const { Equivocation, VerifiedEquivocation, Conflict, VerifiedConflict } = require('./lib/evidence.js');
const { VoteCollector, TimeoutCollector } = require('./lib/collectors.js');
const { Guard, GuardRecord } = require('./lib/guard.js');
const { Ciphersuite } = require('./generated/ciphersuite.js');
const { UntrustedHeader } = require('./generated/header.js');
const { Merkle, Path } = require('./generated/merkle.js');

const about = constants();

module.exports = {
  VERSION: about.version,
  CODES: Object.freeze(codes),
  MAX_MEMBERS: about.maxMembers,
  MAX_TOTAL_WEIGHT: about.maxTotalWeight,
  MAX_TIMEOUT_GROUPS: about.maxTimeoutGroups,
  DEFAULT_BATCH_THRESHOLD: about.defaultBatchThreshold,
  Suite: Object.freeze({
    MinSig: 'bls-min-sig',
    MinPk: 'bls-min-pk',
    Ed25519: 'ed25519',
    MinSigCounted: 'bls-min-sig-counted',
    MinPkCounted: 'bls-min-pk-counted',
  }),
  SUITE_NUMBERS: Object.freeze(Object.fromEntries(about.suites.map((name, at) => [name, about.suiteNumbers[at]]))),
  ...classes,
  SecretKey,
  PublicKey,
  Signature,
  UnverifiedKey,
  VerifiedKey,
  ChainId,
  CommitteeId,
  SignerSet,
  Committee,
  Ciphersuite,
  Statement,
  Vote,
  VerifiedVote,
  Suspects,
  VoteCollector,
  Certificate,
  VerifiedCertificate,
  UntrustedHeader,
  TimeoutVote: timeouts.TimeoutVote,
  VerifiedTimeoutVote: timeouts.VerifiedTimeoutVote,
  TimeoutCollector,
  TimeoutCertificate: timeouts.TimeoutCertificate,
  VerifiedTimeoutCertificate: timeouts.VerifiedTimeoutCertificate,
  Equivocation,
  VerifiedEquivocation,
  Conflict,
  VerifiedConflict,
  Guard,
  GuardRecord,
  Merkle,
  Path,
  bls: Object.freeze({ ...require('./lib/bls.js') }),
  dsig: Object.freeze({ ...require('./lib/dsig.js') }),
  erasure: Object.freeze({ ...require('./lib/erasure.js') }),
  gossip: Object.freeze({ ...require('./lib/gossip.js') }),
  sortition: Object.freeze({ ...require('./lib/sortition.js') }),
  threshold: require('./lib/threshold/index.js'),
  wire: Object.freeze({ ...require('./lib/wire.js') }),
};
