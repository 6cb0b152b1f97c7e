// One corner of the matrix test over languages: `node test/matrix.mjs write|read DIR`.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as q from 'quorate-wasm';

const bytes = (text) => Uint8Array.from(Buffer.from(text, 'hex'));
const hex = (data) => Buffer.from(data).toString('hex');
const [KIND, VIEW, EPOCH] = [1, 9n, 3n];

function write(suite, folder) {
  const secrets = Array.from({ length: 7 }, () => q.SecretKey.generate(suite));
  const keys = secrets.map((secret) => q.UnverifiedKey.prove(secret));
  const chain = q.ChainId.fromName('matrix');
  const committee = new q.Committee(chain, EPOCH, keys.map((key, i) => [key.verify(), BigInt(i + 1)]));
  const statement = committee.statement(KIND, VIEW, new Uint8Array(32).fill(7));
  const votes = secrets.map((secret) => q.Vote.signUnguarded(secret, committee, statement));
  const timeout = (secret, i) => q.TimeoutVote.signUnguarded(secret, committee, KIND, VIEW, BigInt((i + 4) >> 1));
  const timeouts = secrets.map(timeout);
  const suspects = new q.Suspects();
  const collected = (collector, all) => all.map((vote) => collector.add(vote, suspects).certificate).find(Boolean).value;
  const other = committee.statement(KIND, VIEW, new Uint8Array(32).fill(8));
  const equivocation = new q.Equivocation(votes[2], q.Vote.signUnguarded(secrets[2], committee, other));
  const guard = new q.Guard(q.SecretKey.fromBytes(suite, secrets[0].toBytes()), chain);
  const merkle = new q.Merkle('quorate-matrix-leaf', 'quorate-matrix-node');
  const items = Array.from({ length: 5 }, (_, i) => new TextEncoder().encode(`item ${i}`));
  const leaves = merkle.leaves(items);
  const file = {
    suite,
    chain: 'matrix',
    epoch: String(EPOCH),
    members: keys.map((key, i) => ({ key: hex(key.encode()), weight: String(i + 1) })),
    committee_id: String(committee.id),
    statement: hex(statement.encode()),
    votes: votes.map((vote) => hex(vote.encode())),
    link_votes: votes.map((vote) => hex(vote.encodeLink())),
    certificate: hex(collected(new q.VoteCollector(committee, KIND, VIEW), votes).encode()),
    timeout_votes: timeouts.map((vote) => hex(vote.encode())),
    timeout_certificate: hex(collected(new q.TimeoutCollector(committee, KIND, VIEW), timeouts).encode()),
    equivocation: hex(equivocation.encode()),
    guard_record: hex(guard.sign(committee, statement).record.encode()),
    merkle: {
      leaf_domain: merkle.leafDomain,
      node_domain: merkle.nodeDomain,
      items: items.map(hex),
      root: hex(merkle.root(leaves)),
      path: hex(merkle.path(leaves, 4).encode()),
    },
  };
  writeFileSync(join(folder, `wasm-${suite}.json`), `${JSON.stringify(file, null, 2)}\n`);
}

/** What decodes encodes to the same bytes again. */
function decoded(text, decode) {
  const value = decode(bytes(text));
  assert.equal(hex(value.encode()), text);
  return value;
}

function read(path) {
  const file = JSON.parse(readFileSync(path, 'utf8'));
  const { suite } = file;
  const members = file.members.map(({ key, weight }) => [
    decoded(key, (data) => q.UnverifiedKey.decode(suite, data)).verify(),
    BigInt(weight),
  ]);
  const committee = new q.Committee(q.ChainId.fromName(file.chain), BigInt(file.epoch), members);
  assert.equal(String(committee.id), file.committee_id);
  const statement = decoded(file.statement, (data) => q.Statement.decode(data));
  file.votes.forEach((text, signer) => {
    const vote = decoded(text, (data) => q.Vote.decode(suite, data));
    assert.equal(vote.signer, signer);
    assert(vote.statement.equals(statement));
    assert.equal(hex(vote.encodeLink()), file.link_votes[signer]);
    assert(q.Vote.decodeLink(suite, bytes(file.link_votes[signer])).equals(vote));
    vote.verify(committee);
  });
  const certificate = decoded(file.certificate, (data) => q.Certificate.decode(data, committee));
  assert(certificate.verify(committee).value.statement.equals(statement));
  for (const text of file.timeout_votes) decoded(text, (data) => q.TimeoutVote.decode(suite, data)).verify(committee);
  decoded(file.timeout_certificate, (data) => q.TimeoutCertificate.decode(data, committee)).verify(committee);
  decoded(file.equivocation, (data) => q.Equivocation.decode(suite, data)).verify(committee);
  decoded(file.guard_record, (data) => q.GuardRecord.decode(data));
  const { leaf_domain: leaf, node_domain: node, items, root, path: encoded } = file.merkle;
  const merkle = new q.Merkle(leaf, node);
  const leaves = merkle.leaves(items.map(bytes));
  assert.equal(hex(merkle.root(leaves)), root);
  const place = decoded(encoded, (data) => q.Path.decode(data));
  merkle.verify(bytes(root), leaves[place.index], place);
}

const [command, folder] = process.argv.slice(2);
if (command === 'write') Object.values(q.Suite).forEach((suite) => write(suite, folder));
else if (command === 'read') {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  files.forEach((file) => read(join(folder, file)));
  console.log(`${files.length} files read`);
} else throw new Error('usage: node test/matrix.mjs write|read DIR');
