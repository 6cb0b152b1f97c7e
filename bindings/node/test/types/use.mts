// Typical user code of both packages, and code that must not compile: each line under `@ts-expect-error` is an error.
import * as quorate from 'quorate';
import { Committee, QuorateError, SecretKey, Suite, type VoteFault } from 'quorate';

export function blame(fault: VoteFault): string {
  switch (fault.kind) {
    case 'stray':
      return fault.error.code;
    case 'bad-signature':
      return `member ${fault.signer}`;
    case 'equivocation':
      return String(fault.evidence.value.culprits());
  }
}

export function explain(error: unknown): string {
  if (error instanceof quorate.BelowQuorumError) return `${error.details.needed - error.details.signed} are missing`;
  if (error instanceof QuorateError) return error.code;
  throw error;
}

export function reported(committee: Committee, vote: quorate.Vote): [number[], bigint | undefined] {
  const collector = new quorate.VoteCollector(committee, 1, 2n, { batchThreshold: 3 });
  const { faults, certificate } = collector.add(vote, new quorate.Suspects());
  return [faults.flatMap((fault) => (fault.kind === 'stray' ? [] : [fault.signer])), certificate?.value.statement.view];
}

const secret = SecretKey.generate(Suite.Ed25519);
const statement = new quorate.Statement({ kind: 1, epoch: 3n, view: 9n, digest: new Uint8Array(32) });

// @ts-expect-error a number is not a bigint
new quorate.Statement({ kind: 1, epoch: 3, view: 9n, digest: new Uint8Array(32) });
// @ts-expect-error unknown suite
SecretKey.generate('bls');
// @ts-expect-error only `verify` creates it
new quorate.VerifiedCertificate();
// @ts-expect-error a vote is not a verified vote
export const unchecked: quorate.VerifiedVote = new quorate.Vote(statement, 0, secret.sign(new Uint8Array()));
// @ts-expect-error a chain is not a committee
statement.identity(quorate.ChainId.fromName('x'));
// @ts-expect-error an unproven key cannot be a member
export const unproven = new Committee(quorate.ChainId.fromName('x'), 0n, [[secret.publicKey(), 1n]]);

const suite: quorate.dsig.Suite = 'wots-blake3';
const signer = new quorate.dsig.Signer(secret, { suite, groups: [new Set([1, 2])], log2Batch: 3, lifetime: 1_000_000n });
export const signature: Uint8Array = signer.sign(new Uint8Array(3), { hint: [1], now: 5n });
new quorate.dsig.Verifier({ suite, burst: 3 }).announce(signer.publicKey(), signature, 5n);
export const culprit: quorate.PublicKey = quorate.dsig.verifyReuse(suite, quorate.dsig.reuse(signer.publicKey(), [signature, signature], [signature, signature]));
// @ts-expect-error a time is a bigint
signer.prepare(5);
// @ts-expect-error a signature suite is not a one-time suite
new quorate.dsig.Verifier({ suite: Suite.Ed25519 });
// @ts-expect-error unknown suite name
export const none: quorate.dsig.Suite = 'wots';
signer.detectCopies(() => 1n);
// @ts-expect-error a generation is a bigint
signer.detectCopies(() => 1);
const judge = new quorate.dsig.Verifier();
judge.checkRevocation((key: quorate.PublicKey) => key.equals(signer.publicKey()));
// @ts-expect-error a promise is not an answer
judge.checkRevocation(async () => false);
const entry: readonly [quorate.PublicKey, Uint8Array, Uint8Array] = [signer.publicKey(), new Uint8Array(3), signature];
new quorate.dsig.Auditor({ suite, roots: 16 }).check(...entry);
export const outcomes: (quorate.QuorateError | undefined)[] = quorate.dsig.verifyAll(suite, [entry]);
export const bytes: number = quorate.dsig.signatureLength('wots-blake3');

