// Runs the cases of spec/vectors through the public API of a package with the interface of index.d.ts. The schema is in
// spec/vectors/README.md; the order of steps is that of core/tests/operations.
import { dsigOperations } from './dsig-vectors.mjs';
import { erasureOperations } from './erasure-vectors.mjs';
import { sessionOperations } from './gossip-sessions.mjs';
import { gossipOperations } from './gossip-vectors.mjs';
import { bytes, hex } from './hex.mjs';
import { otherChainOperations } from './other-chain-vectors.mjs';
import { isUnbound, thresholdOperations } from './threshold-vectors.mjs';

/**
 * Every file that is run. Those of Jolteon and Gosig belong to the example protocols, those of Jerasure to builds that
 * support it.
 */
export const FILES = ['wire', 'bls', 'ed25519', 'merkle', 'committee', 'vote', 'certificate', 'timeout', 'evidence', 'guard', 'dsig'].concat(['tdh2', 'coin', 'threshold', 'erasure', 'aggregate', 'gossip', 'sortition']);
/** The remaining files. */
export const OTHERS = ['jerasure', 'jolteon', 'gosig'];

/**
 * Runs one parsed file and returns the number of its cases; throws an error that lists the failures. With `only`, a
 * list of operations, it runs only their cases: for a package with a part of the interface.
 */
