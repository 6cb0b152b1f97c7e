// For pages and bundlers. The two `new Worker(new URL(…, import.meta.url))` are written out because bundlers search for
// this form; only the requested one is downloaded.

import { starter } from './worker-start.js';

export * from './worker-api.js';

function spawn(build) {
  const worker =
    build === 'certificate'
      ? new Worker(new URL('./thread-certificate-web.js', import.meta.url), { type: 'module' })
      : new Worker(new URL('./thread-full-web.js', import.meta.url), { type: 'module' });
  return {
    listen(answered, broken) {
      worker.onmessage = ({ data }) => answered(data);
      worker.onmessageerror = () => broken('an answer could not be read');
      worker.onerror = (event) => {
        event.preventDefault();
        broken(event.message || 'its script could not be loaded');
      };
    },
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold() {},
    stop: () => worker.terminate(),
  };
}

/** A relative URL is resolved against the page, and a URL object cannot be posted. */
function located(source) {
  if (typeof source !== 'string' && !(source instanceof URL)) return source;
  return new URL(source, globalThis.document?.baseURI ?? globalThis.location.href).href;
}

export const startWorker = starter(spawn, located);
