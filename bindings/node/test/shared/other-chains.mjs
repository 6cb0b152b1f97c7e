// Signatures of other chains: their ciphersuites, a message per member, batches. Each entry is a test of its own.
import { bytes } from './hex.mjs';
import { world } from './world.mjs';

/** drand's network quicknet: its key, and the signature of its round 1000 over the hash of the round's number. */
const DRAND = {
  key: '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  message: 'f652498d092acd949bad74e40683bf3824fb817980504a0c7e6722cfc5a9c0a3',
  signature: 'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
};

const text = (value) => new TextEncoder().encode(value);

export function otherChains(q, assert) {
  const code = (call, wanted) => assert.throws(call, (e) => e instanceof q.QuorateError && e.code === wanted);
  const type = (call, pattern) => assert.throws(call, (e) => e instanceof TypeError && pattern.test(e.message));
  const ciphersuites = () => [q.Ciphersuite.basic(), q.Ciphersuite.messageAugmentation(), q.Ciphersuite.proofOfPossession(), q.Ciphersuite.custom(text('CHAIN_V1'))];

  /** Five members of weight 1 whose keys another chain attested. */
  function chain(suite) {
    const secrets = [1, 2, 3, 4, 5].map((byte) => q.SecretKey.fromBytes(suite, new Uint8Array(32).fill(byte)));
    const members = secrets.map((secret) => [secret.publicKey(), 1n]);
    return { secrets, committee: q.Committee.fromAttested(q.ChainId.fromName('other'), 9n, members) };
  }

  /** One proof of the signatures of some members. */
  function proofOf(suite, signatures) {
    if (suite === 'ed25519') return Uint8Array.from(signatures.flatMap((signature) => [...signature.encode()]));
    return q.bls.aggregate(signatures).encode();
  }

  return {
    'a committee verifies the messages of its ciphersuite only'() {
      for (const suite of [q.Suite.MinSig, q.Suite.MinPk]) {
        const { secrets, committee: plain } = chain(suite);
        const message = text('block 17');
        const members = [0, 2, 3];
        const signers = q.SignerSet.fromMembers(5, members);
        for (const ciphersuite of ciphersuites()) {
          const committee = plain.withCiphersuite(ciphersuite);
          assert.ok(committee.equals(plain));
          const proof = proofOf(suite, members.map((member) => secrets[member].signWith(ciphersuite, message)));
          assert.equal(committee.verifyRaw(message, signers, proof), 3n);
          for (const other of ciphersuites().filter((other) => !other.equals(ciphersuite))) {
            code(() => plain.withCiphersuite(other).verifyRaw(message, signers, proof), 'BAD_SIGNATURE');
          }
          // The first committee is still usable and has the default.
          if (!ciphersuite.equals(q.Ciphersuite.proofOfPossession())) code(() => plain.verifyRaw(message, signers, proof), 'BAD_SIGNATURE');

          const signature = secrets[0].signWith(ciphersuite, message);
          secrets[0].publicKey().verifyWith(ciphersuite, message, signature);
          code(() => secrets[1].publicKey().verifyWith(ciphersuite, message, signature), 'BAD_SIGNATURE');
        }
      }
    },
    'each member signs its own message'() {
      for (const suite of [q.Suite.MinSig, q.Suite.Ed25519]) {
        const { secrets, committee } = chain(suite);
        const signed = [0, 2, 3].map((member) => [member, text(`vote ${member}`)]);
        const signatures = signed.map(([member, message]) => secrets[member].sign(message));
        const proof = proofOf(suite, signatures);
        assert.equal(committee.verifyRawEach(signed, proof), 3n);
        assert.equal(committee.verifyRawEach(new Map(signed), proof), 3n);
        const swapped = [signed[0], [2, signed[2][1]], [3, signed[1][1]]];
        code(() => committee.verifyRawEach(swapped, proof), 'BAD_SIGNATURE');
        code(() => committee.verifyRawEach([signed[1], signed[0], signed[2]], proof), 'DUPLICATE_SIGNER');
        code(() => committee.verifyRawEach([signed[0], signed[0]], proof), 'DUPLICATE_SIGNER');
        code(() => committee.verifyRawEach([[5, text('x')]], proof), 'UNKNOWN_SIGNER');
        code(() => committee.verifyRawEach(signed, new Uint8Array(3)), 'MALFORMED');
        // An endless list is read no further than the committee's size.
        const endless = { *[Symbol.iterator]() { for (let member = 0; ; member = (member + 1) % 5) yield [member, text('x')]; } };
        code(() => committee.verifyRawEach(endless, proof), 'DUPLICATE_SIGNER');
      }
    },
    'a bad Ed25519 proof names its signers'() {
      const { secrets, committee } = chain('ed25519');
      const signed = secrets.map((_, member) => [member, text(`vote ${member}`)]);
      const signatures = signed.map(([member, message]) => secrets[member].sign(message));
      signatures[1] = secrets[1].sign(text('other'));
      signatures[4] = secrets[3].sign(signed[4][1]);
      assert.throws(() => committee.verifyRawEach(signed, proofOf('ed25519', signatures)), (e) => {
        assert.deepEqual(e.culprits, [1, 4]);
        return e instanceof q.BadSignatureError;
      });
    },
    'a batch has a weight or an error for each proof'() {
      const { secrets, committee: plain } = chain(q.Suite.MinSig);
      const committee = plain.withCiphersuite(q.Ciphersuite.basic());
      const proof = (members, message) =>
        proofOf(q.Suite.MinSig, members.map((member) => secrets[member].signWith(q.Ciphersuite.basic(), text(message))));
      const set = (...members) => q.SignerSet.fromMembers(5, members);
      const items = [
        [text('a'), set(0, 1, 2), proof([0, 1, 2], 'a')],
        [text('b'), set(1, 4), proof([1, 4], 'b')],
        [text('a'), q.SignerSet.full(4), proof([0, 1, 2], 'a')],
        [text('x'), set(0, 1, 2), proof([0, 1, 2], 'c')],
        [text('c'), set(0, 1, 2), new Uint8Array(3)],
        [text('c'), set(), proof([0], 'c')],
        [text('c'), set(0, 1, 2), proof([0, 1, 2], 'c')],
      ];
      const results = committee.verifyRawBatch(new Set(items));
      const codes = results.map((one) => (one instanceof q.QuorateError ? one.code : one));
      assert.deepEqual(codes, [3n, 2n, 'WRONG_CONTEXT', 'BAD_SIGNATURE', 'MALFORMED', 'BELOW_QUORUM', 3n]);
      assert.deepEqual(committee.verifyRawBatch([]), []);
    },
    'only BLS has ciphersuites'() {
      const [basic, standard] = [q.Ciphersuite.basic(), q.Ciphersuite.proofOfPossession()];
      for (const suite of Object.values(q.Suite)) {
        if (suite === q.Suite.MinSig || suite === q.Suite.MinPk) continue;
        const { secrets, committee } = chain(suite);
        const message = text('m');
        code(() => committee.withCiphersuite(basic), 'WRONG_CONTEXT');
        code(() => secrets[0].signWith(basic, message), 'WRONG_CONTEXT');
        const signature = secrets[0].signWith(standard, message);
        secrets[0].publicKey().verifyWith(standard, message, signature);
        code(() => secrets[0].publicKey().verifyWith(basic, message, signature), 'WRONG_CONTEXT');
        assert.ok(committee.withCiphersuite(standard).equals(committee));
      }
    },
    'ciphersuites are compared, shown and encoded'() {
      const all = ciphersuites();
      assert.deepEqual(all.map(String), ['Ciphersuite(basic)', 'Ciphersuite(message-augmentation)', 'Ciphersuite(proof-of-possession)', 'Ciphersuite(custom "CHAIN_V1")']);
      all.forEach((one, at) => {
        assert.ok(q.Ciphersuite.decode(one.encode()).equals(one));
        assert.ok(!one.equals(all[(at + 1) % all.length]));
      });
      code(() => q.Ciphersuite.custom(new Uint8Array(0)), 'MALFORMED');
      code(() => q.Ciphersuite.custom(new Uint8Array(256)), 'TOO_LARGE');
      // Under these tags votes are signed.
      for (const group of ['G1', 'G2']) code(() => q.Ciphersuite.custom(text(`BLS_SIG_BLS12381${group}_XMD:SHA-256_SSWU_RO_POP_`)), 'NON_CANONICAL');
      code(() => q.Ciphersuite.decode(new Uint8Array([4])), 'MALFORMED');
    },
    'votes and certificates verify under any ciphersuite as before'() {
      const { secrets, committee: plain } = chain(q.Suite.MinSig);
      const basic = plain.withCiphersuite(q.Ciphersuite.basic());
      const statement = plain.statement(1, 3n, new Uint8Array(32));
      const vote = q.Vote.signUnguarded(secrets[0], basic, statement);
      for (const committee of [plain, basic]) vote.verify(committee);
      const forged = secrets[0].signWith(q.Ciphersuite.basic(), statement.signedBytes(plain.id));
      code(() => new q.Vote(statement, 0, forged).verify(basic), 'BAD_SIGNATURE');
    },
    "drand's beacon"() {
      const key = q.PublicKey.decode(q.Suite.MinSig, bytes(DRAND.key));
      const signature = q.Signature.decode(q.Suite.MinSig, bytes(DRAND.signature));
      key.verifyWith(q.Ciphersuite.basic(), bytes(DRAND.message), signature);
      code(() => key.verify(bytes(DRAND.message), signature), 'BAD_SIGNATURE');
    },
    'an untrusted header has the first fields of an encoding'() {
      const { suite, votes, certificate, timeouts, equivocation } = world(q);
      for (const object of [votes[0], certificate.value, timeouts[0], equivocation]) {
        const encoded = object.encode();
        const header = q.UntrustedHeader.peek(encoded);
        assert.deepEqual([header.suite, header.epoch, header.view], [suite, 5n, 9n]);
        assert.deepEqual(header.encode(), encoded.slice(0, 18));
        assert.ok(q.UntrustedHeader.decode(encoded.slice(0, 18)).equals(header));
      }
      const header = q.UntrustedHeader.peek(votes[0].encode());
      assert.deepEqual([header.kind, String(header)], [1, 'UntrustedHeader(bls-min-sig, kind 1, epoch 5, view 9)']);
      code(() => q.UntrustedHeader.peek(new Uint8Array(17)), 'MALFORMED');
      code(() => q.UntrustedHeader.decode(votes[0].encode()), 'MALFORMED');
      code(() => q.UntrustedHeader.peek(new Uint8Array(18).fill(9)), 'WRONG_CONTEXT');
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
