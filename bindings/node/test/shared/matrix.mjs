// Writes and reads the files of the cross-language matrix.
import { bytes, hex } from './hex.mjs';

const [KIND, VIEW] = [1, 9n];
const MEMBERS = [0, 1, 2, 3, 4, 5, 6];

const isCounted = (q, suite) => [q.Suite.MinSigCounted, q.Suite.MinPkCounted].includes(suite);

/** A sum that contains one signature twice, and a certificate that contains two of them twice. */
function writeGossip(q, votes, committee) {
  const { Aggregate } = q.gossip;
  const sum = (members) =>
    members.map((at) => Aggregate.fromVote(votes[at].verify(committee), committee)).reduce((one, two) => one.merge(two));
  return {
    aggregate: hex(sum([1, 2, 2, 4]).value.encode()),
    certificate: hex(sum([3, 4, 5, 6, 3, 4]).certificate(committee).value.encode()),
  };
}

/** The expected number of winners is the number of members, so all win. */
function writeSortition(q, secrets, committee, chain) {
  const { Lottery, Seed, SeedProof } = q.sortition;
  const seed = Seed.genesis(chain, new TextEncoder().encode('matrix'));
  const ticket = new Lottery(committee, seed, VIEW).draw(secrets[5]);
  const proof = SeedProof.sign(secrets[2], committee, seed);
  return {
    seed: hex(seed.encode()),
    ticket: hex(ticket.value.encode()),
    score: String(ticket.score),
    seed_proof: hex(proof.encode()),
    next_seed: hex(seed.next(proof, committee).encode()),
  };
}

export function writeMatrix(q, suite) {
  const secrets = Array.from({ length: 7 }, () => q.SecretKey.generate(suite));
  const keys = secrets.map((secret) => q.UnverifiedKey.prove(secret));
  const chain = q.ChainId.fromName('matrix');
  const committee = new q.Committee(chain, 3n, keys.map((key, at) => [key.verify(), BigInt(at + 1)]));
  const statement = committee.statement(KIND, VIEW, new Uint8Array(32).fill(7));
  const votes = secrets.map((secret) => q.Vote.signUnguarded(secret, committee, statement));
  const timeouts = secrets.map((secret, at) =>
    q.TimeoutVote.signUnguarded(secret, committee, KIND, VIEW, BigInt(at + 4) / 2n),
  );
  const collect = (collector, list) => {
    const suspects = new q.Suspects();
    return list.map((vote) => collector.add(vote, suspects).certificate).find(Boolean).value;
  };
  const other = q.Vote.signUnguarded(secrets[2], committee, committee.statement(KIND, VIEW, new Uint8Array(32).fill(8)));
  const guard = new q.Guard(q.SecretKey.fromBytes(suite, secrets[0].toBytes()), chain);
  const [leaf_domain, node_domain] = ['quorate-matrix-leaf', 'quorate-matrix-node'];
  const tree = new q.Merkle(leaf_domain, node_domain);
  const items = Array.from({ length: 5 }, (_, at) => new TextEncoder().encode(`item ${at}`));
  const leaves = tree.leaves(items);
  const encoded = (value) => hex(value.encode());
  const counted = isCounted(q, suite) ? { gossip: writeGossip(q, votes, committee) } : {};
  const drawn = suite === q.Suite.Ed25519 ? {} : { sortition: writeSortition(q, secrets, committee, chain) };
  return {
    suite,
    chain: 'matrix',
    epoch: '3',
    members: keys.map((key, at) => ({ key: encoded(key), weight: String(at + 1) })),
    committee_id: String(committee.id),
    statement: encoded(statement),
    votes: votes.map(encoded),
    link_votes: votes.map((vote) => hex(vote.encodeLink())),
    certificate: encoded(collect(new q.VoteCollector(committee, KIND, VIEW), votes)),
    timeout_votes: timeouts.map(encoded),
    timeout_certificate: encoded(collect(new q.TimeoutCollector(committee, KIND, VIEW), timeouts)),
    equivocation: encoded(new q.Equivocation(votes[2], other)),
    guard_record: encoded(guard.sign(committee, statement).record),
    merkle: {
      leaf_domain,
      node_domain,
      items: items.map(hex),
      root: hex(tree.root(leaves)),
      path: encoded(tree.path(leaves, 4)),
    },
    ...counted,
    ...drawn,
  };
}

