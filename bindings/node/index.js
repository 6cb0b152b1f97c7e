'use strict';
// The package for `require`, and the single instance that `import` uses too; index.d.ts describes it.

const { bls, dsig, erasure, gossip, sortition, wire, ...classes } = require('./dist/classes/index.js');

const namespaces = { bls, dsig, erasure, gossip, sortition, wire };
for (const [name, members] of Object.entries(namespaces)) namespaces[name] = Object.freeze({ ...members });

module.exports = { ...classes, ...namespaces, threshold: require('./lib/threshold/index.js') };
