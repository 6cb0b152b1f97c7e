// The operations on signatures of other chains, and on what encodings claim to be.
import { bytes, hex } from './hex.mjs';

/** The operations; the functions of `vectors.mjs` make committees, decode, and compare encodings. */
export function otherChainOperations(q, committeeOf, decoded, same) {
  const ciphersuiteOf = (text) => same(q.Ciphersuite.decode(bytes(text)), bytes(text));

  /** The committee of an input, with the ciphersuite of its chain. */
  function committeeOfChain({ committee, ciphersuite }) {
    const made = committeeOf(committee);
    return ciphersuite === undefined ? made : made.withCiphersuite(ciphersuiteOf(ciphersuite));
  }

  function signersOf(committee, { indices, lsb_first, msb_first }) {
    if (indices) return committee.signerSet({ indices });
    if (lsb_first !== undefined) return committee.signerSet({ lsbFirst: bytes(lsb_first) });
    return committee.signerSet({ msbFirst: bytes(msb_first) });
  }

  /** The verdict of a batch on one item twice, beside that of the single verification. */
  function weightOf(committee, message, signers, proof) {
    const items = [[message, signers, proof], [message, signers, proof]];
    // The certificate-only build has no batches.
    const batch = committee.verifyRawBatch?.(items) ?? [];
    const verdicts = batch.map((one) => (one instanceof q.QuorateError ? one.code : one));
    let single;
    try {
      return (single = committee.verifyRaw(message, signers, proof));
    } catch (error) {
      single = error.code;
      throw error;
    } finally {
      if (verdicts.some((one) => one !== single)) throw new Error('a batch decides otherwise');
    }
  }

  /** The expected output of a case that this package refuses as of another context. */
  function refused(call, output) {
    try {
      call();
    } catch (error) {
      if (error.code === 'WRONG_CONTEXT') return output;
      throw error;
    }
    throw new Error('an unknown suite was accepted');
  }

  return {
    'committee.signers': (input) => {
      const committee = committeeOf(input.committee);
      const set = signersOf(committee, input);
      return { signers: [...set], weight: String(committee.weightOf(set)) };
    },
    'committee.verify_raw': (input) => {
      const committee = committeeOfChain(input);
      return { weight: String(weightOf(committee, bytes(input.message), signersOf(committee, input), bytes(input.proof))) };
    },
    'committee.verify_raw_each': (input) => {
      const signed = input.signed.map(({ member, message }) => [member, bytes(message)]);
      return { weight: String(committeeOfChain(input).verifyRawEach(signed, bytes(input.proof))) };
    },
    'ciphersuite.decode': (input) => ({ encoded: hex(ciphersuiteOf(input.bytes).encode()) }),
    'signature.verify_with': (input, suite) => {
      const ciphersuite = ciphersuiteOf(input.ciphersuite);
      const key = decoded(q.PublicKey, suite, input.public_key);
      key.verifyWith(ciphersuite, bytes(input.message), decoded(q.Signature, suite, input.signature));
    },
    'header.peek': (input, _suite, output) => {
      const isSuite = (number) => Object.values(q.SUITE_NUMBERS).includes(number);
      // The core leaves the suite's number to its caller; here a number without a suite is an error.
      if (output && !isSuite(output.suite)) return refused(() => q.UntrustedHeader.peek(bytes(input.bytes)), output);
      const header = q.UntrustedHeader.peek(bytes(input.bytes));
      same(q.UntrustedHeader.decode(header.encode()), header.encode());
      const { suite, kind, epoch, view } = header;
      return { suite: q.SUITE_NUMBERS[suite], kind, epoch: String(epoch), view: String(view) };
    },
  };
}
