// Signatures of other chains: what only JavaScript has. Each entry is a test of its own.
import { refusals } from './refusals.mjs';
import { world } from './world.mjs';

const text = (value) => new TextEncoder().encode(value);

export function otherChains(q, assert) {
  const { type, code } = refusals(q, assert);

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
    'wrong arguments name themselves'() {
      const { secrets, committee } = chain(q.Suite.MinSig);
      const [message, signers] = [text('m'), q.SignerSet.full(5)];
      for (const value of [undefined, null, 0, 'basic', {}, [], message, signers]) {
        type(() => committee.withCiphersuite(value), /^ciphersuite must be a Ciphersuite/);
        type(() => secrets[0].signWith(value, message), /^ciphersuite must be a Ciphersuite/);
        type(() => secrets[0].publicKey().verifyWith(value, message, secrets[0].sign(message)), /^ciphersuite must be a Ciphersuite/);
      }
      type(() => committee.verifyRawEach(7, message), /^signed must be iterable/);
      type(() => committee.verifyRawEach([message], message), /^signed\[0\] must be an array of two/);
      type(() => committee.verifyRawEach([['0', message]], message), /^signed\[0\]\[0\] must be a number/);
      type(() => committee.verifyRawEach([[0, 'm']], message), /^signed\[0\]\[1\] must be a Uint8Array/);
      type(() => committee.verifyRawEach([[0, message]], 'proof'), /^proof must be a Uint8Array/);
      type(() => committee.verifyRawBatch('text'), /^items must be iterable/);
      type(() => committee.verifyRawBatch([[message, signers]]), /^items\[0\] must be an array of three/);
      type(() => committee.verifyRawBatch([[message, [0, 1], message]]), /^items\[0\]\[1\] must be a SignerSet/);
      type(() => committee.verifyRawBatch([[message, signers, null]]), /^items\[0\]\[2\] must be a Uint8Array/);
    },
  };
}
