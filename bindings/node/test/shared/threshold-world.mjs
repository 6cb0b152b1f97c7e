// Objects of the modules for the tests: four members, with a threshold of two.

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
