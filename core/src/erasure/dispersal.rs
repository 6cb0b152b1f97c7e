//! Dispersal of a message as shards, and decoding.

use alloc::vec::Vec;

use super::coder::Coder;
use super::commitment::{CheckedShard, Commitment, TREE};
use super::shards::Shards;
use crate::merkle::Levels;
use crate::{Error, Result};

/// A message, all its shards, and the tree over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispersal {
    commitment: Commitment,
    shards: Shards,
    levels: Levels,
}

impl Dispersal {
    /// Returns the sender's commitment.
    pub fn commitment(&self) -> &Commitment {
        &self.commitment
    }

    /// Returns the message.
    pub fn message(&self) -> &[u8] {
        // The padding was created or verified in the constructor.
        self.shards.message(self.commitment.message_len()).unwrap_or_default()
    }

    /// Returns the message in the buffer of the shards.
    pub fn into_message(self) -> Vec<u8> {
        self.shards.into_message(self.commitment.message_len())
    }

    /// Returns all shards in one buffer.
    pub fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Returns the shard with this index, for the member with this index.
    ///
    /// # Errors
    /// [`Error::Malformed`] if there is no such shard.
    pub fn shard(&self, index: usize) -> Result<CheckedShard> {
        let (path, leaf) = self.levels.path(index)?;
        let bytes = self.shards.get(index).ok_or(Error::Malformed { what: "index of a shard" })?;
        Ok(CheckedShard::trusted(self.commitment, path, leaf, bytes))
    }
}

impl Coder {
    /// Makes all shards of a message and commits to them. Cost: computing the parity shards, and hashing all shards.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the message is longer than the coding allows.
    pub fn disperse(&mut self, message: &[u8]) -> Result<Dispersal> {
        let mut shards = Shards::from_message(self.coding(), message)?;
        self.fill_parity(&mut shards)?;
        let levels = TREE.levels(TREE.leaves(shards.iter()));
        let commitment = Commitment::new(self.coding(), message.len(), levels.root())?;
        Ok(Dispersal { commitment, shards, levels })
    }

    /// Restores the message and all shards from at least k shards of one commitment, where k is the number of data
    /// shards.
    ///
    /// **All members that decode shards of this commitment reach the same verdict**, whichever shards they have: the
    /// restored message is dispersed again and rejected unless the result has the same commitment. Thus a sender
    /// whose shards do not belong to one message is detected by all. The shards are the evidence: together with the
    /// sender's signature of the commitment they show others why [`Error::BadEncoding`] was returned.
    ///
    /// Cost: restoring the lost data shards, computing all parity shards, and hashing the shards that were not given.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if a shard has another commitment than the first or another coding,
    /// [`Error::DuplicateSigner`] if a shard is given twice, [`Error::BelowQuorum`] if fewer than k are given, and
    /// [`Error::BadEncoding`] if the shards do not belong to one message.
    pub fn decode(&mut self, given: &[CheckedShard]) -> Result<Dispersal> {
        let (count, needed) = (self.coding().shape().shards(), self.coding().shape().data());
        let too_few = Error::BelowQuorum { signed: given.len() as u128, needed: needed as u128 };
        let Some(first) = given.first() else { return Err(too_few) };
        let commitment = *first.commitment();
        commitment.fits(self.coding())?;
        let mut by_index: Vec<Option<&CheckedShard>> = alloc::vec![None; count];
        for shard in given {
            if shard.commitment() != &commitment {
                return Err(Error::WrongContext { what: "commitment of a shard" });
            }
            let place =
                by_index.get_mut(shard.index()).ok_or(Error::Malformed { what: "index of a shard" })?;
            if place.replace(shard).is_some() {
                return Err(Error::DuplicateSigner { index: shard.index() as u32 });
            }
        }
        // Checked before memory for all shards is allocated.
        if given.len() < needed {
            return Err(too_few);
        }
        let mut shards = Shards::zero(self.coding(), commitment.message_len())?;
        for (to, from) in shards.iter_mut().zip(&by_index) {
            if let Some(from) = from {
                to.copy_from_slice(from.bytes());
            }
        }
        let present: Vec<bool> = by_index.iter().map(Option::is_some).collect();
        self.restore(&mut shards, &present)?;
        shards.message(commitment.message_len())?;
        self.fill_parity(&mut shards)?;
        let leaf = |(shard, given): (&[u8], &Option<&CheckedShard>)| match given {
            Some(given) if given.bytes() == shard => Ok(*given.leaf()),
            Some(_) => Err(Error::BadEncoding),
            None => Ok(TREE.leaf(shard)),
        };
        let leaves = shards.iter().zip(&by_index).map(leaf).collect::<Result<_>>()?;
        let levels = TREE.levels(leaves);
        if &levels.root() != commitment.root() {
            return Err(Error::BadEncoding);
        }
        Ok(Dispersal { commitment, shards, levels })
    }
}

