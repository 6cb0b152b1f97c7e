// Signatures of other chains: what only JavaScript has. Each entry is a test of its own.
import { refusals } from './refusals.mjs';
import { world } from './world.mjs';

const text = (value) => new TextEncoder().encode(value);

export function otherChains(q, assert) {
  const { code } = refusals(q, assert);

  /** Five members of weight 1 whose keys another chain attested. */
  function chain(suite) {
    const secrets = [1, 2, 3, 4, 5].map((byte) => q.SecretKey.fromBytes(suite, new Uint8Array(32).fill(byte)));
    const members = secrets.map((secret) => [secret.publicKey(), 1n]);
    return { secrets, committee: q.Committee.fromAttested(q.ChainId.fromName('other'), 9n, members) };
  }

  return {
    'any iterable lists messages and proofs'() {
      const { secrets, committee } = chain('ed25519');
      const signed = [0, 2, 3].map((member) => [member, text(`vote ${member}`)]);
      const signatures = signed.map(([member, message]) => secrets[member].sign(message).encode());
      const proof = Uint8Array.from(signatures.flatMap((signature) => [...signature]));
      assert.equal(committee.verifyRawEach(new Map(signed), proof), 3n);
      // An endless list is read no further than the committee's size.
      const endless = { *[Symbol.iterator]() { for (let member = 0; ; member = (member + 1) % 5) yield [member, text('x')]; } };
      code(() => committee.verifyRawEach(endless, proof), 'DUPLICATE_SIGNER');
      const items = new Set([[text('vote 0'), q.SignerSet.fromMembers(5, [0]), signatures[0]], [text('x'), q.SignerSet.full(3), proof]]);
      const [weight, error] = committee.verifyRawBatch(items);
      assert.ok(weight === 1n && error instanceof q.WrongContextError);
    },
    'ciphersuites are shown'() {
      const all = [q.Ciphersuite.basic(), q.Ciphersuite.messageAugmentation(), q.Ciphersuite.proofOfPossession(), q.Ciphersuite.custom(text('CHAIN_V1'))];
      assert.deepEqual(all.map(String), ['Ciphersuite(basic)', 'Ciphersuite(message-augmentation)', 'Ciphersuite(proof-of-possession)', 'Ciphersuite(custom "CHAIN_V1")']);
    },
    'a header is shown'() {
      const header = q.UntrustedHeader.peek(world(q).votes[0].encode());
      assert.equal(String(header), 'UntrustedHeader(bls-min-sig, kind 1, epoch 5, view 9)');
    },
  };
}