function same(found, text) {
  if (found !== text) throw new Error(`expected ${text}, got ${found}`);
}

function again(value, text) {
  same(hex(value.encode()), text);
  return value;
}

export function readMatrix(q, file) {
  const { suite } = file;
  const members = file.members.map(({ key, weight }) => [q.UnverifiedKey.decode(suite, bytes(key)).verify(), BigInt(weight)]);
  const committee = new q.Committee(q.ChainId.fromName(file.chain), BigInt(file.epoch), members);
  same(String(committee.id), file.committee_id);
  const statement = again(q.Statement.decode(bytes(file.statement)), file.statement);
  file.votes.forEach((text, signer) => {
    const vote = again(q.Vote.decode(suite, bytes(text)), text);
    same(vote.signer, signer);
    same(hex(vote.encodeLink()), file.link_votes[signer]);
    same(q.Vote.decodeLink(suite, bytes(file.link_votes[signer])).equals(vote), true);
    same(vote.verify(committee).value.statement.equals(statement), true);
  });
  const certificate = again(q.Certificate.decode(bytes(file.certificate), committee), file.certificate);
  same(certificate.verify(committee).value.statement.equals(statement), true);
  for (const text of file.timeout_votes) again(q.TimeoutVote.decode(suite, bytes(text)), text).verify(committee);
  const timeout = q.TimeoutCertificate.decode(bytes(file.timeout_certificate), committee);
  again(timeout, file.timeout_certificate).verify(committee);
  again(q.Equivocation.decode(suite, bytes(file.equivocation)), file.equivocation).verify(committee);
  again(q.GuardRecord.decode(bytes(file.guard_record)), file.guard_record);
  const tree = new q.Merkle(file.merkle.leaf_domain, file.merkle.node_domain);
  const items = file.merkle.items.map(bytes);
  const root = tree.root(tree.leaves(items));
  same(hex(root), file.merkle.root);
  const path = again(q.Path.decode(bytes(file.merkle.path)), file.merkle.path);
  tree.verify(root, tree.leaf(items[path.index]), path);
  if (isCounted(q, suite)) readGossip(q, file.gossip, statement, committee);
  if (suite !== q.Suite.Ed25519) readSortition(q, file.sortition, committee);
}

function readGossip(q, file, statement, committee) {
  const { Aggregate } = q.gossip;
  const is = (aggregate, counts) => {
    same(aggregate.statement.equals(statement), true);
    same(String(MEMBERS.map((member) => aggregate.count(member))), String(counts));
  };
  const aggregate = again(Aggregate.decode(bytes(file.aggregate), committee), file.aggregate);
  is(aggregate.verify(committee).value, [0, 1, 2, 0, 1, 0, 0]);
  const certificate = again(q.Certificate.decode(bytes(file.certificate), committee), file.certificate);
  is(Aggregate.fromCertificate(certificate.verify(committee)).value, [0, 0, 0, 2, 2, 1, 1]);
}

function readSortition(q, file, committee) {
  const { Lottery, Seed, SeedProof, Ticket } = q.sortition;
  const seed = again(Seed.decode(bytes(file.seed)), file.seed);
  const ticket = again(Ticket.decode(committee.suite, bytes(file.ticket)), file.ticket);
  same(`${ticket.round} ${ticket.member}`, `${VIEW} 5`);
  same(String(ticket.verify(new Lottery(committee, seed, VIEW)).score), file.score);
  const proof = again(SeedProof.decode(committee.suite, bytes(file.seed_proof)), file.seed_proof);
  same(proof.signer, 2);
  same(hex(seed.next(proof, committee).encode()), file.next_seed);
}
