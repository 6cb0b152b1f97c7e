// The verified state of a chain, combined from all validators. Its memory is bounded. A light client of the package `quorate`
// verifies every certificate, proof and change of the members.
import { Conflict, Merkle, QuorateError, UntrustedHeader } from 'quorate';

/** A leaf is a transaction's identifier. */
export const TRANSACTIONS = new Merkle('quorate-v1-transaction', 'quorate-v1-batch-node');

const MAX_REMEMBERED = 4096; // maximum number of remembered certificates, proven blocks, and blocks per validator
const MAX_REWIND = 64; // blocks
const KEPT_EPOCHS = 64n; // the newest ones, whose members the light client knows
const MAX_AHEAD = KEPT_EPOCHS / 2n; // epochs that are followed before a block needs them

/** A report that does not match what is verified, with a code of spec/wire.md. */
export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Two contradicting certificates: members with more than a third of the weight broke the protocol.
 *
 * `evidence` proves the violation to any holder of the genesis file. It is empty for two proven blocks at one height.
 */
export class Contradiction extends Error {
  code = 'CONTRADICTION';

  constructor(message, evidence = new Uint8Array()) {
    super(message);
    this.evidence = evidence;
  }
}

/** A reported or proven mapping between heights and blocks. */
class HeightIndex {
  digests = new Map();
  #heights = new Map();

