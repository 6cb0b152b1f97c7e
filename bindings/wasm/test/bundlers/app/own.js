// A page with a Worker of its own.
window.verify = (sample) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./own-worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(sample);
  });
