export const MAX_MEMBERS = 65_535;
export const Suite = Object.freeze({
  MinSig: 'bls-min-sig',
  MinPk: 'bls-min-pk',
  Ed25519: 'ed25519',
  MinSigCounted: 'bls-min-sig-counted',
  MinPkCounted: 'bls-min-pk-counted',
});
export const SUITE_NUMBERS = Object.freeze({
  'bls-min-sig': 1,
  'bls-min-pk': 2,
  ed25519: 3,
  'bls-min-sig-counted': 4,
  'bls-min-pk-counted': 5,
});
