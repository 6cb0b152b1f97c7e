// Aggregates, gossip and lotteries: for a package with the interface of index.d.ts.

const N = 7;

function worldOf(q, suite, n = N) {
  const secrets = Array.from({ length: n }, (_, at) => q.SecretKey.fromBytes(suite, new Uint8Array(32).fill(1).fill(at + 1, 31)));
  const members = secrets.map((secret) => [q.VerifiedKey.fromSecret(secret), 1n]);
  const committee = new q.Committee(q.ChainId.fromName('tests'), 5n, members);
  const statement = committee.statement(1, 9n, new Uint8Array(32).fill(7));
  const vote = (member, on = statement) => q.Vote.signUnguarded(secrets[member], committee, on).verify(committee);
  const of = (member, on) => q.gossip.Aggregate.fromVote(vote(member, on), committee);
  const sum = (...who) => who.map((member) => of(member)).reduce((one, two) => one.merge(two));
  /** The aggregate of member 1 with another member's signature. */
  const forged = () => {
    const [data, other] = [of(1).value.encode(), of(2).value.signature.encode()];
    data.set(other, data.length - other.length);
    return q.gossip.Aggregate.decode(data, committee);
  };
  return { suite, secrets, committee, statement, vote, of, sum, forged };
}

/** Tests by name. */
export function gossip(q, assert) {
  const { Aggregate, Gossip, Peers, Pool } = q.gossip;
  const { Lottery, Seed, SeedProof, Ticket } = q.sortition;
  const code = (run, expected) => assert.throws(run, (error) => error instanceof q.QuorateError && error.code === expected);
  const counted = [q.Suite.MinSigCounted, q.Suite.MinPkCounted];

  return {
    'an aggregate does not depend on the order'() {
      for (const suite of counted) {
        const w = worldOf(q, suite);
        const [one, two] = [w.sum(0, 2, 4), w.sum(4, 5)];
        const both = one.merge(two);
        assert.ok(both.value.equals(two.merge(one).value) && both.committee.equals(w.committee.id));
        assert.deepEqual([[...both.value.signers], both.value.counts()], [[0, 2, 4, 5], [1, 1, 2, 1]]);
        assert.deepEqual([1, 4, 65_535].map((member) => both.value.count(member)), [0, 2, 0]);
        assert.equal(both.value.suite, suite);
        assert.equal(both.value.signature.suite, suite);
        assert.ok(both.value.statement.equals(w.statement));
        assert.deepEqual(both.normalised([w.of(4), w.of(6)]).value.counts(), [1, 1, 1, 1]);
        code(() => both.merge(both, 3), 'TOO_LARGE');
        assert.equal(both.certificate(w.committee), undefined);
        const quorum = both.merge(w.of(1));
        const certificate = quorum.certificate(w.committee);
        assert.ok(q.Certificate.decode(certificate.value.encode(), w.committee).equals(certificate.value));
        assert.ok(Aggregate.fromCertificate(certificate).value.equals(quorum.value));
        const good = both.value;
        for (const verify of ['verifyBatch', 'verifyBatchDerived']) {
          const verdicts = Aggregate[verify](w.committee, [good, w.forged(), good]);
          assert.deepEqual(verdicts.map((verdict) => verdict.code), [undefined, 'BAD_SIGNATURE', undefined]);
        }
        const data = good.encode();
        assert.equal(data.length, good.encodedLength);
        for (let length = 0; length < data.length; length++) {
          assert.throws(() => Aggregate.decode(data.subarray(0, length), w.committee), q.QuorateError);
        }
        code(() => Aggregate.decode(new Uint8Array([...data, 0]), w.committee), 'MALFORMED');
      }
    },

    'a pool sums aggregates that add signers'() {
      const w = worldOf(q, q.Suite.MinSigCounted);
      const pool = new Pool(w.committee, 0, w.statement);
      assert.deepEqual([pool.best, pool.certificate, pool.aggregates()], [undefined, undefined, []]);
      assert.deepEqual([w.of(0), w.sum(1, 2), w.of(1)].map((sum) => pool.insert(sum)), [true, true, false]);
      assert.deepEqual([[...pool.signers], pool.best.value.counts()], [[0, 1, 2], [1, 1, 1]]);
      assert.deepEqual([4, 1].map((member) => pool.wants(w.of(member).value)), [true, false]);
      assert.ok(pool.insert(w.sum(3, 4)) && pool.aggregates().length > 0);
      assert.ok(pool.certificate.value.statement.equals(pool.statement));
      assert.deepEqual([q.gossip.MAX_POOL, q.gossip.MAX_STACK, q.sortition.EXPECTED_WINNERS], [8, 64, 7]);
      code(() => pool.insert(w.of(0, w.committee.statement(1, 10n, new Uint8Array(32)))), 'WRONG_CONTEXT');
    },

    'votes spread until all members have a certificate'() {
      const w = worldOf(q, q.Suite.MinSigCounted);
      const parameters = { fanOut: 2, sendTimeout: 100_000n };
      const members = w.secrets.map((_, me) => new Gossip(w.committee, me, w.statement, parameters));
      const peers = w.secrets.map((_, me) => new Peers(me, N, parameters));
      // Two members stay silent: a quorum is five of seven.
      const talking = [2, 3, 4, 5, 6];
      for (const me of talking) assert.deepEqual([1, 2].map(() => members[me].vote(w.vote(me))), [true, false]);
      let draw = 4n;
      let now = 1_000_000n;
      for (let turn = 0; turn < 400 && talking.some((me) => members[me].certificate === undefined); turn++) {
        now += 20_000n;
        for (const me of talking) {
          for (;;) {
            draw = (draw * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
            const send = members[me].next(peers[me], { draw, now });
            if (send === undefined) break;
            peers[me].left(send.to);
            const arrived = Aggregate.decode(send.aggregate.encode(), w.committee);
            assert.notEqual(members[send.to].receive(me, arrived, peers[send.to], now), 'refused');
          }
        }
        for (const me of talking) {
          const entropy = new Uint8Array(32).fill(turn);
          assert.deepEqual(members[me].check(peers[me], { entropy, now }).faults, []);
        }
      }
      for (const me of talking) {
        assert.deepEqual([...members[me].certificate.value.signers], talking);
        assert.deepEqual([[...members[me].signers], members[me].waiting], [talking, 0]);
        assert.ok(members[me].statement.equals(w.statement));
      }
      assert.equal(members[2].receive(0, w.of(0).value, peers[2], now), 'complete');
      assert.equal(members[2].offer(0).signers.size, 5);
      assert.equal(members[0].pool.best, undefined);
    },

    'senders of invalid aggregates are blamed and suspended'() {
      const w = worldOf(q, q.Suite.MinPkCounted);
      const [state, peers] = [new Gossip(w.committee, 0, w.statement), new Peers(0, N)];
      assert.equal(state.receive(3, w.forged(), peers, 1n), 'waiting');
      assert.equal(state.waiting, 1);
      const { faults, aggregates, signers, grew } = state.check(peers, { now: 1n });
      assert.deepEqual([aggregates, signers, grew, faults.length], [1, 1, false, 1]);
      assert.equal(faults[0].culprit, 3);
      assert.ok(faults[0].evidence instanceof q.BadSignatureError);
      assert.deepEqual([peers.isRefused(3, 2n), peers.isAvailable(3, 2n)], [true, false]);
      const good = w.of(1).value;
      assert.deepEqual([3, 4].map((peer) => state.receive(peer, good, peers, 2n)), ['refused', 'waiting']);
      assert.ok(state.check(peers, { now: 2n }).grew);
      assert.equal(state.receive(5, good, peers, 2n), 'nothing-new');
      assert.ok(state.adopt(w.sum(5, 6)));
      const elsewhere = w.of(1, w.committee.statement(2, 9n, new Uint8Array(32))).value;
      code(() => state.receive(4, elsewhere, peers, 2n), 'WRONG_CONTEXT');
      for (const stranger of [0, N]) code(() => state.receive(stranger, good, peers, 2n), 'UNKNOWN_SIGNER');
      code(() => state.check(peers, { entropy: new Uint8Array(31) }), 'MALFORMED');
    },

    'failed peers are suspended'() {
      const peers = new Peers(0, 2, { fanOut: 1, backOff: 1_000_000n, sendTimeout: 1_000_000n });
      assert.deepEqual([peers.nextFree(), peers.pick({ now: 0n }), peers.pick({ draw: 7n, now: 0n })], [undefined, 1, 1]);
      peers.begin(1, 0n);
      assert.deepEqual([peers.hasRoom(0n), peers.pick({ now: 0n }), peers.nextFree()], [false, undefined, 1_000_000n]);
      peers.left(1);
      assert.deepEqual([peers.hasRoom(0n), peers.isAvailable(1, 0n)], [true, true]);
      peers.failed(1, 0n);
      assert.deepEqual([peers.isAvailable(1, 999_999n), peers.isAvailable(1, 1_000_000n)], [false, true]);
      peers.heard(1);
      peers.begin(1, 0n);
      peers.sent(1);
      assert.ok(peers.isAvailable(1, 0n));
      peers.accuse(1, 0n);
      assert.deepEqual([peers.isRefused(1, 0n), peers.isRefused(0, 0n)], [true, false]);
      assert.equal(new Peers(0, 1).pick(), undefined);
    },

    "winners of a lottery prove that they won"() {
      for (const suite of [q.Suite.MinSig, ...counted]) {
        const w = worldOf(q, suite);
        const seed = Seed.genesis(w.committee.chain, new TextEncoder().encode('a public random value'));
        const lottery = new Lottery(w.committee, seed, 3n);
        assert.deepEqual([lottery.round, lottery.expected, lottery.seed.equals(seed)], [3n, 7, true]);
        assert.ok(lottery.committee.id.equals(w.committee.id));
        const tickets = w.secrets.map((secret) => lottery.draw(secret));
        const scores = tickets.map((ticket) => ticket.score).sort((one, two) => one.compare(two)).map(String);
        assert.deepEqual(scores, [...scores].sort());
        assert.equal(new Set(scores).size, N);
        for (const ticket of tickets) {
          const again = Ticket.decode(suite, ticket.value.encode()).verify(lottery);
          assert.ok(again.score.equals(ticket.score) && again.value.equals(ticket.value));
        }
        const rare = new Lottery(w.committee, seed, 3n, 1);
        const losers = tickets.filter((_, member) => rare.draw(w.secrets[member]) === undefined);
        assert.ok(losers.length > 0);
        for (const loser of losers) code(() => loser.value.verify(rare), 'NOT_DRAWN');
        code(() => tickets[0].value.verify(new Lottery(w.committee, seed, 4n)), 'WRONG_CONTEXT');
        const stolen = new Ticket(3n, 1, tickets[0].value.signature);
        assert.throws(() => stolen.verify(lottery), (error) => error.code === 'BAD_SIGNATURE' && error.culprits[0] === 1);
        code(() => lottery.draw(q.SecretKey.generate(suite)), 'WRONG_CONTEXT');

        const proof = SeedProof.sign(w.secrets[2], w.committee, seed);
        const following = seed.next(proof, w.committee);
        assert.deepEqual([proof.signer, following.height, following.value.length], [2, 1n, 32]);
        assert.ok(Seed.decode(following.encode()).equals(following) && !following.equals(seed));
        code(() => seed.next(new SeedProof(3, proof.signature), w.committee), 'BAD_SIGNATURE');
        code(() => seed.next(new SeedProof(N, proof.signature), w.committee), 'UNKNOWN_SIGNER');
      }
    },

    'only some suites have aggregates and lotteries'() {
      for (const suite of [q.Suite.MinSig, q.Suite.Ed25519]) {
        const w = worldOf(q, suite, 1);
        code(() => w.of(0), 'WRONG_CONTEXT');
        code(() => new Pool(w.committee, 0, w.statement), 'WRONG_CONTEXT');
        code(() => new Gossip(w.committee, 0, w.statement), 'WRONG_CONTEXT');
        code(() => Aggregate.decode(new Uint8Array(100), w.committee), 'WRONG_CONTEXT');
      }
      const w = worldOf(q, q.Suite.Ed25519, 1);
      const seed = Seed.genesis(w.committee.chain, new Uint8Array());
      code(() => new Lottery(w.committee, seed, 1n), 'WRONG_CONTEXT');
      code(() => SeedProof.sign(w.secrets[0], w.committee, seed), 'WRONG_CONTEXT');
    },

    'errors name the wrong argument'() {
      const w = worldOf(q, q.Suite.MinSigCounted);
      const [state, peers, sum] = [new Gossip(w.committee, 0, w.statement), new Peers(0, N), w.of(1)];
      const seed = Seed.genesis(w.committee.chain, new Uint8Array());
      const lottery = new Lottery(w.committee, seed, 3n);
      const wrong = (run, type, what) => assert.throws(run, (error) => error instanceof type && error.message.includes(what));
      wrong(() => new Aggregate(), TypeError, 'Aggregate');
      wrong(() => new (sum.constructor)(), TypeError, 'VerifiedAggregate');
      wrong(() => new (lottery.draw(w.secrets[0]).score.constructor)(), TypeError, 'Score');
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
