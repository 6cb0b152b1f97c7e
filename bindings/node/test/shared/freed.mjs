// Freed objects. Each entry is a test of its own.
import { inspect } from 'node:util';
import { oneOfEachModule } from './threshold-world.mjs';
import { oneOfEach, world } from './world.mjs';

export function freedTests(q, assert) {
  return {
    'an object throws ClosedError, and freeing it twice does nothing'() {
      for (const [module, objects] of Object.entries({ '': oneOfEach(q), ...oneOfEachModule(q) })) {
        const classes = module.split('/').reduce((at, part) => at[part] ?? at, q);
        for (const [name, object] of Object.entries(objects)) {
          object.free();
          object.free();
          object[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
          assert.equal(inspect(object), `${name}(${'closed' in object ? 'closed' : 'freed'})`);
          for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(classes[name].prototype))) {
            if (get && key !== 'closed') assert.throws(() => get.call(object), q.ClosedError, `${name}.${key}`);
          }
        }
      }
    },
    'a secret is closed'() {
      const { secrets, guard } = world(q);
      for (const object of [secrets[0], guard]) {
        object.free();
        assert.equal(object.closed, true);
        assert.match(String(object), /closed/);
      }
    },
    'an argument throws ClosedError'() {
      const { committee, votes, statement } = world(q);
      const suspects = new q.Suspects();
      const collector = new q.VoteCollector(committee, 1, 9n);
      suspects.free();
      assert.throws(() => collector.add(votes[0], suspects), q.ClosedError);
      committee.free();
      assert.throws(() => votes[0].verify(committee), { code: 'CLOSED', details: { what: 'Committee' } });
      assert.ok(votes[0].statement.equals(statement));
    },
    'a method throws ClosedError'() {
      const { committee, votes, statement } = world(q);
      const [writer, peers] = [new q.wire.Writer(), new q.gossip.Peers(0, 4)];
      const uses = [
        [writer, () => writer.u8(1)],
        [peers, () => peers.nextFree()],
        [statement, () => statement.encode()],
        [votes[1], () => votes[1].verify(committee)],
      ];
      for (const [object, use] of uses) {
        object.free();
        assert.throws(use, q.ClosedError);
      }
    },
  };
}
