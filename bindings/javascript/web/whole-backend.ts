// The functions of `dsig` that differ from the methods of the module's classes: they take and return lists, or results of
// several parts. The last part to be read consumes such a result, so that nothing is left to free.

import { type Backend, filled, provide } from './backend.js';

/** Uses the loaded module of the whole package. */
export const provideWhole = (exports: any): void => provide(exports, whole);

const whole = (module: Backend): Backend => ({
  dsigSignerNew: (secret, suite, groups, ...limits) => {
    let sets;
    try {
      sets = filled(module.dsigGroupsEmpty!(), groups);
    } catch (error) {
      secret.free();
      throw error;
    }
    return module.dsigSignerNew!(secret, suite, sets, ...limits);
  },
  // The object is freed next, which overwrites the keys.
  dsigSignerClose: () => {},
  dsigVerifyAll: (suite, ...columns) => filled(module.dsigEntriesEmpty!(), ...columns).verify(suite),
  dsigSignerPrepare: (...given) => announced(module.dsigSignerPrepare!(...given)),
  dsigSignerAnnouncements: (signer) => signer.announcements().map(announced),
});

function announced(made: any) {
  if (made === undefined) return undefined;
  const to = made.to();
  return { to: to && Array.from(to), announcement: made.announcement() };
}
