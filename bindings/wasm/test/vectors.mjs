// Runs the repository's test vectors through the public API of a package.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

const FOLDER = new URL('../../../spec/vectors/', import.meta.url);
/** Its types are those of the example protocol. */
const NOT_OURS = new Set(['jolteon.json']);
const EXPECTED = ['bls', 'certificate', 'committee', 'ed25519', 'evidence', 'guard', 'merkle', 'timeout', 'vote', 'wire'];

export const bytes = (text) => Uint8Array.from(Buffer.from(text, 'hex'));
export const hex = (data) => Buffer.from(data).toString('hex');

/** Runs every case and answers with how many there were. */
export function runAll(quorate) {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json') && !NOT_OURS.has(file));
  assert.deepEqual(files.sort(), EXPECTED.map((block) => `${block}.json`));
  let cases = 0;
  for (const file of files) {
    const { committees = {}, cases: listed } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
    for (const { name, operation, input, expect, output } of listed) {
      const resolved = typeof input.committee === 'string' ? { ...input, committee: committees[input.committee] } : input;
      let outcome;
      try {
        outcome = { expect: 'ok', output: run(quorate, operation, resolved) ?? null };
      } catch (error) {
        if (!(error instanceof quorate.QuorateError)) throw new Error(`${file}: ${name}: ${error}`, { cause: error });
        outcome = { expect: error.code, output: null };
      }
      assert.deepEqual(outcome, { expect, output: output ?? null }, `${file}: ${name}`);
      cases += 1;
    }
  }
  return cases;
}

function run(q, operation, input) {
  const perform = operations[operation];
  assert(perform, `no operation ${operation}`);
  const number = input.suite ?? input.committee?.suite;
  const suite = Object.keys(q.SUITE_NUMBERS).find((name) => q.SUITE_NUMBERS[name] === number);
  return perform(q, input, suite);
}

/** What decodes must encode to the same bytes again. */
function decoded(text, decode, encode = (value) => value.encode()) {
  const value = decode(bytes(text));
  assert.equal(hex(encode(value)), text, 'decoded, but encodes to something else');
  return value;
}

const key = (q, suite, text) => decoded(text, (data) => q.PublicKey.decode(suite, data));
const signature = (q, suite, text) => decoded(text, (data) => q.Signature.decode(suite, data));
const secret = (q, suite, text) => q.SecretKey.fromBytes(suite, bytes(text));
const verifiedKey = (q, suite, { public_key: k, possession }) =>
  decoded(k + possession, (data) => q.UnverifiedKey.decode(suite, data)).verify();

function committee(q, { suite: number, chain, epoch, members, repeats }) {
  const suite = Object.keys(q.SUITE_NUMBERS).find((name) => q.SUITE_NUMBERS[name] === number);
  const listed = members.flatMap(({ public_key: k, weight, times = 1 }) => {
    const member = [q.PublicKey.decode(suite, bytes(k)), BigInt(weight)];
    return Array.from({ length: times }, () => member);
  });
  const options = { allowRepeats: repeats === true };
  return q.Committee.fromAttested(q.ChainId.fromBytes(bytes(chain)), BigInt(epoch), listed, options);
}

const figures = (made) => ({
  id: String(made.id),
  total_weight: String(made.totalWeight),
  quorum_weight: String(made.quorumWeight),
  honest_weight: String(made.honestWeight),
});

function signers(made, { indices, lsb_first: lsb, msb_first: msb }) {
  if (indices) return made.signerSet({ indices });
  return made.signerSet(lsb === undefined ? { msbFirst: bytes(msb) } : { lsbFirst: bytes(lsb) });
}

const statement = (q, { kind, epoch, view, digest }) =>
  new q.Statement({ kind, epoch: BigInt(epoch), view: BigInt(view), digest: bytes(digest) });
const shown = ({ kind, epoch, view, digest }) => ({ kind, epoch: String(epoch), view: String(view), digest: hex(digest) });

function vote(Class, suite, { vote: plain, link }) {
  if (link === undefined) return decoded(plain, (data) => Class.decode(suite, data));
  return decoded(link, (data) => Class.decodeLink(suite, data), (value) => value.encodeLink());
}