#[cfg(test)]
mod tests {
    use super::super::coder::tests::{codings, suites};
    use super::*;
    use crate::erasure::{Coding, ErasureSuite, Shape};
    use crate::wire::{Decode, Encode};
    use proptest::prelude::*;

    fn coder(suite: ErasureSuite, data: u16, parity: u16) -> Coder {
        Coder::new(Coding::new(suite, Shape::new(data, parity).unwrap(), 3000).unwrap()).unwrap()
    }

    fn received(coder: &Coder, bytes: &[u8]) -> Result<CheckedShard> {
        CheckedShard::decode(bytes, coder.coding())
    }

    /// Disperses a message, changes its shards, and commits to the changed ones.
    fn disperse_changed(coder: &mut Coder, message: &[u8], change: impl FnOnce(&mut Shards)) -> Dispersal {
        let honest = coder.disperse(message).unwrap();
        let mut shards = honest.shards.clone();
        change(&mut shards);
        let levels = TREE.levels(TREE.leaves(shards.iter()));
        let commitment = Commitment::new(coder.coding(), message.len(), levels.root()).unwrap();
        Dispersal { commitment, shards, levels }
    }

    /// Position of the message length in an encoded shard: after suite and shape.
    const LEN_FIELD: core::ops::Range<usize> = Commitment::LEN - 36..Commitment::LEN - 32;

