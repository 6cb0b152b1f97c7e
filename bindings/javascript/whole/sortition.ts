/**
 * Leader sortition: a lottery that each member plays in secret. A winner can prove that it won.
 *
 * A ticket is a unique signature, so no member has two; the smallest score ranks first. The next {@link Seed} is the
 * hash of another unique signature, so no member can choose it. Ed25519 signatures are not unique, so Ed25519
 * committees have no lottery.
 */

import * as check from '../common/check.js';
import { hex } from '../common/hex.js';
import { native } from './backend.js';
import { Committee } from './committee.js';
import { Handle, TOKEN, named, open, wrap, wrapMaybe } from './handle.js';
import { ChainId, CommitteeId } from './ids.js';
import { SecretKey, Signature } from './keys.js';
import { Suite } from './suites.js';

/** Default average number of winners: 7. */
export const EXPECTED_WINNERS = 7;

/**
 * Randomness of the lotteries, renewed with each block. Members whose chains agree up to its height have the same seed.
 */
export class Seed extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /**
   * Returns the first seed of a chain, from bytes that **no member chose** and that were unknown when the keys were
   * fixed: control over them is control over the first proposers.
   */
  static genesis(chain: ChainId, bytes: Uint8Array): Seed {
    return wrap(Seed, native.seedGenesis(open(chain, ChainId, 'chain'), check.bytes(bytes, 'bytes')));
  }
  static decode(bytes: Uint8Array): Seed {
    return wrap(Seed, native.seedDecode(check.bytes(bytes, 'bytes')));
  }
  /** 40 bytes. */
  encode(): Uint8Array {
    return native.seedEncode(open(this, Seed));
  }
  /** Number of proofs that precede it. */
  get height(): bigint {
    return native.seedHeight(open(this, Seed));
  }
  /** Its 32 bytes. */
  get value(): Uint8Array {
    return native.seedValue(open(this, Seed));
  }
  /**
   * Derives the next seed: the hash of the proof. **The protocol determines the prover**, usually the proposer of the
   * block: compare {@link SeedProof.signer}. Cost: one subgroup check, one hash to the curve, two pairings.
   *
   * @throws {@link UnknownSignerError}
   * @throws {@link BadSignatureError}
   */
  next(proof: SeedProof, committee: Committee): Seed {
    const parts = [open(proof, SeedProof, 'proof'), open(committee, Committee, 'committee')];
    return wrap(Seed, native.seedNext(open(this, Seed), ...parts));
  }
  equals(other: Seed): boolean {
    return native.seedEquals(open(this, Seed), open(other, Seed, 'other'));
  }
  toString(): string {
    return `Seed(${this.height}, ${hex(this.value)})`;
  }
}

/**
 * A member's signature on a {@link Seed}; its hash is the next seed. It is unique: the member's only choice is whether
 * to publish it. Until it is published, no other member knows the next seed.
 */