/** The certificate of votes that are all good. */
function collect(q, Class, Collector, suite, { committee: definition, votes }, place) {
  const made = committee(q, definition);
  const listed = votes.map((text) => decoded(text, (data) => Class.decode(suite, data)));
  const { kind, view } = place(listed[0]);
  const collector = new Collector(made, kind, view);
  let certificate;
  for (const one of listed) {
    const collected = collector.add(one, new q.Suspects());
    assert.deepEqual(collected.faults, []);
    certificate ??= collected.certificate;
  }
  // What the collector says by staying silent, the committee says aloud.
  if (!certificate) made.requireQuorum(q.SignerSet.from(made.size, listed.map(({ signer }) => signer)));
  return certificate.value;
}

const groups = (certificate) => ({
  kind: certificate.kind,
  view: String(certificate.view),
  groups: certificate.groups().map(({ value, signers: set }) => ({ value: String(value), signers: [...set] })),
});

const tree = (q) => new q.Merkle('quorate-v1-transaction', 'quorate-v1-batch-node');
const leaves = (q, items) => tree(q).leaves(items.map(bytes));

/** Reads all of the bytes and writes the value again. */
function reread(q, text, read, write) {
  const reader = new q.wire.Reader(bytes(text));
  const value = read(reader);
  reader.finish();
  const writer = new q.wire.Writer();
  write(writer, value);
  assert.equal(hex(writer.intoBytes()), text, 'decoded, but encodes to something else');
  return value;
}

function guard(q, input, suite) {
  const made = committee(q, input.committee);
  const owned = secret(q, suite, input.secret);
  const records = input.records.map((text) => decoded(text, (data) => q.GuardRecord.decode(data)));
  return [made, q.Guard.restore(owned, made.chain, records)];
}

