// Objects of the modules for the tests: four members, with a threshold of two.
import { pair } from './dsig.mjs';
import { world } from './world.mjs';

export const utf8 = (text) => new TextEncoder().encode(text);
export const MESSAGE = utf8('pay 5 to Bob');

export function encryption(q) {
  const { tdh2, Threshold } = q.threshold;
  const committee = q.CommitteeId.fromBytes(new Uint8Array(32).fill(7));
  const { keys, shares } = tdh2.PublicKeys.deal(committee, new Threshold(2, 4));
  const key = tdh2.EncryptionKey.fromPublicKeys(keys);
  const ciphertext = key.encrypt(12n, 3, MESSAGE);
  const valid = ciphertext.check(key, 12n, 3);
  const made = shares.map((share) => share.decryptionShare(valid));
  return { committee, keys, shares, key, ciphertext, valid, made, verified: keys.verifyShares(valid, made).verified };
}

export const NAME = { protocol: 1, epoch: 12n, instance: 3n, round: 0n };

export function tossing(q) {
  const { coin, Threshold } = q.threshold;
  const committee = q.CommitteeId.fromBytes(new Uint8Array(32).fill(7));
  const { keys, shares } = coin.PublicKeys.deal(committee, new Threshold(2, 4));
  const of = coin.Coin.fromName(keys, NAME);
  const made = shares.map((share) => share.coinShare(of));
  return { committee, keys, shares, of, made, verified: keys.verifyShares(of, made).verified };
}

export const guard = (q, secret = q.SecretKey.generate('ed25519')) => new q.Guard(secret, q.ChainId.fromName('threshold'));

/** Four parties' presignatures, and their shares made with the first one. */
export function signing(q, group = 'secp256k1', make = 'forUnagreed') {
  const { ecdsa, Tolerance } = q.threshold;
  const committee = q.CommitteeId.fromBytes(new Uint8Array(32).fill(7));
  const dealer = new ecdsa.TrustedDealer(group, committee, new Tolerance(4, 1));
  const plan = ecdsa.Plan[make](3);
  const tag = plan[make === 'forAgreed' ? 'agreed' : 'unagreed'](1n, 0);
  const parties = dealer.deal(1n, plan);
  const guards = parties.map(() => guard(q));
  const signed = parties.map((party, at) => party.take(tag).sign(guards[at], MESSAGE));
  return { dealer, plan, tag, parties, guards, signed, key: dealer.key, of: parties[0].signing(tag, MESSAGE) };
}

/** A member's share under another member's index: a wrong share. */
export function renamed(share, member) {
  const context = share.group ?? share.suite;
  const data = share.encode();
  data.set([member & 255, member >> 8], context ? 1 : 0);
  return context ? share.constructor.decode(context, data) : share.constructor.decode(data);
}

/** A member's wrong share, and the evidence against it. */
export function blamed(q) {
  const { of, signed, key, parties } = signing(q);
  const combiner = new q.threshold.ecdsa.Combiner(of);
  const shares = [renamed(signed[1].share, 0), signed[1].share, signed[2].share];
  const outcomes = shares.map((share) => combiner.add(share.member, share));
  const { faults } = combiner.open(0, signed[0].opener.open());
  return { combiner, outcomes, faults, signed, key, deal: parties[0].deal };
}

export function sharedBls(q, suite = 'bls-min-sig') {
  const { bls, Tolerance } = q.threshold;
  const committee = q.CommitteeId.fromBytes(new Uint8Array(32).fill(7));
  const shares = bls.deal(suite, committee, new Tolerance(4, 1), 'agreed');
  const made = shares.map((share) => share.sign(MESSAGE));
  const { key } = shares[0];
  const combiner = new bls.Combiner(key, MESSAGE);
  combiner.add(0, renamed(made[1], 0));
  const { faults } = combiner.add(1, made[1]);
  return { shares, made, key, combiner, faults };
}

export function dispersing(q, suite = undefined) {
  const { Coder, Coding, Shape } = q.erasure;
  const coding = new Coding(Shape.forCommittee(7, 2), 1 << 20, suite);
  const coder = new Coder(coding);
  const sent = coder.disperse(MESSAGE);
  return { coding, coder, sent, shards: sent.shards() };
}

