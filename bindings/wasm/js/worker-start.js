// Starts a Worker, given how this environment makes one.

import { Calls } from './calls.js';
import { options } from '../dist/common/check.js';
import { shown } from '../dist/common/shown.js';
import { signalOf } from '../dist/common/signal.js';
import { CertificateWorker, QuorateWorker, TOKEN } from '../dist/whole/worker-classes.js';

/** `spawn` creates the Worker of a build; `located` returns the location of its module in a form that can be posted. */
export function starter(spawn, located) {
  return async function startWorker(given) {
    const { build = 'full', source } = options(given);
    if (build !== 'full' && build !== 'certificate') {
      throw new TypeError(`options.build must be 'full' or 'certificate', not ${typeof build === 'string' ? `'${build}'` : shown(build)}`);
    }
    const signal = signalOf(given);
    if (signal?.aborted) throw signal.reason;
    const calls = new Calls(spawn(build));
    try {
      await calls.call('init', located(source), signal);
    } catch (error) {
      calls.end();
      throw error;
    }
    return new (build === 'full' ? QuorateWorker : CertificateWorker)(TOKEN, calls);
  };
}
