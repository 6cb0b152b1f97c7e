//! The interface of all codes. It validates every input, so that no code receives one that it cannot handle.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::code::Code;
use super::gf8::Gf8;
#[cfg(all(feature = "jerasure", not(target_family = "wasm")))]
use super::jerasure::Jerasure;
use super::leopard::Leopard;
use super::shape::{Coding, ErasureSuite};
use super::shards::Shards;
use crate::{Error, Result};

/// Computes parity shards and restores lost data shards, for one coding. It owns the code's tables and working
/// memory, up to twice the size of the largest message so far. Constructing one takes longer than coding a short
/// message, so reuse it.
pub struct Coder {
    coding: Coding,
    code: Box<dyn Code>,
}

impl Coder {
    /// Creates a coder.
    ///
    /// # Errors
    /// [`Error::BadShape`] if the code is not part of this build.
    pub fn new(coding: Coding) -> Result<Self> {
        let code: Box<dyn Code> = match coding.suite() {
            ErasureSuite::Leopard => Box::new(Leopard::default()),
            ErasureSuite::Gf8 => Box::new(Gf8::new(coding.shape())),
            #[cfg(all(feature = "jerasure", not(target_family = "wasm")))]
            ErasureSuite::Jerasure(packets) => Box::new(Jerasure::new(coding.shape(), packets)?),
            #[cfg(not(all(feature = "jerasure", not(target_family = "wasm"))))]
            ErasureSuite::Jerasure(_) => {
                let rule = "suite 3 is not in this build; compile it natively with the feature `jerasure`";
                return Err(Error::BadShape { rule });
            }
        };
        Ok(Self { coding, code })
    }

    /// Returns the coding.
    pub fn coding(&self) -> &Coding {
        &self.coding
    }

    /// Computes the parity shards from the data shards.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for shards of another shape, or of a length that the code does not support.
    pub fn fill_parity(&mut self, shards: &mut Shards) -> Result<()> {
        self.fits(shards)?;
        if self.coding.shape().parity() == 0 { Ok(()) } else { self.code.encode(shards) }
    }

    /// Restores the data shards that are not `present`, ignoring their content. Parity shards are left as they are:
    /// [`fill_parity`](Coder::fill_parity) restores them.
    ///
    /// This does not verify that the shards belong to one message. Use [`decode`](Coder::decode) for received shards.
    ///
    /// # Errors
    /// [`Error::WrongContext`] as above, [`Error::Malformed`] if the length of `present` is not the number of shards,
    /// [`Error::BelowQuorum`] if fewer are present than there are data shards.
    pub fn restore(&mut self, shards: &mut Shards, present: &[bool]) -> Result<()> {
        self.fits(shards)?;
        let shape = self.coding.shape();
        if present.len() != shape.shards() {
            return Err(Error::Malformed {
                what: "list of present shards: length differs from the number of shards",
            });
        }
        let indices = |wanted: bool| {
            present.iter().enumerate().filter(move |(_, is)| **is == wanted).map(|(index, _)| index)
        };
        let sources: Vec<usize> = indices(true).take(shape.data()).collect();
        if sources.len() < shape.data() {
            let (signed, needed) = (sources.len() as u128, shape.data() as u128);
            return Err(Error::BelowQuorum { signed, needed });
        }
        let lost: Vec<usize> = indices(false).take_while(|index| *index < shape.data()).collect();
        if lost.is_empty() { Ok(()) } else { self.code.restore(shards, &sources, &lost) }
    }

    /// Drops the cached tables of the last restoration, for measurements.
    pub(super) fn clear_cache(&mut self) {
        self.code.clear_cache();
    }

    fn fits(&self, shards: &Shards) -> Result<()> {
        let fits = shards.shape() == self.coding.shape()
            && shards.shard_len().is_multiple_of(self.coding.suite().unit());
        if fits { Ok(()) } else { Err(Error::WrongContext { what: "shape of the shards" }) }
    }
}

