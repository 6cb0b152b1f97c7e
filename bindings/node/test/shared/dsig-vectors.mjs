// The vector operations of spec/vectors/dsig.json. Signatures and announcements are bytes here, in the layout of
// spec/dsig.md.
import { bytes, hex } from './hex.mjs';

const u16 = (data, at) => data[at] | (data[at + 1] << 8);

/** Fields of a signature: its index and its root. */
const fields = (signature) => ({ index: u16(signature, 2), root: hex(signature.subarray(8, 40)) });

/** By operation: a function of the input of a case, the suite's name and the expected output. */
export function dsigOperations(q, check) {
  const key = (text) => q.PublicKey.decode('ed25519', bytes(text));

  function outcome(call) {
    try {
      return call() ?? 'ok';
    } catch (error) {
      if (!(error instanceof q.QuorateError)) throw error;
      return error.code;
    }
  }

  function admitting(suite, ...keys) {
    const verifier = new q.dsig.Verifier({ suite });
    keys.forEach((one) => verifier.admit(one));
    return verifier;
  }

  /** Decodes without any other effect. */
  const decode = (suite, signature) => void new q.dsig.Verifier({ suite }).canVerifyFast(unknown(), signature);
  let cached;
  const unknown = () => (cached ??= q.SecretKey.generate('ed25519').publicKey());

  /** The root of a complete tree over leaves. */
  function root(leaves) {
    if (leaves.length === 1) return leaves[0];
    const node = (left, right) => q.wire.hash('quorate-v1-dsig-node', Uint8Array.of(...left, ...right));
    const above = Array.from({ length: leaves.length / 2 }, (_, at) => node(leaves[2 * at], leaves[2 * at + 1]));
    return root(above);
  }

  return {
    'dsig.decode': ({ signature }, suite) => {
      decode(suite, bytes(signature));
      return fields(bytes(signature));
    },
    'dsig.verify': ({ public_key, message, signature }, suite) => {
      const [signer, text, signed] = [key(public_key), bytes(message), bytes(signature)];
      decode(suite, signed);
      const alone = outcome(() => q.dsig.verify(signer, text, signed));
      const verifier = admitting(suite, signer);
      for (const again of [1, 2]) {
        const verdict = outcome(() => verifier.verify(signer, text, signed));
        check(verdict === alone, `a verifier says ${verdict}, not ${alone}, at time ${again}`);
      }
      check(verifier.canVerifyFast(signer, signed) === (alone === 'ok'), 'a root is known that must not be, or is not');
      const audited = outcome(() => new q.dsig.Auditor({ suite }).check(signer, text, signed));
      const [together] = q.dsig.verifyAll(suite, [[signer, text, signed]]);
      check(audited === alone && (together?.code ?? 'ok') === alone, `an auditor says ${audited}, not ${alone}`);
      q.dsig.verify(signer, text, signed);
      return fields(signed);
    },
    'dsig.announcement': ({ public_key, announcement }, suite) => {
      const [signer, data] = [key(public_key), bytes(announcement)];
      admitting(suite, signer).announce(signer, data, 1n);
      const count = (data.length - 68) / 32;
      const leaves = Array.from({ length: count }, (_, at) => data.subarray(68 + 32 * at, 100 + 32 * at));
      return { root: hex(root(leaves)), keys: count };
    },
    // Randomness cannot be passed in. So the expected output is verified, and a signature made here has the same form.
    'dsig.sign': ({ secret, time, log2, messages }, suite, output) => {
      const now = BigInt(time);
      const options = { suite, log2Batch: log2, lowWater: 1 };
      const signer = new q.dsig.Signer(q.SecretKey.fromBytes('ed25519', bytes(secret)), options);
      const verifier = admitting(suite, signer.publicKey());
      verifier.announce(signer.publicKey(), bytes(output.announcement), now);
      const { announcement } = signer.prepare(now);
      check(hex(announcement).length === output.announcement.length, 'an announcement of another length');
      for (const [at, text] of messages.entries()) {
        const [theirs, message] = [bytes(output.signatures[at]), bytes(text)];
        check(verifier.canVerifyFast(signer.publicKey(), theirs), 'it was announced');
        verifier.verify(signer.publicKey(), message, theirs);
        const ours = signer.sign(message, { now });
        check(ours.length === theirs.length && fields(ours).index === fields(theirs).index, 'another form');
      }
      signer.close();
      return output;
    },
    'dsig.reuse': ({ evidence }, suite) => {
      const data = bytes(evidence);
      const culprit = q.dsig.verifyReuse(suite, data);
      // It equals the encoding of its parts.
      check(suite === 'wots-blake3', 'the length of a signature is that of its suite');
      const reader = new q.wire.Reader(data);
      check(hex(reader.raw(32)) === String(culprit), 'another culprit');
      const signed = [1, 2].map(() => [reader.bytes(1 << 24), reader.raw(1584)]);
      check(hex(q.dsig.reuse(culprit, ...signed)) === evidence, 'other evidence');
      const auditor = new q.dsig.Auditor({ suite });
      const uses = signed.map((one) => outcome(() => auditor.check(culprit, ...one)));
      const together = q.dsig.verifyAll(suite, signed.map((one) => [culprit, ...one])).map((error) => error?.code ?? 'ok');
      for (const said of [uses, together]) check(said.join() === 'ok,ONE_TIME_REUSE', `an auditor says ${said}`);
      return { culprit: String(culprit) };
    },
    'dsig.session': (input, suite) => {
      const { announced, checked, burst, interval, admitted, steps } = input;
      const verifier = new q.dsig.Verifier({ suite, announced, checked, burst, interval: BigInt(interval) });
      const signers = input.signers.map(key);
      signers.slice(0, admitted).forEach((signer) => verifier.admit(signer));
      const outcomes = steps.map((step) => {
        const [signer, data] = [signers[step.signer], bytes(input.bytes[step.bytes])];
        if (step.do === 'fast') return verifier.canVerifyFast(signer, data) ? 'yes' : 'no';
        if (step.do === 'announce') return outcome(() => verifier.announce(signer, data, BigInt(step.time)));
        return outcome(() => verifier.verify(signer, bytes(input.messages[step.message]), data));
      });
      return { outcomes };
    },
  };
}