export function runFile(q, name, file, only) {
  const run = operations(q, only);
  const failures = [];
  // A part of the interface has no ciphersuites.
  const isPart = ({ operation, input }) => only.includes(operation) && !('ciphersuite' in input);
  const cases = file.cases.filter((one) => (only ? isPart(one) : !isUnbound(one)));
  for (const { name: title, operation, input, expect, output } of cases) {
    const committee = typeof input.committee === 'string' ? file.committees[input.committee] : input.committee;
    let found = 'ok';
    let result;
    try {
      result = run(operation, { ...input, committee }, output);
    } catch (error) {
      if (!(error instanceof q.QuorateError)) throw new Error(`${name}: ${title} (${operation})`, { cause: error });
      found = error.code;
    }
    const [got, wanted] = [JSON.stringify(sorted(result ?? null)), JSON.stringify(sorted(output ?? null))];
    if (found !== expect || got !== wanted) failures.push(`${title}: expected ${expect} ${wanted}, got ${found} ${got}`);
  }
  if (file.cases.length <= 20) failures.push('the file has lost its cases');
  if (failures.length > 0) throw new Error(`${name}: ${failures.length} of ${cases.length}\n${failures.join('\n')}`);
  return cases.length;
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function check(holds, what) {
  if (!holds) throw new Error(what);
}

/** Decoded values must encode to the same bytes. */
function same(value, data, encode = (decoded) => decoded.encode()) {
  check(hex(encode(value)) === hex(data), 'decoded, but encodes to something else');
  return value;
}

/** Below the quorum no certificate is returned; the vectors use the error's name for that. */
class NoCertificate {}

function operations(q, only) {
  const names = new Map(Object.entries(q.SUITE_NUMBERS).map(([name, number]) => [number, name]));
  const link = (value) => value.encodeLink();

  function decoded(Class, suite, text) {
    const data = bytes(text);
    return same(Class.decode(suite, data), data);
  }

  const verifiedKey = (suite, { public_key, possession }) =>
    decoded(q.UnverifiedKey, suite, public_key + possession).verify();

  function committeeOf(definition) {
    const suite = names.get(definition.suite);
    const members = definition.members.flatMap(({ public_key, weight, times = 1 }) => {
      const key = q.PublicKey.decode(suite, bytes(public_key));
      return Array.from({ length: times }, () => [key, BigInt(weight)]);
    });
    const chain = q.ChainId.fromBytes(bytes(definition.chain));
    return q.Committee.fromAttested(chain, BigInt(definition.epoch), members, { allowRepeats: definition.repeats === true });
  }

  const statementOf = ({ kind, epoch, view, digest }) =>
    new q.Statement({ kind, epoch: BigInt(epoch), view: BigInt(view), digest: bytes(digest) });

  const shownStatement = ({ kind, epoch, view, digest }) => ({
    kind,
    epoch: String(epoch),
    view: String(view),
    digest: hex(digest),
  });

  const figures = ({ id, totalWeight, quorumWeight, honestWeight }) => ({
    id: String(id),
    total_weight: String(totalWeight),
    quorum_weight: String(quorumWeight),
    honest_weight: String(honestWeight),
  });

  function voteOf(Class, suite, input) {
    if (input.link === undefined) return decoded(Class, suite, input.vote);
    const data = bytes(input.link);
    return same(Class.decodeLink(suite, data), data, link);
  }

  function collect(collector, votes) {
    let certificate;
    for (const vote of votes) {
      const collected = collector.add(vote, new q.Suspects());
      check(collected.faults.length === 0, 'a good vote was found at fault');
      certificate ??= collected.certificate;
    }
    if (certificate === undefined) throw new NoCertificate();
    return certificate.value;
  }

  function committeeCertificate(Class, committee, text) {
    const data = bytes(text);
    const certificate = same(Class.decode(data, committee), data);
    check(certificate.encodedLength === data.length, 'encodedLength differs');
    return certificate;
  }

  const shownCertificate = ({ statement, signers }) => ({ statement: shownStatement(statement), signers: [...signers] });

  const shownTimeout = (certificate) => ({
    kind: certificate.kind,
    view: String(certificate.view),
    groups: certificate.groups().map(({ value, signers }) => ({ value: String(value), signers: [...signers] })),
  });

  function guardOf(suite, committee, { secret, records }) {
    const key = q.SecretKey.fromBytes(suite, bytes(secret));
    const read = records.map((text) => same(q.GuardRecord.decode(bytes(text)), bytes(text)));
    return q.Guard.restore(key, committee.chain, read);
  }

  const TREE = ['quorate-v1-transaction', 'quorate-v1-batch-node'];
  const leaves = ({ items }) => new q.Merkle(...TREE).leaves(items.map(bytes));

  function wireValue(input, read, write) {
    const data = bytes(input.bytes);
    const reader = new q.wire.Reader(data);
    const value = read(reader);
    reader.finish();
    const writer = new q.wire.Writer();
    write(writer, value);
    check(hex(writer.intoBytes()) === input.bytes, 'decoded, but encodes to something else');
    return value;
  }

  const table = {
    ...otherChainOperations(q, committeeOf, decoded, same),
    'wire.uint': (input) => {
      const name = { 1: 'u8', 2: 'u16', 4: 'u32', 8: 'u64', 16: 'u128' }[input.width];
      return { value: String(wireValue(input, (r) => r[name](), (w, value) => w[name](value))) };
    },
    'wire.varint': (input) => ({ value: String(wireValue(input, (r) => r.varint(), (w, value) => w.varint(value))) }),
    'wire.bytes': (input) => ({ value: hex(wireValue(input, (r) => r.bytes(input.cap), (w, value) => w.bytes(value))) }),
    'wire.list': (input) => {
      const read = (r) => {
        const list = [];
        for (let left = r.count(input.cap); left > 0; left--) list.push(r.u64());
        return list;
      };
      const write = (w, list) => {
        w.count(list.length);
        list.forEach((item) => w.u64(item));
      };
      return { value: wireValue(input, read, write).map(String) };
    },
    'wire.option': (input) => {
      const write = (w, value) => {
        w.option(value !== null);
        if (value !== null) w.u64(value);
      };
      const value = wireValue(input, (r) => (r.option() ? r.u64() : null), write);
      return { value: value === null ? null : String(value) };
    },
    'wire.hash': (input) => {
      check(q.wire.DOMAINS.includes(input.domain), 'no such domain string');
      return { hash: hex(q.wire.hash(input.domain, bytes(input.bytes))) };
    },
    'secret_key.decode': (input, suite) => {
      const secret = q.SecretKey.fromBytes(suite, bytes(input.secret));
      check(hex(secret.toBytes()) === input.secret, 'another secret comes out');
      return { public_key: String(secret.publicKey()) };
    },
    'public_key.decode': (input, suite) => ({ public_key: String(decoded(q.PublicKey, suite, input.public_key)) }),
    'signature.decode': (input, suite) => ({ link: hex(link(decoded(q.Signature, suite, input.signature))) }),
    'signature.decode_link': (input, suite) => {
      const data = bytes(input.link);
      return { signature: String(same(q.Signature.decodeLink(suite, data), data, link)) };
    },
    sign: (input, suite) => ({
      signature: String(q.SecretKey.fromBytes(suite, bytes(input.secret)).sign(bytes(input.message))),
    }),
    verify: (input, suite) => {
      const key = decoded(q.PublicKey, suite, input.public_key);
      key.verify(bytes(input.message), decoded(q.Signature, suite, input.signature));
    },
    'possession.prove': (input, suite) => ({
      possession: String(q.SecretKey.fromBytes(suite, bytes(input.secret)).provePossession()),
    }),
    'possession.verify': (input, suite) => void verifiedKey(suite, input),
    'bls.aggregate': (input, suite) => ({
      signature: String(q.bls.aggregate(input.signatures.map((text) => decoded(q.Signature, suite, text)))),
    }),
    'bls.fast_aggregate_verify': (input, suite) => {
      const keys = input.keys.map((key) => verifiedKey(suite, key));
      q.bls.fastAggregateVerify(keys, bytes(input.message), decoded(q.Signature, suite, input.signature));
    },
    'bls.aggregate_verify': (input, suite) => {
      const signed = input.keys.map((key) => [verifiedKey(suite, key), bytes(key.message)]);
      q.bls.aggregateVerify(signed, decoded(q.Signature, suite, input.signature));
    },
    'merkle.root': (input) => ({ root: hex(new q.Merkle(...TREE).root(leaves(input))) }),
    'merkle.path': (input) => ({ path: hex(new q.Merkle(...TREE).path(leaves(input), input.index).encode()) }),
    'merkle.verify': (input) => {
      const path = same(q.Path.decode(bytes(input.path)), bytes(input.path));
      const tree = new q.Merkle(...TREE);
      tree.verify(bytes(input.root), tree.leaf(bytes(input.item)), path);
      return { index: path.index, count: path.count };
    },
    'chain_id.from_name': (input) => ({ chain: String(q.ChainId.fromName(input.name)) }),
    'committee.new': (input, suite) => {
      const members = input.members.map((member) => [verifiedKey(suite, member), BigInt(member.weight)]);
      return figures(new q.Committee(q.ChainId.fromBytes(bytes(input.chain)), BigInt(input.epoch), members));
    },
    'committee.from_attested': (input) => figures(committeeOf(input.committee)),
    'statement.encode': (input) => {
      const { id } = committeeOf(input.committee);
      const statement = statementOf(input.statement);
      check(q.Statement.decode(statement.encode()).equals(statement), 'the statement does not decode again');
      return {
        bytes: hex(statement.encode()),
        signed_bytes: hex(statement.signedBytes(id)),
        identity: hex(statement.identity(id)),
      };
    },
    'vote.sign': (input, suite) => {
      const committee = committeeOf(input.committee);
      const secret = q.SecretKey.fromBytes(suite, bytes(input.secret));
      const vote = q.Vote.signUnguarded(secret, committee, statementOf(input.statement));
      return { vote: hex(vote.encode()), link: hex(vote.encodeLink()) };
    },
    'vote.verify': (input, suite) => {
      const committee = committeeOf(input.committee);
      const { value, committee: id } = voteOf(q.Vote, suite, input).verify(committee);
      check(id.equals(committee.id), 'verified against another committee');
      return { statement: shownStatement(value.statement), signer: value.signer };
    },
    'certificate.collect': (input, suite) => {
      const committee = committeeOf(input.committee);
      const votes = input.votes.map((text) => decoded(q.Vote, suite, text));
      const { kind, view } = votes[0].statement;
      const certificate = collect(new q.VoteCollector(committee, kind, view), votes);
      return {
        certificate: hex(certificate.encode()),
        detached: hex(certificate.encodeDetached()),
        signers: [...certificate.signers],
      };
    },
    'certificate.decode': (input) =>
      shownCertificate(committeeCertificate(q.Certificate, committeeOf(input.committee), input.certificate)),
    'certificate.verify': (input) => {
      const committee = committeeOf(input.committee);
      const certificate = committeeCertificate(q.Certificate, committee, input.certificate);
      const code = (result) => (result instanceof q.QuorateError ? result.code : 'ok');
      const twice = [certificate, certificate];
      // A package that only verifies certificates may lack batches.
      const ways = ['verifyBatch', 'verifyBatchDerived'].filter((way) => !only || way in q.Certificate);
      const batches = ways.flatMap((way) => q.Certificate[way](committee, twice)).map(code);
      let single = 'ok';
      try {
        return shownCertificate(certificate.verify(committee).value);
      } catch (error) {
        single = error.code;
        throw error;
      } finally {
        check(batches.length === 2 * ways.length && batches.every((one) => one === single), 'a batch decides otherwise');
      }
    },
    'certificate.verify_detached': (input) => {
      const committee = committeeOf(input.committee);
      const data = bytes(input.detached);
      const certificate = q.Certificate.decodeDetached(data, statementOf(input.statement), committee);
      same(certificate, data, (value) => value.encodeDetached());
      return { signers: [...certificate.verify(committee).value.signers] };
    },
    'timeout_vote.sign': (input, suite) => {
      const committee = committeeOf(input.committee);
      const secret = q.SecretKey.fromBytes(suite, bytes(input.secret));
      const vote = q.TimeoutVote.signUnguarded(secret, committee, input.kind, BigInt(input.view), BigInt(input.value));
      return {
        vote: hex(vote.encode()),
        link: hex(vote.encodeLink()),
        signed_bytes: hex(vote.asVote().statement.signedBytes(committee.id)),
      };
    },
    'timeout_vote.verify': (input, suite) => {
      const committee = committeeOf(input.committee);
      const { kind, view, value, signer } = voteOf(q.TimeoutVote, suite, input).verify(committee).value;
      return { kind, view: String(view), value: String(value), signer };
    },
    'timeout_certificate.collect': (input, suite) => {
      const committee = committeeOf(input.committee);
      const votes = input.votes.map((text) => decoded(q.TimeoutVote, suite, text));
      const collector = new q.TimeoutCollector(committee, votes[0].kind, votes[0].view);
      return { certificate: hex(collect(collector, votes).encode()) };
    },
    'timeout_certificate.decode': (input) =>
      shownTimeout(committeeCertificate(q.TimeoutCertificate, committeeOf(input.committee), input.certificate)),
    'timeout_certificate.verify': (input) => {
      const committee = committeeOf(input.committee);
      return shownTimeout(
        committeeCertificate(q.TimeoutCertificate, committee, input.certificate).verify(committee).value,
      );
    },
    'equivocation.new': (input, suite) => {
      const committee = committeeOf(input.committee);
      const [first, second] = input.votes.map((text) => decoded(q.Vote, suite, text));
      return { evidence: hex(new q.Equivocation(first, second).verify(committee).value.encode()) };
    },
    'equivocation.verify': (input, suite) => {
      const committee = committeeOf(input.committee);
      return { culprits: decoded(q.Equivocation, suite, input.evidence).verify(committee).value.culprits() };
    },
    'conflict.verify': (input) => {
      const committee = committeeOf(input.committee);
      const data = bytes(input.evidence);
      const culprits = same(q.Conflict.decode(data, committee), data).verify(committee).value.culprits();
      check(committee.weightOf(culprits) >= committee.honestWeight, 'too few culprits');
      return { culprits: [...culprits] };
    },
    'guard.restore': (input, suite) => ({
      records: guardOf(suite, committeeOf(input.committee), input).records().map((record) => hex(record.encode())),
    }),
    'guard.sign': (input, suite) => {
      const committee = committeeOf(input.committee);
      const { vote, record } = guardOf(suite, committee, input).sign(committee, statementOf(input.statement));
      return { vote: hex(vote.encode()), record: hex(record.encode()) };
    },
  };

  const dsig = only ? {} : dsigOperations(q, check);
  const late = only
    ? {}
    : {
        ...thresholdOperations(q, check, () => belowQuorum(q)),
        ...erasureOperations(q, check),
        ...gossipOperations(q, check, committeeOf, shownStatement),
        ...sessionOperations(q, check, committeeOf, statementOf),
      };
  return (operation, input, output) => {
    if (operation in dsig) return dsig[operation](input, q.dsig.SUITES[input.suite - 1], output);
    const run = table[operation] ?? late[operation];
    if (run === undefined) throw new Error(`no operation ${operation}`);
    try {
      return run(input, names.get(input.suite ?? input.committee?.suite), output);
    } catch (error) {
      if (error instanceof NoCertificate) throw belowQuorum(q);
      throw error;
    }
  };
}

/** An error of that class, created by the package. */
function belowQuorum(q) {
  const secret = q.SecretKey.generate('ed25519');
  const committee = new q.Committee(q.ChainId.fromName('x'), 0n, [[q.VerifiedKey.fromSecret(secret), 1n]]);
  try {
    committee.requireQuorum(new q.SignerSet(1));
  } catch (error) {
    return error;
  }
  throw new Error('the empty set cannot be a quorum');
}
