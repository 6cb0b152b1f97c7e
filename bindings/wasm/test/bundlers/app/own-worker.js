import { Certificate, ChainId, Committee, PublicKey, init } from 'quorate-wasm/certificate';

onmessage = async ({ data: { suite, publicKeys, certificate } }) => {
  await init();
  const members = publicKeys.map((key) => [PublicKey.decode(suite, key), 1n]);
  const committee = Committee.fromAttested(ChainId.fromName('worker'), 5n, members);
  postMessage([...Certificate.decode(certificate, committee).verify(committee).value.signers]);
};