impl fmt::Debug for Coder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coder").field("coding", &self.coding).finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::erasure::{Packets, Shape};
    use proptest::prelude::*;

    /// Generates the suites of this build.
    pub(in super::super) fn suites() -> impl Strategy<Value = ErasureSuite> {
        let packets = (2u8..=10, 0u8..=6).prop_map(|(word, log2)| Packets::new(word, log2).unwrap());
        let all = prop_oneof![
            Just(ErasureSuite::Leopard),
            Just(ErasureSuite::Gf8),
            packets.prop_map(ErasureSuite::Jerasure)
        ];
        all.prop_filter("in this build", ErasureSuite::is_available)
    }

    /// Generates a valid coding and a message for it.
    pub(in super::super) fn codings() -> impl Strategy<Value = (Coding, Vec<u8>)> {
        (suites(), 1u16..30, 0u16..30, proptest::collection::vec(any::<u8>(), 0..3000)).prop_filter_map(
            "the suite makes such shards",
            |(suite, data, parity, message)| {
                let coding = Coding::new(suite, Shape::new(data, parity).ok()?, 3000).ok()?;
                Some((coding, message))
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 96 } else { 512 }))]

        #[test]
        fn any_k_of_n_shards_restore_the_others(
            (coding, message) in codings(),
            order in proptest::collection::vec(any::<u32>(), 60),
            extra in 0usize..3,
        ) {
            let (shape, mut coder) = (coding.shape(), Coder::new(coding)?);
            let mut whole = Shards::from_message(&coding, &message)?;
            coder.fill_parity(&mut whole)?;

            let mut places: Vec<usize> = (0..shape.shards()).collect();
            places.sort_by_key(|place| order[*place]);
            let present: Vec<bool> = (0..shape.shards())
                .map(|index| places.iter().position(|p| *p == index).unwrap() < shape.data() + extra)
                .collect();
            let mut damaged = whole.clone();
            for (shard, is) in damaged.iter_mut().zip(&present) {
                if !is {
                    shard.fill(0xa5);
                }
            }
            coder.restore(&mut damaged, &present)?;
            prop_assert_eq!(damaged.message(message.len())?, &message[..]);
            coder.fill_parity(&mut damaged)?;
            prop_assert_eq!(&damaged, &whole);

            let mut few = present;
            let mut left = shape.data() - 1;
            few.iter_mut().for_each(|is| { *is = *is && left > 0; left -= usize::from(*is); });
            let refused = coder.restore(&mut damaged, &few).unwrap_err();
            prop_assert_eq!(refused.code(), "BELOW_QUORUM");
        }
    }

    #[test]
    fn shards_of_another_shape_never_reach_the_code() {
        let coding =
            |suite, data, parity| Coding::new(suite, Shape::new(data, parity).unwrap(), 999).unwrap();
        let mut coder = Coder::new(coding(ErasureSuite::Leopard, 4, 2)).unwrap();
        let code = |result: Result<()>| result.map_err(|error| error.code());
        for other in [
            coding(ErasureSuite::Leopard, 4, 3),
            coding(ErasureSuite::Leopard, 3, 3),
            coding(ErasureSuite::Gf8, 4, 2),
        ] {
            let mut shards = Shards::from_message(&other, &[7; 9]).unwrap();
            let refused = Err("WRONG_CONTEXT");
            assert_eq!(code(coder.fill_parity(&mut shards)), refused);
            assert_eq!(code(coder.restore(&mut shards, &[true; 6])), refused);
        }
        let mut shards = Shards::from_message(coder.coding(), &[7; 9]).unwrap();
        assert_eq!(code(coder.restore(&mut shards, &[true; 5])), Err("MALFORMED"));
        assert_eq!(code(coder.restore(&mut shards, &[true; 7])), Err("MALFORMED"));
        assert_eq!(code(coder.restore(&mut shards, &[])), Err("MALFORMED"));
    }

    #[test]
    fn the_largest_shapes_work() {
        for (suite, data, parity) in [
            (ErasureSuite::Gf8, 255, 1),
            (ErasureSuite::Gf8, 1, 255),
            (ErasureSuite::Gf8, 128, 128),
            (ErasureSuite::Leopard, 300, 900),
            (ErasureSuite::Leopard, 32_767, 1),
            (ErasureSuite::Leopard, 1, 32_767),
        ] {
            let len = 70_000.min(20 * u32::from(data));
            let message: Vec<u8> = (0..len).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
            let coding = Coding::new(suite, Shape::new(data, parity).unwrap(), message.len()).unwrap();
            let mut coder = Coder::new(coding).unwrap();
            let mut shards = Shards::from_message(&coding, &message).unwrap();
            coder.fill_parity(&mut shards).unwrap();
            let lost = usize::from(parity.min(data));
            let present: Vec<bool> = (0..coding.shape().shards()).map(|index| index >= lost).collect();
            shards.iter_mut().take(lost).for_each(|shard| shard.fill(1));
            coder.restore(&mut shards, &present).unwrap();
            assert_eq!(shards.message(message.len()), Ok(&message[..]), "{suite:?} {data} {parity}");
        }
    }
}
