// Invalid arguments of gossip and lotteries, in JavaScript's own words.
import { world } from './world.mjs';

const N = 4;

/** Tests by name. */
export function gossip(q, assert) {
  const { Aggregate, Gossip, Peers } = q.gossip;
  const { Lottery, Seed } = q.sortition;

  return {
    'errors name the wrong argument'() {
      const w = world(q, q.Suite.MinSigCounted);
      const sum = Aggregate.fromVote(w.votes[1].verify(w.committee), w.committee);
      const [state, peers] = [new Gossip(w.committee, 0, w.statement), new Peers(0, N)];
      const seed = Seed.genesis(w.committee.chain, new Uint8Array());
      const lottery = new Lottery(w.committee, seed, 3n);
      const tickets = w.secrets.map((secret) => lottery.draw(secret));
      const scores = tickets.map((ticket) => ticket.score).sort((one, two) => one.compare(two)).map(String);
      assert.deepEqual(scores, [...scores].sort());
      const wrong = (run, type, what) => assert.throws(run, (error) => error instanceof type && error.message.includes(what));
      wrong(() => new Aggregate(), TypeError, 'Aggregate');
      wrong(() => new (sum.constructor)(), TypeError, 'VerifiedAggregate');
      wrong(() => new (tickets[0].score.constructor)(), TypeError, 'Score');
      wrong(() => sum.merge(sum.value), TypeError, 'other');
      wrong(() => sum.merge(sum, 65_536), RangeError, 'limit');
      wrong(() => sum.normalised([sum.value]), TypeError, 'parts[0]');
      wrong(() => Aggregate.verifyBatch(w.committee, [sum]), TypeError, 'aggregates[0]');
      wrong(() => new Gossip(w.committee, 0, w.statement, { fanOut: -1 }), RangeError, 'parameters.fanOut');
      wrong(() => new Gossip(w.committee, 0, w.statement, { backOff: 1 }), TypeError, 'parameters.backOff');
      wrong(() => state.receive(1, sum, peers), TypeError, 'aggregate');
      wrong(() => state.receive(-1, sum.value, peers), RangeError, 'peer');
      wrong(() => state.next(state), TypeError, 'peers');
      wrong(() => state.next(peers, { draw: 1n << 64n }), RangeError, 'options.draw');
      wrong(() => state.check(peers, { now: 1 }), TypeError, 'options.now');
      wrong(() => peers.failed(1, 1), TypeError, 'now');
      wrong(() => new Lottery(w.committee, seed, 3), TypeError, 'round');
      wrong(() => new Lottery(w.committee, seed, 3n, 0), RangeError, 'expected');
      wrong(() => seed.next(seed, w.committee), TypeError, 'proof');
    },
  };
}
