import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as quorate from 'quorate';

test('gossip: checks off the thread', async () => {
  const { Certificate, ChainId, Committee, SecretKey, Suite, VerifiedKey, Vote } = quorate;
  const { Aggregate } = quorate.gossip;
  const { Lottery, Seed } = quorate.sortition;
  const secret = SecretKey.generate(Suite.MinSigCounted);
  const committee = new Committee(ChainId.fromName('test'), 0n, [[VerifiedKey.fromSecret(secret), 1n]]);
  const statement = committee.statement(1, 1n, new Uint8Array(32));
  const sum = Aggregate.fromVote(Vote.signUnguarded(secret, committee, statement).verify(committee), committee);
  assert.ok((await sum.value.verifyAsync(committee)).value.equals(sum.value));
  for (const verify of ['verifyBatchAsync', 'verifyBatchDerivedAsync']) {
    const verdicts = await Aggregate[verify](committee, [sum.value, sum.value]);
    assert.ok(verdicts.every((verdict) => verdict.value.equals(sum.value)));
  }
  const aborted = Aggregate.verifyBatchAsync(committee, [sum.value], { signal: AbortSignal.abort() });
  await assert.rejects(aborted, { name: 'AbortError' });
  await assert.rejects(sum.value.verifyAsync(sum), TypeError);
  assert.ok((await Certificate.verifyBatchAsync(committee, [sum.certificate(committee).value]))[0].value);
  const lottery = new Lottery(committee, Seed.genesis(ChainId.fromName('test'), new Uint8Array()), 1n);
  const ticket = lottery.draw(secret);
  assert.ok((await ticket.value.verifyAsync(lottery)).score.equals(ticket.score));
});