export function weights(chain: Committee, items: quorate.RawProof[]): bigint[] {
  const verdicts = chain.withCiphersuite(quorate.Ciphersuite.basic()).verifyRawBatch(items);
  return verdicts.filter((one) => typeof one === 'bigint');
}
export const commit = (chain: Committee, proof: Uint8Array): bigint => chain.verifyRawEach(new Map([[0, proof]]), proof);
export const epoch: bigint = quorate.UntrustedHeader.peek(new Uint8Array(18)).epoch;
export const claimed: Suite = quorate.UntrustedHeader.peek(new Uint8Array(18)).suite;
// @ts-expect-error a ciphersuite is not named by a string
secret.signWith('basic', new Uint8Array(3));

const { ecdsa, tdh2, coin, bls, Threshold, Tolerance } = quorate.threshold;
declare const committee: quorate.CommitteeId;
declare const guard: quorate.Guard;
const dealer = new ecdsa.TrustedDealer(quorate.threshold.Group.Secp256k1, committee, new Tolerance(4, 1));
const plan = ecdsa.Plan.forUnagreed(16);
export function sign(party: quorate.threshold.ecdsa.Presignatures, send: (share: Uint8Array) => void, log: (record: Uint8Array) => void): void {
  const { record, share, opener } = party.take(plan.unagreed(1n, 0)).sign(guard, new Uint8Array(3));
  if (record !== undefined) log(record.encode());
  send(share.encode());
  opener.close();
}
export const accused = (outcome: quorate.threshold.ecdsa.Outcome): number[] => outcome.faults.map(({ culprit }) => culprit);
export function named(fault: quorate.threshold.tdh2.ShareFault, keys: quorate.threshold.tdh2.PublicKeys): number {
  return fault.kind === 'proven' ? fault.evidence.verify(keys) : fault.share.member;
}
export const leader = (value: quorate.threshold.coin.CoinValue): number | undefined => value.below(4);
export const beacon: Uint8Array = bls.beacon(secret.sign(new Uint8Array()));
const dealt: quorate.threshold.coin.Dealt = coin.PublicKeys.deal(committee, new Threshold(2, 4));
// @ts-expect-error unknown group
new ecdsa.TrustedDealer('secp256r1', committee, new Tolerance(4, 1));
// @ts-expect-error only a plan creates tags
new ecdsa.Tag();
// @ts-expect-error an unchecked ciphertext has no shares
tdh2.KeyShare.fromBytes(new Uint8Array()).decryptionShare(tdh2.Ciphertext.decode(new Uint8Array()));
// @ts-expect-error unverified shares cannot be combined
coin.Coin.fromName(dealt.keys, { protocol: 1, epoch: 1n, instance: 1n, round: 1n }).combine(dealt.keys, [coin.CoinShare.decode(new Uint8Array())]);
// @ts-expect-error rounds are bigints
coin.Coin.fromName(dealt.keys, { protocol: 1, epoch: 1n, instance: 1n, round: 1 });

const { Coder, Coding, Shape, Suite: Code, Table } = quorate.erasure;
const coding = new Coding(Shape.forCommittee(7, 2), 1 << 20);
export const fastest: quorate.erasure.Row | undefined = new Table().best(coding.shape, 1000, ({ name }) => name !== 'jerasure');
// @ts-expect-error bytes are not a shard
new Coder(coding).decode([new Uint8Array(3)]);
// @ts-expect-error a signature suite is not an erasure code
new Coding(coding.shape, 10, Suite.MinSig);
void Code.Gf8;

export function spread(state: quorate.gossip.Gossip, peers: quorate.gossip.Peers, now: bigint): number[] {
  const send: quorate.gossip.Send | undefined = state.next(peers, { draw: 7n, now });
  if (send) peers.left(send.to);
  const { faults }: quorate.gossip.Checked = state.check(peers, { now });
  return faults.map(({ culprit }) => culprit);
}
export const scores = (won: quorate.sortition.VerifiedTicket[]) => won.map(({ score }) => score).sort((a, b) => a.compare(b));
// @ts-expect-error times are bigints
new quorate.gossip.Peers(1, 7, { backOff: 5 });
// @ts-expect-error only verified aggregates are merged
(sum: quorate.gossip.VerifiedAggregate) => sum.merge(sum.value);