    fn codes(result: Result<Dispersal>) -> &'static str {
        result.map_or_else(|error| error.code(), |_| "ok")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 64 } else { 256 }))]

        #[test]
        fn a_message_survives_the_loss_of_all_but_k_shards(
            (coding, message) in codings(),
            order in proptest::collection::vec(any::<u32>(), 60),
            extra in 0usize..3,
        ) {
            let mut coder = Coder::new(coding)?;
            let sent = coder.disperse(&message)?;
            prop_assert_eq!(sent.message(), &message[..]);
            let mut places: Vec<usize> = (0..coding.shape().shards()).collect();
            places.sort_by_key(|place| order[*place]);
            let mut shards = Vec::new();
            for place in places.into_iter().take(coding.shape().data() + extra) {
                let bytes = sent.shard(place)?.encode();
                prop_assert!(bytes.len() <= CheckedShard::max_encoded_len(&coding));
                let shard = received(&coder, &bytes)?;
                prop_assert_eq!((shard.index(), shard.commitment()), (place, sent.commitment()));
                prop_assert_eq!(shard.encode(), bytes);
                shards.push(shard);
            }
            let decoded = coder.decode(&shards)?;
            prop_assert_eq!(&decoded, &sent);
            prop_assert_eq!(decoded.into_message(), message);
            shards.truncate(coding.shape().data() - 1);
            prop_assert_eq!(codes(coder.decode(&shards)), "BELOW_QUORUM");
        }

        #[test]
        fn every_changed_shard_is_detected(
            (coding, message) in codings(),
            place: prop::sample::Index,
            at: prop::sample::Index,
            change in 1u8..,
            cut in 1usize..40,
        ) {
            let mut coder = Coder::new(coding)?;
            let sent = coder.disperse(&message)?;
            let mut bytes = sent.shard(place.index(coding.shape().shards()))?.encode();
            let at = at.index(bytes.len());
            bytes[at] ^= change;
            if let Ok(other) = received(&coder, &bytes) {
                // The root does not determine the length. With another length of equal shard length the commitment is
                // that of another message, and its shards do not mix with these.
                let len = other.commitment().message_len();
                prop_assert!(LEN_FIELD.contains(&at), "byte {}", at);
                prop_assert!(len != message.len() && coding.shard_len(len) == coding.shard_len(message.len()));
                prop_assert_ne!(other.commitment().identity(), sent.commitment().identity());
                let mut mixed = alloc::vec![other];
                mixed.extend((0..coding.shape().data()).map(|i| sent.shard(i).unwrap()));
                prop_assert_eq!(codes(coder.decode(&mixed)), "WRONG_CONTEXT");
            }
            bytes[at] ^= change;
            prop_assert!(received(&coder, &bytes).is_ok());
            prop_assert!(received(&coder, &bytes[..bytes.len().saturating_sub(cut)]).is_err());
            bytes.extend([0].repeat(cut));
            prop_assert!(received(&coder, &bytes).is_err());
        }

        #[test]
        fn all_receivers_refuse_inconsistent_shards(
            suite in suites().prop_filter("in this shape", |s| s.allow(Shape::new(4, 4).unwrap()).is_ok()),
            message in proptest::collection::vec(any::<u8>(), 0..300),
            place in 0usize..8,
            at: prop::sample::Index,
            change in 1u8..,
            taken in proptest::sample::subsequence((0..8).collect::<Vec<usize>>(), 4..=8),
        ) {
            let mut coder = coder(suite, 4, 4);
            let changed = disperse_changed(&mut coder, &message, |shards| {
                let shard = shards.get_mut(place).unwrap();
                let at = at.index(shard.len());
                shard[at] ^= change;
            });
            let shards: Vec<_> = taken
                .into_iter()
                .map(|place| received(&coder, &changed.shard(place).unwrap().encode()).unwrap())
                .collect();
            prop_assert_eq!(codes(coder.decode(&shards)), "BAD_ENCODING");
        }
    }

    #[test]
    fn one_root_with_two_lengths_names_two_messages() {
        let mut coder = coder(ErasureSuite::Leopard, 3, 3);
        let honest = coder.disperse(b"a message").unwrap();
        let mut longer = honest.clone();
        longer.commitment = Commitment::new(coder.coding(), 10, *honest.commitment.root()).unwrap();
        let mut shorter = honest.clone();
        shorter.commitment = Commitment::new(coder.coding(), 8, *honest.commitment.root()).unwrap();
        let decode = |coder: &mut Coder, sent: &Dispersal| {
            let shards: Vec<_> = (2..5).map(|place| sent.shard(place).unwrap()).collect();
            coder.decode(&shards)
        };
        assert_eq!(decode(&mut coder, &honest).unwrap().message(), b"a message");
        assert_eq!(decode(&mut coder, &longer).unwrap().message(), b"a message\0");
        assert_eq!(codes(decode(&mut coder, &shorter)), "BAD_ENCODING");
        assert_ne!(honest.commitment.identity(), longer.commitment.identity());
    }

    #[test]
    fn nonzero_padding_is_refused() {
        let mut coder = coder(ErasureSuite::Gf8, 2, 2);
        let mut shards = Shards::from_message(coder.coding(), b"abc\x01").unwrap();
        coder.fill_parity(&mut shards).unwrap();
        let levels = TREE.levels(TREE.leaves(shards.iter()));
        let commitment = Commitment::new(coder.coding(), 3, levels.root()).unwrap();
        let sent = Dispersal { commitment, shards, levels };
        for places in [[0, 1], [2, 3], [1, 2]] {
            assert_eq!(codes(coder.decode(&places.map(|place| sent.shard(place).unwrap()))), "BAD_ENCODING");
        }
    }

    #[test]
    fn shards_of_other_roots_codings_and_places_do_not_mix() {
        let mut coder = coder(ErasureSuite::Leopard, 2, 2);
        let (one, other) = (coder.disperse(b"one").unwrap(), coder.disperse(b"two").unwrap());
        let shard = |of: &Dispersal, place| of.shard(place).unwrap();
        assert_eq!(codes(coder.decode(&[])), "BELOW_QUORUM");
        assert_eq!(codes(coder.decode(&[shard(&one, 0)])), "BELOW_QUORUM");
        assert_eq!(codes(coder.decode(&[shard(&one, 0), shard(&other, 1)])), "WRONG_CONTEXT");
        let twice = coder.decode(&[shard(&one, 2), shard(&one, 1), shard(&one, 2)]);
        assert_eq!(twice, Err(Error::DuplicateSigner { index: 2 }));
        let mut another = self::coder(ErasureSuite::Gf8, 2, 2);
        assert_eq!(codes(another.decode(&[shard(&one, 0), shard(&one, 1)])), "WRONG_CONTEXT");
        let longest = Coding::new(ErasureSuite::Leopard, Shape::new(2, 2).unwrap(), 2).unwrap();
        let refused = CheckedShard::decode(&shard(&one, 0).encode(), &longest);
        assert_eq!(refused, Err(Error::TooLarge { what: "erasure-coded message", limit: 2 }));
        assert_eq!(codes(Coder::new(longest).unwrap().decode(&[shard(&one, 0)])), "TOO_LARGE");
        assert!(one.shard(4).is_err());
    }
}
