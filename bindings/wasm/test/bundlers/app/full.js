// A page that runs the whole package on its own thread.
import init, { Certificate, ChainId, Committee, MalformedError, SecretKey, UnverifiedKey } from 'quorate-wasm';

window.verify = async ({ suite, keys, certificate }) => {
  await init();
  const members = keys.map((key) => [UnverifiedKey.decode(suite, key).verify(), 1n]);
  const committee = new Committee(ChainId.fromName('worker'), 5n, members);
  if (String(SecretKey.generate(suite)) !== `SecretKey(${suite})`) throw new Error('the names are gone');
  try {
    Certificate.decode(certificate.slice(1), committee);
  } catch (error) {
    if (!(error instanceof MalformedError) && error.name !== 'MalformedError' && error.code === undefined) throw error;
  }
  return [...Certificate.decode(certificate, committee).verify(committee).value.signers];
};
