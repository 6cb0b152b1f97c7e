// A page that only verifies certificates.
import { Certificate, ChainId, Committee, PublicKey, init } from 'quorate-wasm/certificate';

window.verify = async ({ suite, publicKeys, certificate }) => {
  await init();
  const members = publicKeys.map((key) => [PublicKey.decode(suite, key), 1n]);
  const committee = Committee.fromAttested(ChainId.fromName('worker'), 5n, members);
  return [...Certificate.decode(certificate, committee).verify(committee).value.signers];
};