/** A sum of two votes, and a won ticket. */
export function spreading(q) {
  const { committee, secrets, statement, votes } = world(q, q.Suite.MinSigCounted);
  const [one, two] = votes.map((vote) => q.gossip.Aggregate.fromVote(vote.verify(committee), committee));
  const seed = q.sortition.Seed.genesis(committee.chain, MESSAGE);
  const lottery = new q.sortition.Lottery(committee, seed, 3n);
  return { committee, secrets, statement, sum: one.merge(two), seed, lottery, ticket: lottery.draw(secrets[0]) };
}

/** One object of every class of each module, by the module's name. */
export function oneOfEachModule(q) {
  const { signer, verifier } = pair(q);
  const g = spreading(q);
  const { tdh2, coin, seal, Threshold, Tolerance, Cache } = q.threshold;
  const [e, t, s, b, d] = [encryption(q), tossing(q), signing(q), sharedBls(q), dispersing(q)];
  const wrong = blamed(q).faults[0].evidence;
  const sealing = seal.SealingKey.generate();
  const { Packets, Suite, Row, Table } = q.erasure;
  const table = new Table();
  const row = new Row(d.coding.shape, 1000, Suite.Gf8, 5n);
  table.insert(row);
  const single = s.parties[0].take(s.plan.unagreed(1n, 1));
  return {
    dsig: { Signer: signer, Verifier: verifier, Auditor: new q.dsig.Auditor() },
    gossip: {
      Aggregate: g.sum.value,
      VerifiedAggregate: g.sum,
      Pool: new q.gossip.Pool(g.committee, 0, g.statement),
      Peers: new q.gossip.Peers(0, 4),
      Gossip: new q.gossip.Gossip(g.committee, 0, g.statement),
    },
    sortition: {
      Seed: g.seed,
      SeedProof: q.sortition.SeedProof.sign(g.secrets[0], g.committee, g.seed),
      Lottery: g.lottery,
      Ticket: g.ticket.value,
      VerifiedTicket: g.ticket,
      Score: g.ticket.score,
    },
    threshold: { Threshold: new Threshold(2, 4), Tolerance: new Tolerance(4, 1), Cache: new Cache() },
    'threshold/tdh2': {
      PublicKeys: e.keys,
      KeyShare: e.shares[0],
      DecryptionShare: e.made[0],
      VerifiedShare: e.verified[0],
      WrongShare: evidence(tdh2, e.valid, e.made[0]),
      EncryptionKey: e.key,
      Ciphertext: e.ciphertext,
      ValidCiphertext: e.valid,
      Decryption: new tdh2.Decryption(e.keys, e.valid),
    },
    'threshold/coin': {
      PublicKeys: t.keys,
      KeyShare: t.shares[0],
      CoinShare: t.made[0],
      VerifiedShare: t.verified[0],
      WrongShare: evidence(coin, t.of, t.made[0]),
      Coin: t.of,
      CoinValue: t.of.combine(t.keys, t.verified),
      CoinCombiner: new coin.CoinCombiner(t.keys, t.of),
    },
    'threshold/seal': { SealingKey: sealing, SealingPublicKey: sealing.public },
    'threshold/ecdsa': {
      TrustedDealer: s.dealer,
      GroupKey: s.key,
      Signature: blamedSignature(q),
      Plan: s.plan,
      Tag: s.tag,
      Deal: s.parties[0].deal,
      Presignatures: s.parties[0],
      Presignature: single,
      Opener: s.signed[0].opener,
      SignatureShare: s.signed[0].share,
      Opening: s.signed[0].opener.open(),
      Signing: s.of,
      Combiner: new q.threshold.ecdsa.Combiner(s.of),
      ShareFault: wrong,
    },
    'threshold/bls': {
      GroupKey: b.key,
      KeyShare: b.shares[0],
      SignatureShare: b.made[0],
      Combiner: b.combiner,
      ShareFault: b.faults[0].evidence,
    },
    erasure: {
      Packets: new Packets(8, 3),
      Suite: Suite.Leopard,
      Shape: d.coding.shape,
      Coding: d.coding,
      Coder: d.coder,
      Commitment: d.sent.commitment,
      CheckedShard: d.shards[0],
      Dispersal: d.sent,
      Row: row,
      Table: table,
    },
  };
}

/** Bytes in the form of evidence, against a valid share. */
export const evidence = ({ WrongShare }, { base, id }, share) =>
  WrongShare.decode(Uint8Array.of(...base, ...id, ...share.encode()));

function blamedSignature(q) {
  const { of, signed } = signing(q);
  const combiner = new q.threshold.ecdsa.Combiner(of);
  for (const { share } of signed) combiner.add(share.member, share);
  return combiner.signature;
}
