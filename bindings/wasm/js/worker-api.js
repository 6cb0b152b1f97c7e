// The exports of `quorate-wasm/worker` beside `startWorker`.

export { CertificateWorker, CertificateWorkerCommittee, MAX_MEMBERS, QuorateWorker, WorkerCommittee } from '../dist/whole/worker-classes.js';
export { MAX_WAITING } from './calls.js';
export { Suite } from '../dist/whole/suites.js';
export { VERSION } from '../dist/common/version.js';
export * from '../dist/common/public-errors.js';
