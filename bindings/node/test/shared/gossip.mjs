// Aggregates and scores, in JavaScript's own words.
import { refusals } from './refusals.mjs';
import { world } from './world.mjs';

/** Tests by name. */
export function gossip(q, assert) {
  const { Aggregate } = q.gossip;
  const { Lottery, Seed } = q.sortition;
  const { type, range } = refusals(q, assert);

  return {
    'scores have an order'() {
      const w = world(q, q.Suite.MinSigCounted);
      const lottery = new Lottery(w.committee, Seed.genesis(w.committee.chain, new Uint8Array()), 3n);
      const tickets = w.secrets.map((secret) => lottery.draw(secret));
      const scores = tickets.map((ticket) => ticket.score).sort((one, two) => one.compare(two)).map(String);
      assert.deepEqual(scores, [...scores].sort());
    },
    'what is verified has no constructor, and numbers have a maximum'() {
      const w = world(q, q.Suite.MinSigCounted);
      const sum = Aggregate.fromVote(w.votes[1].verify(w.committee), w.committee);
      const lottery = new Lottery(w.committee, Seed.genesis(w.committee.chain, new Uint8Array()), 3n);
      const { score } = lottery.draw(w.secrets[0]);
      for (const { constructor } of [sum.value, sum, score]) type(() => new constructor(), RegExp(constructor.name));
      range(() => new q.gossip.Gossip(w.committee, 0, w.statement).next(new q.gossip.Peers(0, 4), { draw: 1n << 64n }), 'options.draw');
    },
  };
}
