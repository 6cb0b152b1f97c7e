// Defines the global `Buffer` of Node, which @chainsafe/ssz uses, before that package is loaded. The trailing slash selects
// the npm package `buffer` instead of Node's built-in module.
import { Buffer } from 'buffer/';

globalThis.Buffer ??= Buffer;