  remember(height, digest) {
    remember(this.digests, height, digest);
    remember(this.#heights, digest, height);
  }

  /** Returns true if another block is at this height, or if this block is at another height. */
  conflicts(height, digest) {
    const there = this.digests.get(height) ?? digest;
    return there !== digest || (this.#heights.get(digest) ?? height) !== height;
  }
}

/** Verifies reports of validators. Throws `Refused` or `Contradiction` for false ones. */
export class Chain {
  certificates = 0;
  proofs = 0;
  view = 0;
  height = 0;
  #proven = new HeightIndex();
  #shown = new Map(); // by the validator's address
  #views = new Map();
  #verified = new Map();

  constructor(client) {
    this.client = client;
  }

  /**
   * Verifies a validator's block at `height` and its certificate. A Jolteon block has the certificate of the block before it,
   * a block of another protocol its own.
   *
   * Returns the reported block, the block that is certified now, if any, and the signers of its certificate.
   */
  async certified(before, height, answer) {
    const { client } = this;
    const claim = {
      height: number(answer, 'height'),
      view: number(answer, 'view'),
      digest: digest(answer, 'digest'),
      author: client.protocol === 'abft' ? null : number(answer, 'author'),
      transactions: number(answer, 'transactions'),
    };
    const [parent, encoded, named] = [digest(answer, 'parent'), text(answer, 'certificate'), answer.signers];
    if (claim.height !== height) throw new Refused('WRONG_CONTEXT', `height of the block: expected ${height}, got ${claim.height}`);
    if (before && before.digest !== parent) {
      throw new Refused('WRONG_CONTEXT', `block ${height - 1} was reported with another digest before`);
    }
    const ofParent = client.protocol === 'jolteon';
    if (ofParent && height === 1) return { claim, signers: [] };
    const { statement, signers: set } = await this.#certificate(encoded);
    const signers = [...set];
    const view = ofParent ? BigInt(before?.view ?? statement.view) : BigInt(claim.view);
    const follows = !ofParent || (0n < view && view < BigInt(claim.view));
    const block = ofParent ? [height - 1, parent] : [height, claim.digest];
    if (!follows || !client.certifies(statement, BigInt(block[0]), view, unhex(block[1]))) {
      throw new Refused('WRONG_CONTEXT', 'the certificate does not certify the block');
    }
    if (!Array.isArray(named) || named.length !== signers.length || signers.some((signer, i) => signer !== named[i])) {
      throw new Refused('WRONG_CONTEXT', 'the signers of the certificate differ from the reported ones');
    }
    return { claim, certified: ofParent ? before : claim, signers };
  }

  /** Verifies a certificate once, and checks that no certificate of the same kind and view contradicts it. */
  async #certificate(encoded) {
    const known = this.#verified.get(encoded);
    if (known) return known;
    const { value: certificate } = await this.client.verifyCertificateAsync(unhex(encoded));
    if (!this.#verified.has(encoded)) this.certificates += 1;
    remember(this.#verified, encoded, certificate);
    const { kind, epoch, view } = certificate.statement;
    const other = remember(this.#views, `${kind} ${epoch} ${view}`, certificate);
    if (other.statement.contradicts(certificate.statement)) {
      const evidence = new Conflict(other, certificate);
      const culprits = [...evidence.verify(this.client.voters(epoch)).value.culprits()].join(' and ');
      throw new Contradiction(`two blocks of view ${view} are certified; ${culprits} signed both`, evidence.encode());
    }
    return certificate;
  }

  /** Returns the epoch that a block's certificate claims. */
  claimedEpoch(answer) {
    const encoded = text(answer, 'certificate');
    return encoded === '' ? 0n : UntrustedHeader.peek(unhex(encoded)).epoch;
  }

  /** Returns true if the members of an epoch are no longer known, so that its blocks cannot be verified. */
  isForgotten(epoch) {
    return epoch <= this.client.epoch - KEPT_EPOCHS;
  }

  /** Follows the epochs of a validator's list, to shortly after the needed one. Returns the numbers of the new ones. */
  async handOver(answer, needed) {
    if (!Array.isArray(answer?.epochs)) throw new Refused('MALFORMED', 'missing epochs in the response');
    const begun = [];
    for (const one of answer.epochs) {
      const epoch = BigInt(number(one, 'epoch'));
      if (epoch <= this.client.epoch) continue;
      if (epoch > needed + MAX_AHEAD) break;
      const [block, finality, payload] = ['block', 'finality', 'payload'].map((name) => unhex(text(one, name)));
      try {
        begun.push(await this.client.handOverAsync(block, finality, payload));
      } catch (error) {
        // Another validator's list was faster.
        if (!(error instanceof QuorateError) || epoch > this.client.epoch) throw error;
      }
    }
    return begun;
  }

  /**
   * Compares the reported height of a certified block with proofs and with the reports of other validators.
   *
   * A certificate does not bind the height: without a proof, either may be wrong. Returns the other validator.
   */
  agree({ height, digest }, url) {
    if (this.#proven.conflicts(height, digest)) {
      throw new Refused('WRONG_CONTEXT', `a proof shows that ${short(digest)} is not block ${height}`);
    }
    if (!this.#shown.has(url)) this.#shown.set(url, new HeightIndex());
    this.#shown.get(url).remember(height, digest);
    return this.refutedBy(height, digest)[0];
  }

  /** Records a certified block and returns whether its view is the newest so far: signatures bind views. */
  newest(block) {
    const newest = block.view > this.view;
    if (newest) [this.view, this.height] = [block.view, block.height];
    return newest;
  }

  /**
   * The height to start from instead of `block`, if blocks between the newest one and `block` were not shown; else
   * undefined. Validators report different heights when a watcher starts. A false height must not send a watcher back
   * far.
   */
  firstMissed(block) {
    const missed = block.height - this.height - 1;
    return this.height && missed > 0 && missed <= MAX_REWIND ? this.height + 1 : undefined;
  }

  /** Verifies the proof of a committed transaction. */
  async proof(wanted, answer) {
    const proven = await this.client.verifyTransactionAsync(unhex(text(answer, 'proof')));
    if (hex(proven.id) !== wanted) {
      throw new Refused('WRONG_CONTEXT', 'the proof is for another transaction than the requested one');
    }
    const [height, named] = [Number(proven.commit.height), hex(proven.commit.digest)];
    const reported = [digest(answer, 'id'), number(answer, 'height'), digest(answer, 'block')];
    if (reported[0] !== wanted || reported[1] !== height || reported[2] !== named) {
      throw new Refused('WRONG_CONTEXT', 'the proof does not match the response');
    }
    if (this.#proven.conflicts(height, named)) {
      const other = this.#proven.digests.get(height);
      throw new Contradiction(`two blocks at height ${height} are proven: ${short(named)} and ${short(other)}`);
    }
    this.#proven.remember(height, named);
    this.proofs += 1;
    return { height, digest: named };
  }

  /** Returns the validators that reported a different block or height. */
  refutedBy(height, digest) {
    return [...this.#shown].filter(([, places]) => places.conflicts(height, digest)).map(([url]) => url);
  }

  /** Discards the reports of a refused validator, so that they do not cast doubt on others. */
  forget(url) {
    this.#shown.delete(url);
  }
}

export const hex = (bytes) => Buffer.from(bytes).toString('hex');

export const short = (digest) => `${digest.slice(0, 16)}…`;

/** Returns the value stored under a key, or stores the given one and evicts the oldest. */
function remember(known, key, value) {
  if (!known.has(key)) known.set(key, value);
  const found = known.get(key);
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value);
  return found;
}

function number(answer, name) {
  const found = answer?.[name];
  if (!Number.isSafeInteger(found) || found < 0) throw new Refused('MALFORMED', `missing number ${name} in the response`);
  return found;
}

function text(answer, name) {
  const found = answer?.[name];
  if (typeof found !== 'string') throw new Refused('MALFORMED', `missing text ${name} in the response`);
  return found;
}

function digest(answer, name) {
  const found = text(answer, name);
  if (!/^[0-9a-f]{64}$/.test(found)) throw new Refused('MALFORMED', `missing digest ${name} in the response`);
  return found;
}

function unhex(digits) {
  // Avoids a repeated group: the regular expression engine records each of millions of repetitions.
  if (digits.length % 2 === 1 || /[^0-9a-f]/.test(digits)) throw new Refused('MALFORMED', 'not hexadecimal');
  return new Uint8Array(Buffer.from(digits, 'hex'));
}
