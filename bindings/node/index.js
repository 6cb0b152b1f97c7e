'use strict';
// The package for `require`, and the single instance that `import` uses too; index.d.ts describes it.

/** A copy of a module whose namespaces are frozen. */
const shown = (module) =>
  Object.fromEntries(
    Object.entries(module).map(([name, value]) => [name, value?.__esModule ? Object.freeze(shown(value)) : value]),
  );

module.exports = shown(require('./dist/classes/index.js'));
