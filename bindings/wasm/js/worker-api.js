// What `quorate-wasm/worker` exports beside `startWorker`.

export { CertificateWorker, CertificateWorkerCommittee, QuorateWorker, WorkerCommittee } from './worker-classes.js';
export { MAX_WAITING } from './calls.js';
export { MAX_MEMBERS, Suite } from './constants.js';
export { VERSION } from './version.js';
export {
  CODES,
  QuorateError,
  MalformedError,
  NonCanonicalError,
  TooLargeError,
  NotInSubgroupError,
  InfinityError,
  UnknownSignerError,
  DuplicateSignerError,
  RelatedKeysError,
  BadCommitteeError,
  BelowQuorumError,
  BadSignatureError,
  BadPossessionError,
  WrongContextError,
  ContradictionError,
  NotEvidenceError,
  RngError,
  ClosedError,
} from './errors.js';
