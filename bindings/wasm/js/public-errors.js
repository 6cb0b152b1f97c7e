// The errors that every entry of this package exports.

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
