// Starts a Worker, given how this environment makes one.

import { Calls } from './calls.js';
import { options, shown } from './check.js';
import { CertificateWorker, QuorateWorker, TOKEN, signalOf } from './worker-classes.js';

export function starter(spawn) {
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

/** A relative URL is meant from where the page is, and a URL object cannot be posted. */
function located(source) {
  if (typeof source !== 'string' && !(source instanceof URL)) return source;
  return new URL(source, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}
