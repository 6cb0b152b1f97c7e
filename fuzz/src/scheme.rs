//! The five schemes, selected by one byte of input.

use quorate::bls::{Counted, MinPk, MinSig};
use quorate::ed25519::Ed25519;

use crate::fixture::Fixed;

/// Code that is generic over the scheme of the input.
pub(crate) trait ForScheme {
    /// Runs the code with a scheme.
    fn run<S: Fixed>(self, bytes: &[u8]);
}

/// Selects the scheme by the first byte and passes the rest.
pub(crate) fn choose(bytes: &[u8], action: impl ForScheme) {
    let Some((first, rest)) = bytes.split_first() else { return };
    match first % 5 {
        0 => action.run::<MinSig>(rest),
        1 => action.run::<MinPk>(rest),
        2 => action.run::<Ed25519>(rest),
        3 => action.run::<Counted<MinSig>>(rest),
        _ => action.run::<Counted<MinPk>>(rest),
    }
}

/// Seeds of all schemes, each after its byte.
pub(crate) fn seeds_of_each(of: [fn() -> Vec<Vec<u8>>; 5]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (byte, seeds) in (0u8..).zip(of) {
        all.extend(seeds().into_iter().map(|seed| [&[byte], seed.as_slice()].concat()));
    }
    all
}
