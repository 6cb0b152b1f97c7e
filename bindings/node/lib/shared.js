'use strict';
// What `threshold` needs of the classes compiled from TypeScript.

const { errorOf, native } = require('../dist/classes/backend.js');
const { Guard, GuardRecord } = require('../dist/classes/guard.js');
const { opener, wrap } = require('../dist/classes/handle.js');
const { CommitteeId } = require('../dist/classes/ids.js');
const { Signature } = require('../dist/classes/keys.js');
const { offThread } = require('../dist/classes/offthread.js');
const { PublicKey } = require('../dist/classes/public-key.js');
const check = require('../dist/common/check.js');
const { hex } = require('../dist/common/hex.js');

const maker = (Class) => (raw) => wrap(Class, raw);

module.exports = {
  native,
  check,
  hex,
  offThread,
  failure: errorOf,
  openCommitteeId: opener(CommitteeId),
  openGuard: opener(Guard),
  openSignature: opener(Signature),
  makeCommitteeId: maker(CommitteeId),
  makeGuardRecord: maker(GuardRecord),
  makePublicKey: maker(PublicKey),
  makeSignature: maker(Signature),
};
