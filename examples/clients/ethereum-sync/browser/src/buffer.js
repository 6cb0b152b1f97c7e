// @chainsafe/ssz takes Node's Buffer for granted; it must be there before that is loaded. The slash keeps bundlers from
// looking for Node's own.
import { Buffer } from 'buffer/';

globalThis.Buffer ??= Buffer;