const operations = {
  'wire.uint': (q, { bytes: text, width }) => {
    const method = `u${8 * width}`;
    return { value: String(reread(q, text, (r) => r[method](), (w, value) => w[method](value))) };
  },
  'wire.varint': (q, { bytes: text }) => ({
    value: String(reread(q, text, (r) => r.varint(), (w, value) => w.varint(value))),
  }),
  'wire.bytes': (q, { bytes: text, cap }) => ({
    value: hex(reread(q, text, (r) => r.bytes(cap), (w, value) => w.bytes(value))),
  }),
  'wire.list': (q, { bytes: text, cap }) => {
    const read = (r) => {
      const items = [];
      for (let left = r.count(cap); left > 0; left -= 1) items.push(r.u64());
      return items;
    };
    const write = (w, items) => {
      w.count(items.length);
      items.forEach((item) => w.u64(item));
    };
    return { value: reread(q, text, read, write).map(String) };
  },
  'wire.option': (q, { bytes: text }) => {
    const write = (w, value) => {
      w.option(value !== null);
      if (value !== null) w.u64(value);
    };
    const value = reread(q, text, (r) => (r.option() ? r.u64() : null), write);
    return { value: value === null ? null : String(value) };
  },
  'wire.hash': (q, { domain, bytes: text }) => {
    assert(q.wire.DOMAINS.includes(domain));
    return { hash: hex(q.wire.hash(domain, bytes(text))) };
  },
  'secret_key.decode': (q, { secret: text }, suite) => {
    const owned = secret(q, suite, text);
    assert.equal(hex(owned.toBytes()), text);
    return { public_key: hex(owned.publicKey().encode()) };
  },
  'public_key.decode': (q, { public_key: text }, suite) => ({ public_key: hex(key(q, suite, text).encode()) }),
  'signature.decode': (q, { signature: text }, suite) => ({ link: hex(signature(q, suite, text).encodeLink()) }),
  'signature.decode_link': (q, { link }, suite) => {
    const read = (data) => q.Signature.decodeLink(suite, data);
    return { signature: hex(decoded(link, read, (value) => value.encodeLink()).encode()) };
  },
  sign: (q, { secret: text, message }, suite) => ({
    signature: hex(secret(q, suite, text).sign(bytes(message)).encode()),
  }),
  verify: (q, { public_key: k, message, signature: s }, suite) =>
    key(q, suite, k).verify(bytes(message), signature(q, suite, s)),
  'possession.prove': (q, { secret: text }, suite) => ({
    possession: hex(secret(q, suite, text).provePossession().encode()),
  }),
  'possession.verify': (q, input, suite) => {
    const checked = verifiedKey(q, suite, input);
    checked.public.verifyPossession(signature(q, suite, input.possession));
  },
  'bls.aggregate': (q, { signatures }, suite) => ({
    signature: hex(q.bls.aggregate(signatures.map((text) => signature(q, suite, text))).encode()),
  }),
  'bls.fast_aggregate_verify': (q, { keys, message, signature: s }, suite) => {
    const checked = keys.map((one) => verifiedKey(q, suite, one));
    q.bls.fastAggregateVerify(checked, bytes(message), signature(q, suite, s));
  },
  'bls.aggregate_verify': (q, { keys, signature: s }, suite) => {
    const signed = keys.map((one) => [verifiedKey(q, suite, one), bytes(one.message)]);
    q.bls.aggregateVerify(signed, signature(q, suite, s));
  },
  'merkle.root': (q, { items }) => ({ root: hex(tree(q).root(leaves(q, items))) }),
  'merkle.path': (q, { items, index }) => ({ path: hex(tree(q).path(leaves(q, items), index).encode()) }),
  'merkle.verify': (q, { root, item, path: text }) => {
    const path = decoded(text, (data) => q.Path.decode(data));
    tree(q).verify(bytes(root), tree(q).leaf(bytes(item)), path);
    return { index: path.index, count: path.count };
  },
  'chain_id.from_name': (q, { name }) => ({ chain: String(q.ChainId.fromName(name)) }),
  'committee.new': (q, { chain, epoch, members }, suite) => {
    const proven = members.map((member) => [verifiedKey(q, suite, member), BigInt(member.weight)]);
    return figures(new q.Committee(q.ChainId.fromBytes(bytes(chain)), BigInt(epoch), proven));
  },
  'committee.from_attested': (q, { committee: definition }) => figures(committee(q, definition)),
  'committee.signers': (q, input) => {
    const made = committee(q, input.committee);
    const set = signers(made, input);
    return { signers: [...set], weight: String(made.weightOf(set)) };
  },
  'committee.verify_raw': (q, input) => {
    const made = committee(q, input.committee);
    const set = signers(made, input);
    return { weight: String(made.verifyRaw(bytes(input.message), set, bytes(input.proof))) };
  },
  'statement.encode': (q, input) => {
    const { id } = committee(q, input.committee);
    const made = statement(q, input.statement);
    assert(decoded(hex(made.encode()), (data) => q.Statement.decode(data)).equals(made));
    return { bytes: hex(made.encode()), signed_bytes: hex(made.signedBytes(id)), identity: hex(made.identity(id)) };
  },
  'vote.sign': (q, input, suite) => {
    const made = committee(q, input.committee);
    const signed = q.Vote.signUnguarded(secret(q, suite, input.secret), made, statement(q, input.statement));
    return { vote: hex(signed.encode()), link: hex(signed.encodeLink()) };
  },
  'vote.verify': (q, input, suite) => {
    const made = committee(q, input.committee);
    const { value, committee: id } = vote(q.Vote, suite, input).verify(made);
    assert(id.equals(made.id));
    return { statement: shown(value.statement), signer: value.signer };
  },
  'certificate.collect': (q, input, suite) => {
    const certificate = collect(q, q.Vote, q.VoteCollector, suite, input, (one) => one.statement);
    return {
      certificate: hex(certificate.encode()),
      detached: hex(certificate.encodeDetached()),
      signers: [...certificate.signers],
    };
  },
  'certificate.decode': (q, input) => {
    const made = committee(q, input.committee);
    const certificate = decoded(input.certificate, (data) => q.Certificate.decode(data, made));
    return { statement: shown(certificate.statement), signers: [...certificate.signers] };
  },
  'certificate.verify': (q, input) => {
    const made = committee(q, input.committee);
    const certificate = decoded(input.certificate, (data) => q.Certificate.decode(data, made));
    assert.equal(certificate.encodedLength, input.certificate.length / 2);
    const batches = [];
    if (q.Certificate.verifyBatch) {
      const twice = [certificate, certificate];
      batches.push(...q.Certificate.verifyBatch(made, twice), ...q.Certificate.verifyBatchDerived(made, twice));
    }
    const verdict = (() => {
      try {
        return certificate.verify(made);
      } catch (error) {
        return error;
      }
    })();
    for (const batched of batches) assert.equal(batched.code, verdict.code, 'a batch decides otherwise');
    if (verdict instanceof Error) throw verdict;
    return { statement: shown(verdict.value.statement), signers: [...verdict.value.signers] };
  },
  'certificate.verify_detached': (q, input) => {
    const made = committee(q, input.committee);
    const about = statement(q, input.statement);
    const read = (data) => q.Certificate.decodeDetached(data, about, made);
    const certificate = decoded(input.detached, read, (value) => value.encodeDetached());
    return { signers: [...certificate.verify(made).value.signers] };
  },
  'timeout_vote.sign': (q, input, suite) => {
    const made = committee(q, input.committee);
    const place = [input.kind, BigInt(input.view), BigInt(input.value)];
    const signed = q.TimeoutVote.signUnguarded(secret(q, suite, input.secret), made, ...place);
    const about = q.TimeoutVote.statementOf(input.kind, made.epoch, ...place.slice(1));
    assert(about.equals(signed.asVote().statement));
    return { vote: hex(signed.encode()), link: hex(signed.encodeLink()), signed_bytes: hex(about.signedBytes(made.id)) };
  },
  'timeout_vote.verify': (q, input, suite) => {
    const made = committee(q, input.committee);
    const { kind, view, value, signer } = vote(q.TimeoutVote, suite, input).verify(made).value;
    return { kind, view: String(view), value: String(value), signer };
  },
  'timeout_certificate.collect': (q, input, suite) => ({
    certificate: hex(collect(q, q.TimeoutVote, q.TimeoutCollector, suite, input, (one) => one).encode()),
  }),
  'timeout_certificate.decode': (q, input) => {
    const made = committee(q, input.committee);
    const certificate = decoded(input.certificate, (data) => q.TimeoutCertificate.decode(data, made));
    assert.equal(certificate.encodedLength, input.certificate.length / 2);
    return groups(certificate);
  },
  'timeout_certificate.verify': (q, input) => {
    const made = committee(q, input.committee);
    return groups(decoded(input.certificate, (data) => q.TimeoutCertificate.decode(data, made)).verify(made).value);
  },
  'guard.restore': (q, input, suite) => ({
    records: guard(q, input, suite)[1].records().map((record) => hex(record.encode())),
  }),
  'guard.sign': (q, input, suite) => {
    const [made, restored] = guard(q, input, suite);
    const signed = restored.sign(made, statement(q, input.statement));
    return { vote: hex(signed.vote.encode()), record: hex(signed.record.encode()) };
  },
  'equivocation.new': (q, input, suite) => {
    const made = committee(q, input.committee);
    const votes = input.votes.map((text) => decoded(text, (data) => q.Vote.decode(suite, data)));
    return { evidence: hex(new q.Equivocation(...votes).verify(made).value.encode()) };
  },
  'equivocation.verify': (q, input, suite) => {
    const made = committee(q, input.committee);
    const evidence = decoded(input.evidence, (data) => q.Equivocation.decode(suite, data));
    return { culprits: evidence.verify(made).value.culprits() };
  },
  'conflict.verify': (q, input) => {
    const made = committee(q, input.committee);
    const evidence = decoded(input.evidence, (data) => q.Conflict.decode(data, made)).verify(made).value;
    assert(made.weightOf(evidence.culprits()) >= made.honestWeight);
    return { culprits: [...evidence.culprits()] };
  },
};

/** The operations that a build without signing can run. */
export const VERIFYING = ['chain_id.from_name', 'committee.from_attested', 'committee.signers', 'committee.verify_raw'].concat(
  ['public_key.decode', 'statement.encode', 'certificate.decode', 'certificate.verify', 'certificate.verify_detached'],
);

/** As `runAll`, for the operations named. */
export function runOnly(quorate, names) {
  let cases = 0;
  for (const block of EXPECTED) {
    const { committees = {}, cases: listed } = JSON.parse(readFileSync(new URL(`${block}.json`, FOLDER), 'utf8'));
    for (const { name, operation, input, expect } of listed.filter((one) => names.includes(one.operation))) {
      const resolved = typeof input.committee === 'string' ? { ...input, committee: committees[input.committee] } : input;
      let outcome = 'ok';
      try {
        run(quorate, operation, resolved);
      } catch (error) {
        if (!(error instanceof quorate.QuorateError)) throw new Error(`${name}: ${error}`, { cause: error });
        outcome = error.code;
      }
      assert.equal(outcome, expect, name);
      cases += 1;
    }
  }
  return cases;
}
