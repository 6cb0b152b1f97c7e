// The exports of `quorate-wasm/worker` beside `startWorker`.

export { CertificateWorker, CertificateWorkerCommittee, QuorateWorker, WorkerCommittee } from './worker-classes.js';
export { MAX_WAITING } from './calls.js';
export { MAX_MEMBERS, Suite } from './constants.js';
export { VERSION } from './version.js';
export * from './public-errors.js';
