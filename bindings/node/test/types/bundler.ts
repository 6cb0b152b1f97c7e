// As a bundler sees it.
import { Suite, VERSION, bls, wire } from 'quorate';

export const about: [string, Suite] = [VERSION, Suite.MinSig];
export const reader = new wire.Reader(new Uint8Array(3));
export const sum = bls.aggregate;
