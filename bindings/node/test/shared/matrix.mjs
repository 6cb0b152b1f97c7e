// The objects of a file of the matrix over languages, written and read.
import { bytes, hex } from './hex.mjs';

const [KIND, VIEW] = [1, 9n];

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
  };
}

export function readMatrix(q, file) {
  const { suite } = file;
  const same = (found, text) => {
    if (found !== text) throw new Error(`expected ${text}, got ${found}`);
  };
  const again = (value, text) => {
    same(hex(value.encode()), text);
    return value;
  };
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
}
