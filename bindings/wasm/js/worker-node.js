// For Node: a thread of node:worker_threads, which keeps the process alive only while an answer is pending.

import { Worker } from 'node:worker_threads';
import { starter } from './worker-start.js';

export * from './worker-api.js';

function spawn(build) {
  // The program's own options do not apply to this thread; some, such as `--input-type`, would prevent its start.
  const worker = new Worker(new URL(`./thread-${build}-node.js`, import.meta.url), { execArgv: [] });
  return {
    listen(answered, broken) {
      worker.on('message', answered);
      worker.on('messageerror', () => broken('an answer could not be read'));
      worker.on('error', (error) => broken(error?.message ?? String(error)));
      worker.on('exit', (code) => broken(`it ended with code ${code}`));
    },
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    stop: () => void worker.terminate(),
  };
}

// The thread reads its module from disk.
export const startWorker = starter(spawn, () => undefined);
