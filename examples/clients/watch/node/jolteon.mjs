// Decodes and verifies Jolteon's blocks and proofs as specified in spec/jolteon.md, with quorate's building blocks.
// No report is trusted: every check leads back to the committees of the genesis file.

export const [BLOCK, TIMEOUT, PROPOSAL, AVAILABLE] = [1, 2, 3, 4];
const MAX_BATCHES = 1024;
const MAX_LINKS = 1024;
const MAX_TRANSACTIONS = 1 << 16;
const MAX_BATCH_BYTES = 2 << 20;
const MAX_SEQUENCE = (1n << 48n) - 1n;
const SIGNATURE_LENGTH = { 'bls-min-sig': 48, 'bls-min-pk': 96, ed25519: 64 };

/** A violation of the protocol, with a code of spec/wire.md. */
export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
/** Yields to other tasks: the sender controls the number of blocks in a proof. */
const yieldToOthers = () => new Promise((resolve) => setTimeout(resolve));
const equal = (a, b) => a.length === b.length && a.every((byte, index) => byte === b[index]);

/** The protocol on top of a package with the interface of `quorate`, such as `quorate-wasm`. */
export function jolteon(quorate) {
  const { Certificate, Merkle, Path, Signature, Suite, TimeoutCertificate, Vote, wire } = quorate;
  const TRANSACTIONS = new Merkle('quorate-v1-transaction', 'quorate-v1-batch-node');

  /** The members of an epoch: one committee of voting keys and one of identity keys. */
  class Committees {
    constructor(voters, identities) {
      Object.assign(this, { voters, identities });
    }

    /** Digest of the genesis block (height 0). */
    genesis(stateRoot) {
      const named = Buffer.concat([this.voters.id.bytes, this.identities.id.bytes, stateRoot]);
      return wire.hash('quorate-v1-jolteon-genesis', named);
    }
  }

  /** A reader that tracks its position, so that parts can be passed to quorate's decoders. */
  class Input {
    constructor(data) {
      this.data = data;
      this.reader = new wire.Reader(data);
    }

    get at() {
      return this.data.length - this.reader.remaining;
    }

    since(start) {
      return this.data.subarray(start, this.at);
    }

    /** Skips an encoded set of members and returns its size. */
    skipMembers(size) {
      const form = this.reader.u8();
      if (form === 0) return bitsIn(this.reader.raw(Math.ceil(size / 8)));
      const count = this.reader.varint();
      if (form !== 1 || count > size) throw new Refused('MALFORMED', 'set of members');
      for (let i = 0; i < count; i++) this.reader.varint();
      return count;
    }

    skipProof(suite, signers) {
      this.reader.raw(SIGNATURE_LENGTH[suite] * (suite === Suite.Ed25519 ? signers : 1));
    }

    skipDetached(committee) {
      this.skipProof(committee.suite, committee.size - this.skipMembers(committee.size));
    }

    certificate(committee) {
      const skip = () => {
        this.reader.raw(50);
        this.skipDetached(committee);
      };
      return Certificate.decode(this.part(skip), committee);
    }

    detached(statement, committee) {
      return Certificate.decodeDetached(this.part(() => this.skipDetached(committee)), statement, committee);
    }

    timeoutCertificate(committee) {
      const skip = () => {
        this.reader.raw(18);
        let signers = 0;
        for (let groups = this.reader.u16(); groups > 0; groups--) {
          this.reader.u64();
          signers += this.skipMembers(committee.size);
        }
        this.skipProof(committee.suite, signers);
      };
      return TimeoutCertificate.decode(this.part(skip), committee);
    }

    /** Returns the bytes that `skip` skips, or all remaining bytes if it fails: the decoder then reports the error. */
    part(skip) {
      const start = this.at;
      try {
        skip();
      } catch (error) {
        if (!(error instanceof quorate.QuorateError || error instanceof Refused)) throw error;
        return this.data.subarray(start);
      }
      return this.since(start);
    }
  }

  /** The reference of a batch in a block. */
  function readBatchRef(data, identities) {
    const [start, r] = [data.at, data.reader];
    const [author, sequence] = readSlot(r);
    const [count, size, root] = [r.u32(), r.u32(), r.raw(32)];
    if (count === 0 || count > MAX_TRANSACTIONS || size > MAX_BATCH_BYTES) {
      throw new Refused('MALFORMED', 'size of a batch');
    }
    if (author >= identities.size) throw new Refused('UNKNOWN_SIGNER', `no member ${author}`);
    const digest = wire.hash('quorate-v1-batch-id', data.since(start));
    const statement = identities.statement(AVAILABLE, (BigInt(author) << 48n) + sequence, digest);
    data.detached(statement, identities);
    return { count, root, digest };
  }

  /** A block proposed by a leader. */
  class Block {
    constructor(fields) {
      Object.assign(this, fields);
    }

    get parentView() {
      return this.justify ? this.justify.statement.view : 0n;
    }

    static read(data, committees) {
      const [start, r, voters] = [data.at, data.reader, committees.voters];
      if (r.u64() !== voters.epoch) throw new Refused('WRONG_CONTEXT', 'epoch of the block');
      const [view, height, author, parent] = [r.u64(), r.u64(), r.u16(), r.raw(32)];
      const justify = r.option() ? data.certificate(voters) : undefined;
      const tc = r.option() ? data.timeoutCertificate(voters) : undefined;
      const payload = [];
      for (let left = r.count(MAX_BATCHES); left > 0; left--) payload.push(readBatchRef(data, committees.identities));
      const executed = r.u64();
      r.raw(32); // the state's root
      r.u64(); // the time
      if (author >= voters.size) throw new Refused('UNKNOWN_SIGNER', `no member ${author}`);
      checkShape({ view, height, parent, justify, tc, executed });
      const digest = wire.hash('quorate-v1-jolteon-block', data.since(start));
      const signature = Signature.decode(Suite.Ed25519, r.raw(64));
      return new Block({ view, height, author, parent, justify, payload, signature, digest });
    }

    /** Verifies the author's signature. */
    checkAuthor(committees) {
      const statement = committees.identities.statement(PROPOSAL, this.view, this.digest);
      new Vote(statement, this.author, this.signature).verify(committees.identities);
    }

    /** Returns true if a certificate names this block. Does not verify its signatures. */
    isCertifiedBy({ statement }) {
      return statement.kind === BLOCK && statement.view === this.view && equal(statement.digest, this.digest);
    }
  }

  /** A commit proof: a block's descendants up to two in consecutive views, and the last one's certificate. */
  class Finality {
    constructor(links, certificate) {
      Object.assign(this, { links, certificate });
    }

    static async read(data, committees) {
      const links = [];
      for (let left = data.reader.count(MAX_LINKS); left > 0; left--) {
        await yieldToOthers();
        links.push(Block.read(data, committees));
      }
      if (links.length === 0) throw new Refused('MALFORMED', 'commit proof without blocks');
      return new Finality(links, data.certificate(committees.voters));
    }

    /** Verifies that `block` is committed. Cost: one certificate. */
    verify(block, committees) {
      let [parent, consecutive] = [block, false];
      for (const link of this.links) {
        if (!equal(link.parent, parent.digest) || link.parentView !== parent.view) {
          throw new Refused('WRONG_CONTEXT', 'parent of a block in the commit proof');
        }
        consecutive = parent.view + 1n === link.view;
        parent = link;
      }
      if (!consecutive) throw new Refused('WRONG_CONTEXT', 'last view of the commit proof');
      if (!parent.isCertifiedBy(this.certificate)) {
        throw new Refused('WRONG_CONTEXT', 'certificate of the commit proof');
      }
      this.certificate.verify(committees.voters);
    }
  }

  /** A proof that a transaction is committed; see examples/node/src/proof.rs. */
  class TransactionProof {
    constructor(fields) {
      Object.assign(this, fields);
    }

    static async decode(encoded, committees) {
      const data = new Input(encoded);
      const transaction = data.reader.bytes(MAX_BATCH_BYTES);
      const path = readPath(data);
      const batch = data.reader.u16();
      const block = Block.read(data, committees);
      const finality = await Finality.read(data, committees);
      data.reader.finish();
      return new TransactionProof({ transaction, path, batch, block, finality });
    }

    /** Verifies the proof and returns the transaction's identifier. */
    async verify(committees) {
      const named = this.block.payload[this.batch];
      if (!named) throw new Refused('WRONG_CONTEXT', 'batch of the transaction');
      if (this.path.count !== named.count) {
        throw new Refused('WRONG_CONTEXT', 'number of transactions in the batch');
      }
      const leaf = TRANSACTIONS.leaf(this.transaction);
      TRANSACTIONS.verify(named.root, leaf, this.path);
      this.finality.verify(this.block, committees);
      for (const block of [this.block, ...this.finality.links]) {
        await yieldToOthers();
        block.checkAuthor(committees);
      }
      return leaf;
    }
  }

  /** A batch's header, its digest, and its transactions' identifiers. */
  function decodeBatch(encoded) {
    const r = new wire.Reader(encoded);
    const [author, sequence] = readSlot(r);
    const [count, body] = [r.count(MAX_TRANSACTIONS), r.bytes(MAX_BATCH_BYTES)];
    r.finish();
    const inner = new wire.Reader(body);
    const transactions = [];
    for (let left = count; left > 0; left--) transactions.push(inner.bytes(MAX_BATCH_BYTES));
    inner.finish();
    if (count === 0) throw new Refused('MALFORMED', 'batch without transactions');
    const leaves = TRANSACTIONS.leaves(transactions);
    const w = new wire.Writer();
    w.u16(author);
    w.u64(sequence);
    w.u32(count);
    w.u32(body.length);
    w.raw(TRANSACTIONS.root(leaves));
    const header = w.intoBytes();
    return { header, digest: wire.hash('quorate-v1-batch-id', header), leaves };
  }

  function readSlot(r) {
    const [author, sequence] = [r.u16(), r.u64()];
    if (sequence === 0n || sequence > MAX_SEQUENCE) throw new Refused('MALFORMED', 'sequence of a batch');
    return [author, sequence];
  }

  /** Index and count determine the number of siblings of a path, found by walking up the tree. */
  function readPath(data) {
    const start = data.at;
    const [index, count] = [data.reader.u32(), data.reader.u32()];
    if (index >= count) throw new Refused('MALFORMED', 'index of a path');
    let siblings = 0;
    for (let [place, width] = [index, count]; width > 1; place = Math.floor(place / 2), width = Math.ceil(width / 2)) {
      if (place % 2 === 1 || place + 1 < width) siblings += 1;
    }
    data.reader.raw(32 * siblings);
    return Path.decode(data.since(start));
  }

  return { Committees, Input, Block, Finality, TransactionProof, TRANSACTIONS, decodeBatch };
}

/** Checks the rules of a block that do not depend on its parent. */
function checkShape({ view, height, parent, justify, tc, executed }) {
  let parentView = 0n;
  if (justify) {
    const { kind, digest, view: certified } = justify.statement;
    parentView = certified;
    if (kind !== BLOCK || !equal(digest, parent) || certified === 0n) {
      throw new Refused('MALFORMED', "block whose certificate is not its parent's");
    }
  }
  const follows = tc
    ? tc.kind === TIMEOUT && tc.view + 1n === view && parentView + 1n < view && parentView >= tc.highestValue
    : parentView + 1n === view;
  if (!follows) throw new Refused('MALFORMED', 'block whose view does not follow from its certificates');
  if (height === 0n || (height === 1n) !== !justify || executed >= height) {
    throw new Refused('MALFORMED', 'block at an impossible height');
  }
}

function bitsIn(bytes) {
  let bits = 0;
  for (let byte of bytes) for (; byte > 0; byte >>= 1) bits += byte & 1;
  return bits;
}
