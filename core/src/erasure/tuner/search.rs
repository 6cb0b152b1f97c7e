use alloc::vec::Vec;

use crate::Result;
use crate::erasure::{Coding, ErasureSuite, Packets, Shape};
use crate::split_mix::SplitMix64;

/// Number of start points of each hill climb.
const STARTS: usize = 3;

/// The search space: the parameters with which suite 3 can code a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchSpace {
    shape: Shape,
    message: usize,
    /// For each word size, which packet sizes are possible.
    words: Vec<(u8, [bool; SIZES])>,
}

/// Number of possible packet sizes, which are powers of two.
const SIZES: usize = Packets::MAX_LOG2_PACKET as usize + 1;

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// The measured parameters.
    pub packets: Packets,
    /// Cost in the unit of the measuring function; less is better.
    pub cost: u64,
}

/// All measurements in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    measurements: Vec<Measurement>,
}

impl SearchSpace {
    /// Creates the space for messages of `message` bytes: the smallest word with more values than there are shards,
    /// the next `successors` word sizes, and all possible packets for them.
    ///
    /// # Errors
    /// [`Error::BadShape`](crate::Error::BadShape) if suite 3 does not support this shape at all, or
    /// [`Error::TooLarge`](crate::Error::TooLarge) if it cannot code such a message.
    pub fn new(shape: Shape, message: usize, successors: u8) -> Result<Self> {
        let first: u8 = (2..=16).find(|word| 1 << word > shape.shards()).unwrap_or(16);
        let words = (first..=first.saturating_add(successors).min(16)).filter_map(|word| {
            let possible = core::array::from_fn(|log2| coding(shape, message, word, log2).is_ok());
            possible.contains(&true).then_some((word, possible))
        });
        let words: Vec<_> = words.collect();
        if words.is_empty() {
            coding(shape, message, first, 0)?;
        }
        Ok(Self { shape, message, words })
    }

    /// Restricts the space to packets of at most 2^`log2` bytes.
    #[must_use]
    pub fn with_packets_up_to(mut self, log2: u8) -> Self {
        for (_, possible) in &mut self.words {
            possible.iter_mut().skip(usize::from(log2) + 1).for_each(|is| *is = false);
        }
        self
    }

    /// Returns the numbers of shards.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the message length in bytes.
    pub fn message(&self) -> usize {
        self.message
    }

    /// Returns the number of parameters in the space, which is the maximum number of measurements.
    pub fn size(&self) -> usize {
        self.words.iter().flat_map(|(_, possible)| possible).filter(|is| **is).count()
    }
}

impl SearchResult {
    /// Returns the parameters of least cost; the first measured among equals.
    pub fn best(&self) -> Option<Measurement> {
        self.measurements.iter().min_by_key(|trial| trial.cost).copied()
    }

    /// Returns all measurements in order.
    pub fn measurements(&self) -> &[Measurement] {
        &self.measurements
    }
}

/// Climbs the hills of a space, one for each word size, from a few start points derived from `seed`. No parameters
/// are measured twice.
///
/// # Errors
/// The first error of `measure`, which ends the search.
pub fn hill_climb<E>(
    space: &SearchSpace,
    seed: u64,
    mut measure: impl FnMut(Packets) -> core::result::Result<u64, E>,
) -> core::result::Result<SearchResult, E> {
    let (mut found, mut random) = (SearchResult::default(), SplitMix64(seed));
    for (word, possible) in &space.words {
        let mut known = [None; SIZES];
        let mut cost = |log2: usize| -> core::result::Result<Option<u64>, E> {
            let (Some(true), Some(known)) = (possible.get(log2), known.get_mut(log2)) else {
                return Ok(None);
            };
            // The space contains valid packets only.
            let (None, Ok(packets)) = (*known, Packets::new(*word, log2 as u8)) else { return Ok(*known) };
            let cost = measure(packets)?;
            found.measurements.push(Measurement { packets, cost });
            *known = Some(cost);
            Ok(*known)
        };
        let places: Vec<usize> = (0..SIZES).filter(|log2| possible.get(*log2) == Some(&true)).collect();
        for _ in 0..STARTS {
            let Some(mut at) = places.get(below(&mut random, places.len())).copied() else { break };
            let Some(mut least) = cost(at)? else { break };
            loop {
                let mut next = None;
                for neighbour in [at.checked_sub(1), at.checked_add(1)].into_iter().flatten() {
                    if let Some(cost) = cost(neighbour)?.filter(|cost| *cost < least) {
                        (least, next) = (cost, Some(neighbour));
                    }
                }
                match next {
                    Some(better) => at = better,
                    None => break,
                }
            }
        }
    }
    Ok(found)
}

