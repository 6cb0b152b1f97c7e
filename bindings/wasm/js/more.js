// `threshold` over the module's exports; `wasm()` returns them, or throws if they are not loaded yet.

import { Guard, GuardRecord } from '../dist/whole/guard.js';
import { opener } from '../dist/whole/handle.js';
import { CommitteeId } from '../dist/whole/ids.js';
import { Signature } from '../dist/whole/keys.js';
import { PublicKey } from '../dist/whole/public-key.js';
import { thresholdApi } from './threshold/index.js';

const classes = { CommitteeId, openCommitteeId: opener(CommitteeId), Guard, GuardRecord, PublicKey, Signature };

export const more = (wasm) => ({ threshold: thresholdApi(wasm, classes) });
