// What is known of a chain, from all its validators together; bounded, however long one watches.
import { BLOCK, Refused, hex } from './jolteon.mjs';

const KEPT = 4096; // certificates, proven blocks, and each validator's blocks that are remembered

/**
 * Two things that cannot both be, by signatures alone: more than a third of the weight broke the protocol.
 *
 * `evidence` convinces everybody who has the genesis; it is empty for two proven blocks at one height.
 */
export class Contradiction extends Error {
  code = 'CONTRADICTION';

  constructor(message, evidence = new Uint8Array()) {
    super(message);
    this.evidence = evidence;
  }
}

/** Which block is at which height, as somebody says. */
class Places {
  digests = new Map();
  #heights = new Map();

  keep(height, digest) {
    keep(this.digests, height, digest);
    keep(this.#heights, digest, height);
  }

  /** Whether another block is at this height, or this block at another. */
  differ(height, digest) {
    const there = this.digests.get(height) ?? digest;
    return there !== digest || (this.#heights.get(digest) ?? height) !== height;
  }
}

/** Takes what validators say, and throws `Refused` or `Contradiction` for what cannot be. */
export class Chain {
  certificates = 0;
  proofs = 0;
  view = 0;
  #proven = new Places();
  #shown = new Map(); // by the validator's address
  #views = new Map();
  #verified = new Map();

  constructor(quorate, protocol, committees) {
    Object.assign(this, { quorate, protocol, committees });
  }

  /**
   * Checks a validator's block at `height` and the certificate in it, which is that of the block `before`.
   *
   * Gives what it says of itself, and who signed the block before.
   */
  async successor(before, height, answer) {
    const claim = {
      height: number(answer, 'height'),
      view: number(answer, 'view'),
      digest: digest(answer, 'digest'),
      author: number(answer, 'author'),
      transactions: number(answer, 'transactions'),
    };
    const [parent, encoded, named] = [digest(answer, 'parent'), text(answer, 'certificate'), answer.signers];
    if (claim.height !== height) throw new Refused('WRONG_CONTEXT', `block ${claim.height} instead of ${height}`);
    if (height === 1) return { claim, signers: [] };
    const { statement, signers: set } = await this.#certificate(encoded);
    const signers = [...set];
    const view = Number(statement.view);
    if (statement.kind !== BLOCK || hex(statement.digest) !== parent || view === 0 || view >= claim.view) {
      throw new Refused('WRONG_CONTEXT', "the certificate is not the parent's");
    }
    if (!Array.isArray(named) || named.length !== signers.length || signers.some((signer, i) => signer !== named[i])) {
      throw new Refused('WRONG_CONTEXT', 'others signed the certificate than the answer says');
    }
    if (before && (before.digest !== parent || before.view !== view)) {
      throw new Refused('WRONG_CONTEXT', `block ${height - 1} was another before`);
    }
    return { claim, signers };
  }

  /** Verifies a certificate, each once, and that no other of its view contradicts it. */
  async #certificate(encoded) {
    const known = this.#verified.get(encoded);
    if (known) return known;
    const { Certificate, Conflict } = this.quorate;
    const { voters } = this.committees;
    const certificate = Certificate.decode(unhex(encoded), voters);
    await certificate.verifyAsync(voters);
    if (!this.#verified.has(encoded)) this.certificates += 1;
    keep(this.#verified, encoded, certificate);
    const other = keep(this.#views, certificate.statement.view, certificate);
    if (other.statement.contradicts(certificate.statement)) {
      const evidence = new Conflict(other, certificate);
      const guilty = [...evidence.verify(voters).value.culprits()].join(' and ');
      const message = `two blocks of view ${certificate.statement.view} are certified; ${guilty} signed both`;
      throw new Contradiction(message, evidence.encode());
    }
    return certificate;
  }

  /**
   * Compares the height that a validator gives a certified block with proofs, and with what others show.
   *
   * A certificate says nothing of heights, so without a proof one of two may lie, and nobody knows which: gives the
   * other one.
   */
  agree({ height, digest }, url) {
    if (this.#proven.differ(height, digest)) {
      throw new Refused('WRONG_CONTEXT', `a proof shows that ${short(digest)} is not block ${height}`);
    }
    if (!this.#shown.has(url)) this.#shown.set(url, new Places());
    this.#shown.get(url).keep(height, digest);
    return this.disproved(height, digest)[0];
  }

  /** Whether a certified view is the newest of all: signatures bind views. */
  newest(view) {
    const newest = view > this.view;
    this.view = Math.max(view, this.view);
    return newest;
  }

  /** Checks that a transaction is committed, by its proof alone. */
  async proof(wanted, answer) {
    const encoded = unhex(text(answer, 'proof'));
    const proof = await this.protocol.TransactionProof.decode(encoded, this.committees);
    if (hex(await proof.verify(this.committees)) !== wanted) {
      throw new Refused('WRONG_CONTEXT', 'another transaction is proven than was asked for');
    }
    const [height, named] = [Number(proof.block.height), hex(proof.block.digest)];
    const said = [digest(answer, 'id'), number(answer, 'height'), digest(answer, 'block')];
    if (said[0] !== wanted || said[1] !== height || said[2] !== named) {
      throw new Refused('WRONG_CONTEXT', 'the proof is of something else than the answer says');
    }
    if (this.#proven.differ(height, named)) {
      const other = this.#proven.digests.get(height);
      throw new Contradiction(`two blocks at height ${height} are proven: ${short(named)} and ${short(other)}`);
    }
    this.#proven.keep(height, named);
    this.proofs += 1;
    return { height, digest: named };
  }

  /** Who showed something else than this. */
  disproved(height, digest) {
    return [...this.#shown].filter(([, places]) => places.differ(height, digest)).map(([url]) => url);
  }

  /** What a liar showed is no reason to doubt anybody else. */
  forget(url) {
    this.#shown.delete(url);
  }
}

export const short = (digest) => `${digest.slice(0, 16)}…`;

/** What is there under a key already, or else the value, which stays until many others came. */
function keep(kept, key, value) {
  if (!kept.has(key)) kept.set(key, value);
  const found = kept.get(key);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return found;
}

function number(answer, name) {
  const found = answer?.[name];
  if (!Number.isSafeInteger(found) || found < 0) throw new Refused('MALFORMED', `no number ${name} in the answer`);
  return found;
}

function text(answer, name) {
  const found = answer?.[name];
  if (typeof found !== 'string') throw new Refused('MALFORMED', `no text ${name} in the answer`);
  return found;
}

function digest(answer, name) {
  const found = text(answer, name);
  if (!/^[0-9a-f]{64}$/.test(found)) throw new Refused('MALFORMED', `no digest ${name} in the answer`);
  return found;
}

function unhex(digits) {
  // No group is repeated here: a regular expression remembers each repetition, of millions.
  if (digits.length % 2 === 1 || /[^0-9a-f]/.test(digits)) throw new Refused('MALFORMED', 'not hexadecimal');
  return new Uint8Array(Buffer.from(digits, 'hex'));
}
