// A page with the package's Worker: the minimal code, and its small build.
import * as helper from 'quorate-wasm/worker';
import { cases } from '../../worker-cases.mjs';

window.verify = async (sample) => {
  for (const run of Object.values(cases)) await run(helper, [sample]);
  return window.verifySmall(sample);
};
window.verifySmall = async ({ suite, publicKeys, certificate }) => {
  const worker = await helper.startWorker({ build: 'certificate' });
  const committee = await worker.committeeFromAttested(suite, 'worker', 5n, publicKeys.map((key) => [key, 1n]));
  const { signers } = await committee.verifyCertificate(certificate);
  worker.terminate();
  return signers;
};