fn coding(shape: Shape, message: usize, word: u8, log2: usize) -> Result<Coding> {
    let packets = Packets::new(word, u8::try_from(log2).unwrap_or(u8::MAX))?;
    Coding::new(ErasureSuite::Jerasure(packets), shape, message)
}

/// Draws a number below `n`, the same on every machine; 0 if `n` is 0.
fn below(random: &mut SplitMix64, n: usize) -> usize {
    (random.next_u64() % n.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use core::convert::Infallible;
    use proptest::prelude::*;

    fn space(members: u16, message: usize, successors: u8) -> SearchSpace {
        SearchSpace::new(Shape::for_committee(members, members / 4).unwrap(), message, successors).unwrap()
    }

    #[test]
    fn word_sizes_start_as_in_the_paper() {
        let words = |members, successors| {
            space(members, 100, successors).words.iter().map(|(word, _)| *word).collect::<Vec<_>>()
        };
        assert_eq!(words(100, 0), [7]);
        assert_eq!(words(100, 2), [7, 8, 9]);
        assert_eq!(words(128, 0), [8], "more values than shards, not as many");
        assert_eq!(words(1, 0), [2]);
        assert_eq!(words(100, 255).last(), Some(&16));
    }

    #[test]
    fn impossible_parameters_are_not_searched() {
        let large = Shape::new(600, 600).unwrap();
        assert_eq!(SearchSpace::new(large, 100, 3).unwrap_err().code(), "BAD_SHAPE");
        let long = SearchSpace::new(Shape::new(50, 50).unwrap(), usize::MAX / 2, 3);
        assert!(matches!(long, Err(Error::TooLarge { .. })));
        assert_eq!(space(100, 100, 0).with_packets_up_to(3).size(), 4);
    }

    #[test]
    fn the_first_error_ends_the_search() {
        let mut measured = 0;
        let outcome = hill_climb(&space(10, 100, 3), 1, |_| {
            measured += 1;
            if measured == 3 { Err("enough") } else { Ok(7) }
        });
        assert_eq!((outcome, measured), (Err("enough"), 3));
    }

    proptest! {
        #[test]
        fn single_minimum_is_found(seed: u64, top in 0u8..=16, word in 0u8..3) {
            let space = space(100, 1000, 2);
            let cost = |p: Packets| u64::from(p.log2_packet().abs_diff(top)) + 2 * u64::from((p.word() - 7).abs_diff(word));
            let found = hill_climb(&space, seed, |p| Ok::<u64, Infallible>(cost(p))).unwrap();
            let best = found.best().unwrap();
            prop_assert_eq!((best.packets.log2_packet(), best.packets.word() - 7, best.cost), (top, word, 0));
            prop_assert_eq!(&hill_climb(&space, seed, |p| Ok::<u64, Infallible>(cost(p))).unwrap(), &found);
        }

        #[test]
        fn nothing_is_measured_twice_and_the_best_is_a_local_minimum(seed: u64, costs in proptest::collection::vec(0u64..9, 51)) {
            let space = space(100, 1000, 2);
            let cost = |p: Packets| costs[usize::from(p.word() - 7) * 17 + usize::from(p.log2_packet())];
            let found = hill_climb(&space, seed, |p| Ok::<u64, Infallible>(cost(p))).unwrap();
            let mut seen: Vec<Packets> = found.measurements().iter().map(|trial| trial.packets).collect();
            prop_assert!(seen.len() <= space.size());
            seen.sort();
            let measured = seen.len();
            seen.dedup();
            prop_assert_eq!(seen.len(), measured);
            let best = found.best().unwrap();
            for log2 in [best.packets.log2_packet().wrapping_sub(1), best.packets.log2_packet() + 1] {
                if let Ok(neighbour) = Packets::new(best.packets.word(), log2) {
                    prop_assert!(cost(neighbour) >= best.cost);
                }
            }
        }
    }
}
