import { parentPort } from 'node:worker_threads';
import * as api from './certificate-node.js';
import { serve } from './thread.js';

parentPort.on('message', serve(api, (message, transfer) => parentPort.postMessage(message, transfer)));
