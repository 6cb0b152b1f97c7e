import * as api from './certificate-web.js';
import { serve } from './thread.js';

const perform = serve(api, (message, transfer) => postMessage(message, transfer));
onmessage = ({ data }) => perform(data);