export class SeedProof extends Handle {
  declare private readonly brand: never;
  /** Creates a proof from its parts. Nothing is verified. */
  constructor(signer: number, signature: Signature) {
    super(TOKEN, native.seedProofNew(check.u16(signer, 'signer'), open(signature, Signature, 'signature')));
  }
  /**
   * Signs a seed: this member's proof. @throws {@link WrongContextError} if the key belongs to no member, and for
   * Ed25519
   */
  static sign(secret: SecretKey, committee: Committee, seed: Seed): SeedProof {
    const parts = [open(secret, SecretKey, 'secret'), open(committee, Committee, 'committee'), open(seed, Seed, 'seed')];
    return wrap(SeedProof, native.seedProofSign(...parts));
  }
  static decode(suite: Suite, bytes: Uint8Array): SeedProof {
    return wrap(SeedProof, native.seedProofDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.seedProofEncode(open(this, SeedProof));
  }
  /** Decodes the signature, where the signer is known. */
  static decodeDetached(suite: Suite, bytes: Uint8Array, signer: number): SeedProof {
    const parts = [check.suite(suite), check.bytes(bytes, 'bytes'), check.u16(signer, 'signer')];
    return wrap(SeedProof, native.seedProofDecodeDetached(...parts));
  }
  /** Returns the signature alone, for formats that contain the rest already. */
  encodeDetached(): Uint8Array {
    return native.seedProofEncodeDetached(open(this, SeedProof));
  }
  get suite(): Suite {
    return native.seedProofSuite(open(this, SeedProof));
  }
  /** The signer that the proof names. */
  get signer(): number {
    return native.seedProofSigner(open(this, SeedProof));
  }
  get signature(): Signature {
    return wrap(Signature, native.seedProofSignature(open(this, SeedProof)));
  }
  equals(other: SeedProof): boolean {
    return native.seedProofEquals(open(this, SeedProof), open(other, SeedProof, 'other'));
  }
  toString(): string {
    return `SeedProof(member ${this.signer})`;
  }
}

/** One round's lottery among the members of a committee. Every member has the same chance, whatever its weight. */
export class Lottery extends Handle {
  declare private readonly brand: never;
  #committee: Committee;
  /**
   * The lottery of `round`, in which `expected` members win on average.
   *
   * @param expected default: {@link EXPECTED_WINNERS}
   * @throws {@link WrongContextError} for a committee of Ed25519
   */
  constructor(committee: Committee, seed: Seed, round: bigint, expected: number = EXPECTED_WINNERS) {
    const parts = [open(committee, Committee, 'committee'), open(seed, Seed, 'seed'), check.u64(round, 'round')];
    if (check.u16(expected, 'expected') === 0) throw new RangeError('expected must be an integer from 1 to 65535, not 0');
    super(TOKEN, native.lotteryNew(...parts, expected));
    this.#committee = committee;
  }
  /**
   * Returns this member's ticket, if it won. Cost: one multiplication, one signature.
   *
   * @throws {@link WrongContextError} if the key belongs to no member
   */
  draw(secret: SecretKey): VerifiedTicket | undefined {
    return wrapMaybe(VerifiedTicket, native.lotteryDraw(open(this, Lottery), open(secret, SecretKey, 'secret')));
  }
  get committee(): Committee {
    open(this, Lottery);
    return this.#committee;
  }
  get seed(): Seed {
    return wrap(Seed, native.lotterySeed(open(this, Lottery)));
  }
  get round(): bigint {
    return native.lotteryRound(open(this, Lottery));
  }
  get expected(): number {
    return native.lotteryExpected(open(this, Lottery));
  }
  toString(): string {
    return `Lottery(round ${this.round}, ${this.seed}, expected ${this.expected})`;
  }
}

/** A member's claim to have won. A decoded ticket is not verified yet. */
export class Ticket extends Handle {
  declare private readonly brand: never;
  /** Creates a ticket from its parts. Nothing is verified. */
  constructor(round: bigint, member: number, signature: Signature) {
    const parts = [check.u64(round, 'round'), check.u16(member, 'member'), open(signature, Signature, 'signature')];
    super(TOKEN, native.ticketNew(...parts));
  }
  static decode(suite: Suite, bytes: Uint8Array): Ticket {
    return wrap(Ticket, native.ticketDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.ticketEncode(open(this, Ticket));
  }
  /** Decodes the signature of a ticket whose round and member are known. */
  static decodeDetached(suite: Suite, bytes: Uint8Array, round: bigint, member: number): Ticket {
    const parts = [check.suite(suite), check.bytes(bytes, 'bytes'), check.u64(round, 'round'), check.u16(member, 'member')];
    return wrap(Ticket, native.ticketDecodeDetached(...parts));
  }
  /** Returns the signature alone, for formats that contain the rest already. */
  encodeDetached(): Uint8Array {
    return native.ticketEncodeDetached(open(this, Ticket));
  }
  get suite(): Suite {
    return native.ticketSuite(open(this, Ticket));
  }
  get round(): bigint {
    return native.ticketRound(open(this, Ticket));
  }
  /** Member that the ticket names. */
  get member(): number {
    return native.ticketMember(open(this, Ticket));
  }
  get signature(): Signature {
    return wrap(Signature, native.ticketSignature(open(this, Ticket)));
  }
  /**
   * Verifies that this member won this lottery. Cost: one subgroup check and a hash; for a winning ticket, also one
   * hash to the curve and two pairings.
   *
   * @throws {@link WrongContextError} for another round
   * @throws {@link NotDrawnError} if it does not win, before any pairing
   * @throws {@link BadSignatureError}
   */
  verify(lottery: Lottery): VerifiedTicket {
    return wrap(VerifiedTicket, native.ticketVerify(open(this, Ticket), open(lottery, Lottery, 'lottery')));
  }
  equals(other: Ticket): boolean {
    return native.ticketEquals(open(this, Ticket), open(other, Ticket, 'other'));
  }
  toString(): string {
    return `Ticket(round ${this.round}, member ${this.member})`;
  }
}

/** A verified winning ticket. */
export class VerifiedTicket extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): Ticket {
    return wrap(Ticket, native.verifiedTicketValue(open(this, VerifiedTicket)));
  }
  /** Committee against which it was verified: compare it with the id of the current one. */
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedTicketCommittee(open(this, VerifiedTicket)));
  }
  /** Score of the ticket: the **smallest** score ranks first. */
  get score(): Score {
    return wrap(Score, native.verifiedTicketScore(open(this, VerifiedTicket)));
  }
  toString(): string {
    return `VerifiedTicket(${this.value}, committee ${this.committee})`;
  }
}

/** Score of a winning ticket: 32 pseudorandom bytes. The smallest score ranks first. */
export class Score extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get bytes(): Uint8Array {
    return native.scoreBytes(open(this, Score));
  }
  /** Negative if this score is smaller, and so ranks first; positive if the other is. For `sort`. */
  compare(other: Score): number {
    return native.scoreCompare(open(this, Score), open(other, Score, 'other'));
  }
  equals(other: Score): boolean {
    return this.compare(other) === 0;
  }
  /** Returns the bytes as 64 hex digits. */
  toString(): string {
    return hex(this.bytes);
  }
  toJSON(): string {
    return this.toString();
  }
}

named({ Seed, SeedProof, Lottery, Ticket, VerifiedTicket, Score });
