// quorate in Node, native or as WebAssembly: `node with-quorate.mjs MODULE WORLD`.

import { pathToFileURL } from 'node:url';
import { bytes, refuses, required, serve, world } from './loop.mjs';

const quorate = await import(pathToFileURL(process.argv[2]));
const { Certificate, ChainId, Committee, PublicKey, SecretKey, Signature, Suite, VERSION, VerifiedKey, bls, dsig } = quorate;
const chain = ChainId.fromName('bench');

function certificates(suite, name) {
  const given = world.certificates[name];
  const members = given.keys.map((key) => [PublicKey.decode(suite, bytes(key)), 1n]);
  const committee = Committee.fromAttested(chain, 1n, members, {});
  const [encoded, forged] = [bytes(given.certificate), bytes(given.forged)];
  const certificate = Certificate.decode(encoded, committee);
  required(certificate.verify(committee).value.equals(certificate), name);
  required(refuses(() => Certificate.decode(forged, committee).verify(committee)), `${name}, forged`);
  return {
    [`verify-${name}`]: () => certificate.verify(committee),
    [`decode-${name}`]: () => Certificate.decode(encoded, committee).verify(committee),
  };
}

function sync() {
  const given = world.sync;
  const encoded = given.keys.map(bytes);
  const [message, proof, forged] = [bytes(given.message), bytes(given.signature), bytes(given.forged)];
  const committeeOfBytes = () => {
    const members = encoded.map((key) => [PublicKey.decode(Suite.MinPk, key), 1n]);
    return Committee.fromAttested(chain, 1n, members, { allowRepeats: true });
  };
  const committee = committeeOfBytes();
  const signers = committee.signerSet({ indices: given.signers });
  const keys = given.signers.map((i) => VerifiedKey.fromSecret(SecretKey.fromBytes(Suite.MinPk, bytes(given.secrets[i]))));
  const signature = Signature.decode(Suite.MinPk, proof);
  required(committee.verifyRaw(message, signers, proof) === BigInt(keys.length), 'the cached committee');
  required(refuses(() => committee.verifyRaw(message, signers, forged)), 'the cached committee, forged');
  required(refuses(() => bls.fastAggregateVerify(keys.slice(1), message, signature)), 'decoded keys, one missing');
  return {
    'sync-cached': () => committee.verifyRaw(message, signers, proof),
    'sync-keys': () => bls.fastAggregateVerify(keys, message, signature),
    'sync-bytes': () => {
      const fresh = committeeOfBytes();
      fresh.verifyRaw(message, fresh.signerSet({ indices: given.signers }), proof);
    },
  };
}

function oneTime() {
  const given = world.dsig;
  const signer = PublicKey.decode(Suite.Ed25519, bytes(given.signer));
  const [message, other, signatures] = [bytes(given.message), bytes(given.other), given.signatures.map(bytes)];
  const verifier = new dsig.Verifier();
  verifier.admit(signer);
  verifier.announce(signer, bytes(given.announcement), BigInt(given.now));
  required(verifier.canVerifyFast(signer, signatures[0]), 'DSig, announced');
  required(refuses(() => verifier.verify(signer, other, signatures[0])), 'DSig, forged');
  let turn = 0;
  return {
    'dsig-verify': () => {
      verifier.verify(signer, message, signatures[turn]);
      turn = (turn + 1) % signatures.length;
    },
  };
}

const suites = { 'min-sig': Suite.MinSig, 'min-pk': Suite.MinPk, ed25519: Suite.Ed25519 };
const operations = Object.entries(suites).map(([name, suite]) => certificates(suite, name));
serve(`quorate ${VERSION}, Node ${process.versions.node}`, Object.assign({}, ...operations, sync(), oneTime()));
