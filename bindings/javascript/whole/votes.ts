/** Votes, and suspected members. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { Committee } from './committee.js';
import { Handle, TOKEN, named, open, wrap } from './handle.js';
import { CommitteeId } from './ids.js';
import { SecretKey, Signature } from './keys.js';
import { Statement, Verified } from './statement.js';
import { Suite } from './suites.js';

/** One member's signature on a statement. A decoded vote is not verified yet. */
export class Vote extends Handle {
  declare private readonly brand: never;
  /** Creates a vote. Nothing is verified. */
  constructor(statement: Statement, signer: number, signature: Signature) {
    const parts = [open(statement, Statement, 'statement'), check.u16(signer, 'signer'), open(signature, Signature, 'signature')];
    super(TOKEN, native.voteNew(...parts));
  }
  /**
   * Signs **without recording it**, for statements that a member may contradict, and for tests. Use a {@link Guard} to
   * sign anything that a protocol acts on.
   *
   * @throws {@link WrongContextError} for another epoch or suite, or a key that belongs to no member
   */
  static signUnguarded(secret: SecretKey, committee: Committee, statement: Statement): Vote {
    const parts = [open(secret, SecretKey, 'secret'), open(committee, Committee, 'committee')];
    return wrap(Vote, native.voteSignUnguarded(...parts, open(statement, Statement, 'statement')));
  }
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError} for a vote of another suite */
  static decode(suite: Suite, bytes: Uint8Array): Vote {
    return wrap(Vote, native.voteDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.voteEncode(open(this, Vote));
  }
  /** Decodes the form for direct links, with an uncompressed signature: longer, and decoded without a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Vote {
    return wrap(Vote, native.voteDecodeLink(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encodeLink(): Uint8Array {
    return native.voteEncodeLink(open(this, Vote));
  }
  get suite(): Suite {
    return native.voteSuite(open(this, Vote));
  }
  get statement(): Statement {
    return wrap(Statement, native.voteStatement(open(this, Vote)));
  }
  /** The signer that the vote names. */
  get signer(): number {
    return native.voteSigner(open(this, Vote));
  }
  get signature(): Signature {
    return wrap(Signature, native.voteSignature(open(this, Vote)));
  }
  /**
   * Verifies this vote alone. Cost: one signature verification; a {@link VoteCollector} verifies many at far lower
   * cost.
   *
   * @throws {@link WrongContextError}, {@link UnknownSignerError}, {@link BadSignatureError} naming the signer
   */
  verify(committee: Committee): VerifiedVote {
    return wrap(VerifiedVote, native.voteVerify(open(this, Vote), open(committee, Committee, 'committee')));
  }
  equals(other: Vote): boolean {
    return native.voteEquals(open(this, Vote), open(other, Vote, 'other'));
  }
  toString(): string {
    return `Vote(member ${this.signer}, ${this.statement})`;
  }
}

/** A vote whose signature was verified. */
export class VerifiedVote extends Handle implements Verified<Vote> {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): Vote {
    return wrap(Vote, native.verifiedVoteValue(open(this, VerifiedVote)));
  }
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedVoteCommittee(open(this, VerifiedVote)));
  }
  toString(): string {
    return `VerifiedVote(${this.value}, committee ${this.committee})`;
  }
}

/**
 * Members in whose name invalid signatures were received, shared by all collectors of one committee. Their votes are
 * verified one by one, and only if the remaining votes do not reach the quorum. The suspicion ends after some time.
 * Iteration is in ascending order.
 */
export class Suspects extends Handle implements Iterable<number> {
  declare private readonly brand: never;
  constructor() {
    super(TOKEN, native.suspectsNew());
  }
  contains(member: number): boolean {
    return native.suspectsContains(open(this, Suspects), check.u16(member, 'member'));
  }
  get size(): number {
    return native.suspectsSize(open(this, Suspects));
  }
  [Symbol.iterator](): IterableIterator<number> {
    return native.suspectsMembers(open(this, Suspects))[Symbol.iterator]();
  }
  /** Records an offence. Collectors call it themselves; call it for invalid votes found elsewhere. */
  accuse(member: number): void {
    native.suspectsAccuse(open(this, Suspects), check.u16(member, 'member'));
  }
  /**
   * Reduces the remaining suspicion of every member by one certificate. Collectors call it themselves when they form a
   * certificate.
   */
  decay(): void {
    native.suspectsDecay(open(this, Suspects));
  }
  toString(): string {
    return `Suspects([${[...this].join(', ')}])`;
  }
}

named({ Vote, VerifiedVote, Suspects });
