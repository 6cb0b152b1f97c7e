// The vector sessions of pools, of peers and of one member's gossip.
import { bytes, hex } from './hex.mjs';

export function sessionOperations(q, check, committeeOf, statementOf) {
  const { Aggregate, Gossip, Peers, Pool } = q.gossip ?? {};

  /** The result of a step, or the code of its error. */
  function outcome(step) {
    try {
      const found = step();
      return typeof found === 'boolean' ? yes(found) : (found ?? null);
    } catch (error) {
      if (!(error instanceof q.QuorateError)) throw error;
      return error.code;
    }
  }

  const yes = (holds) => (holds ? 'yes' : 'no');
  const encoded = (verified) => (verified === undefined ? null : hex(verified.value.encode()));
  const parametersOf = ({ parameters: { limit, preferred, batch, fan_out } }) => ({ limit, preferred, batch, fanOut: fan_out });
  const nowOf = ({ now = '0' }) => BigInt(now);

  function decoded(text, committee) {
    const aggregate = Aggregate.decode(bytes(text), committee);
    check(hex(aggregate.encode()) === text, 'decoded, but encodes to something else');
    return aggregate;
  }

  /** A step that uses only `Peers`. */
  function peersStep(peers, step) {
    const { do: name, peer } = step;
    switch (name) {
      case 'left':
      case 'sent':
      case 'heard':
        return peers[name](peer);
      case 'begin':
      case 'failed':
      case 'accuse':
        return peers[name](peer, nowOf(step));
      case 'is_available':
        return peers.isAvailable(peer, nowOf(step));
      case 'is_refused':
        return peers.isRefused(peer, nowOf(step));
      case 'has_room':
        return peers.hasRoom(nowOf(step));
      case 'next_free':
        return peers.nextFree()?.toString();
      default:
        throw new Error(`no step ${name}`);
    }
  }

  function gossipStep(gossip, peers, step, committee, aggregates) {
    switch (step.do) {
      case 'adopt':
        return gossip.adopt(decoded(aggregates[step.aggregate], committee).verify(committee));
      case 'receive':
        return gossip.receive(step.peer, decoded(aggregates[step.aggregate], committee), peers, nowOf(step));
      case 'check': {
        const { aggregates: checked, signers, grew, faults } = gossip.check(peers, { now: nowOf(step) });
        const shown = faults.map(({ culprit, evidence }) => ({ culprit, code: evidence.code }));
        return { aggregates: checked, signers, grew: yes(grew), faults: shown };
      }
      case 'next': {
        const sent = gossip.next(peers, { draw: BigInt(step.draw ?? 0), now: nowOf(step) });
        return sent && { to: sent.to, aggregate: hex(sent.aggregate.encode()) };
      }
      case 'offer': {
        const offered = gossip.offer(step.peer);
        return offered && hex(offered.encode());
      }
      default:
        return peersStep(peers, step);
    }
  }

  return {
    'pool.session': (input) => {
      const committee = committeeOf(input.committee);
      const pool = new Pool(committee, input.me, statementOf(input.statement), parametersOf(input));
      const outcomes = input.aggregates.map((text) => {
        const aggregate = decoded(text, committee).verify(committee);
        const wanted = outcome(() => pool.wants(aggregate.value));
        const result = outcome(() => pool.insert(aggregate));
        check(result === wanted, 'what is wanted is taken in');
        return { result, signers: [...pool.signers], best: encoded(pool.best) };
      });
      return { outcomes, aggregates: pool.aggregates().map(encoded), certificate: encoded(pool.certificate) };
    },
    'peers.session': (input) => {
      const peers = new Peers(input.me, input.members, parametersOf(input));
      return { outcomes: input.steps.map((step) => outcome(() => peersStep(peers, step))) };
    },
    'gossip.session': (input) => {
      const committee = committeeOf(input.committee);
      const made = (statement) => new Gossip(committee, input.me, statementOf(statement), parametersOf(input));
      const gossips = input.statements.map(made);
      const peers = new Peers(input.me, committee.size, parametersOf(input));
      const outcomes = input.steps.map((step) => {
        const gossip = gossips[step.statement ?? 0];
        const result = outcome(() => gossipStep(gossip, peers, step, committee, input.aggregates));
        return { result, signers: [...gossip.signers], waiting: gossip.waiting };
      });
      return { outcomes, certificates: gossips.map(({ certificate }) => encoded(certificate)) };
    },
  };
}
