// The vector operations of aggregates, seeds and tickets.
import { bytes, hex } from './hex.mjs';

export function gossipOperations(q, check, committeeOf, statementShown) {
  const { Aggregate } = q.gossip ?? {};
  const { Lottery, Seed, SeedProof, Ticket } = q.sortition ?? {};

  function decoded(text, committee) {
    const data = bytes(text);
    const aggregate = Aggregate.decode(data, committee);
    check(hex(aggregate.encode()) === text && aggregate.encodedLength === data.length, 'decoded, but encodes to something else');
    return aggregate;
  }

  function verified(text, committee) {
    const aggregate = decoded(text, committee);
    const batched = ['verifyBatch', 'verifyBatchDerived'].flatMap((verify) => Aggregate[verify](committee, [aggregate, aggregate]));
    let single;
    try {
      single = aggregate.verify(committee);
    } catch (error) {
      check(batched.every((verdict) => verdict.code === error.code), 'a batch decides otherwise');
      throw error;
    }
    check(batched.every((verdict) => verdict.value?.equals(single.value)), 'a batch decides otherwise');
    return single;
  }

  function shown(aggregate) {
    const signers = [...aggregate.signers];
    const counts = signers.map((signer) => aggregate.count(signer));
    check(String(counts) === String(aggregate.counts()), 'other counts');
    return { statement: statementShown(aggregate.statement), signers, counts };
  }

  const seedOf = ({ seed }) => {
    const decoded = Seed.decode(bytes(seed));
    check(hex(decoded.encode()) === seed, 'decoded, but encodes to something else');
    return decoded;
  };
  const secretOf = ({ secret }, suite) => q.SecretKey.fromBytes(suite, bytes(secret));
  const lotteryOf = (input) =>
    new Lottery(committeeOf(input.committee), seedOf(input), BigInt(input.round), input.expected);

  return {
    'aggregate.of_vote': (input, suite) => {
      const committee = committeeOf(input.committee);
      const vote = q.Vote.decode(suite, bytes(input.vote)).verify(committee);
      return { aggregate: hex(Aggregate.fromVote(vote, committee).value.encode()) };
    },
    'aggregate.decode': (input) => shown(decoded(input.aggregate, committeeOf(input.committee))),
    'aggregate.verify': (input) => shown(verified(input.aggregate, committeeOf(input.committee)).value),
    'aggregate.merge': (input) => {
      const committee = committeeOf(input.committee);
      const parts = input.aggregates.map((text) => verified(text, committee));
      const merged = parts.reduce((one, two) => {
        const sum = one.merge(two, input.limit);
        check(two.merge(one, input.limit).value.equals(sum.value), 'the order matters');
        return sum;
      });
      return { aggregate: hex(merged.value.encode()) };
    },
    'aggregate.normalise': (input) => {
      const committee = committeeOf(input.committee);
      const parts = input.parts.map((text) => verified(text, committee));
      const normalised = verified(input.aggregate, committee).normalised(parts).value;
      normalised.verify(committee);
      return { aggregate: hex(normalised.encode()) };
    },
    'aggregate.certificate': (input) => {
      const committee = committeeOf(input.committee);
      const aggregate = verified(input.aggregate, committee);
      const certificate = aggregate.certificate(committee);
      if (certificate === undefined) return { certificate: null };
      check(Aggregate.fromCertificate(certificate).value.equals(aggregate.value), 'another aggregate');
      return { certificate: hex(certificate.value.encode()) };
    },
    'seed.genesis': (input) => ({
      seed: hex(Seed.genesis(q.ChainId.fromBytes(bytes(input.chain)), bytes(input.bytes)).encode()),
    }),
    'seed.prove': (input, suite) => {
      const proof = SeedProof.sign(secretOf(input, suite), committeeOf(input.committee), seedOf(input));
      return { proof: hex(proof.encode()) };
    },
    'seed.next': (input, suite) => {
      const proof = SeedProof.decode(suite, bytes(input.proof));
      check(hex(proof.encode()) === input.proof, 'decoded, but encodes to something else');
      const detached = SeedProof.decodeDetached(suite, proof.encodeDetached(), proof.signer);
      check(detached.equals(proof) && new SeedProof(proof.signer, proof.signature).equals(proof), 'another proof');
      return { seed: hex(seedOf(input).next(proof, committeeOf(input.committee)).encode()) };
    },
    'ticket.draw': (input, suite) => {
      const drawn = lotteryOf(input).draw(secretOf(input, suite));
      return drawn ? { ticket: hex(drawn.value.encode()), score: String(drawn.score) } : { ticket: null, score: null };
    },
    'ticket.verify': (input, suite) => {
      const ticket = Ticket.decode(suite, bytes(input.ticket));
      check(hex(ticket.encode()) === input.ticket, 'decoded, but encodes to something else');
      const { round, member, signature } = ticket;
      check(Ticket.decodeDetached(suite, ticket.encodeDetached(), round, member).equals(ticket), 'another ticket');
      check(new Ticket(round, member, signature).equals(ticket), 'another ticket');
      const won = ticket.verify(lotteryOf(input));
      return { round: String(won.value.round), member: won.value.member, score: hex(won.score.bytes) };
    },
  };
}
