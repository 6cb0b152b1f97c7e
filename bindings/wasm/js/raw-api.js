// Signatures of other chains: methods of `Committee` and of keys that only the whole package has.

import { ciphersuiteApi } from '../generated/ciphersuite.js';
import { bytes, list, pair, triple, u16 } from './check.js';
import { fill } from './common.js';
import { open, wrap } from './handle.js';

/** Adds the methods and returns the class. */
export function rawApi(wasm, { Committee, SignerSet, PublicKey, SecretKey, Signature }) {
  const { Ciphersuite } = ciphersuiteApi(wasm);
  const openCiphersuite = (value) => open(value, Ciphersuite, 'ciphersuite');

  Object.assign(SecretKey.prototype, {
    signWith(ciphersuite, message) {
      const parts = [openCiphersuite(ciphersuite), bytes(message, 'message')];
      return wrap(Signature, open(this, SecretKey).sign_with(...parts));
    },
  });
  Object.assign(PublicKey.prototype, {
    verifyWith(ciphersuite, message, signature) {
      const parts = [openCiphersuite(ciphersuite), bytes(message, 'message')];
      open(this, PublicKey).verify_with(...parts, open(signature, Signature, 'signature'));
    },
  });
  // The objects are opened again after the caller's iterator has run, which may have freed them.
  Object.assign(Committee.prototype, {
    withCiphersuite(ciphersuite) {
      return wrap(Committee, open(this, Committee).with_ciphersuite(openCiphersuite(ciphersuite)));
    },
    verifyRawEach(signed, proof) {
      // One member more than the committee has suffices: the core reports the one that is repeated or unknown.
      const limit = open(this, Committee).size();
      const pairs = list(signed, 'signed', (value, what) => pair(value, what, u16, bytes), limit);
      const context = [open(this, Committee), bytes(proof, 'proof')];
      const raw = wasm().RawSigned.empty();
      for (const [member, message] of pairs) raw.add(member, message);
      return raw.verify(...context);
    },
    verifyRawBatch(items) {
      open(this, Committee);
      const signerSet = (value, what) => {
        open(value, SignerSet, what);
        return value;
      };
      const one = (item, what) => triple(item, what, bytes, signerSet, bytes);
      const raw = wasm().RawProofs.empty();
      const add = ([message, signers, proof]) => raw.add(message, open(signers, SignerSet, 'signers'), proof);
      const weights = fill(raw, items, 'items', one, add).verify(open(this, Committee));
      return weights.map((weight) => {
        const error = weight.error();
        return weight.weight() ?? error;
      });
    },
  });
  return { Ciphersuite };
}
