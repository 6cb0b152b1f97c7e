use core::fmt::Debug;
use core::hash::Hash;

use super::index::Threshold;
use crate::scheme::sealed::Sealed;
use crate::{Error, Result};

/// Number of parties N and of faulty parties f that are tolerated: N ≥ 3f + 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tolerance {
    parties: u16,
    faulty: u16,
}

impl Tolerance {
    /// Creates a tolerance.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] unless 3·faulty < parties ≤ [`MAX_PARTIES`](super::MAX_PARTIES).
    pub fn new(parties: u16, faulty: u16) -> Result<Self> {
        Threshold::new(1, parties)?;
        if 3 * u32::from(faulty) >= u32::from(parties) {
            return Err(Error::BadCommittee {
                rule: "less than a third of the parties may be faulty: 3 * faulty < parties",
            });
        }
        Ok(Self { parties, faulty })
    }

    /// Returns the number of parties.
    pub fn parties(self) -> u16 {
        self.parties
    }

    /// Returns the maximum number of faulty parties.
    pub fn faulty(self) -> u16 {
        self.faulty
    }

    /// Returns the number of shares that a signature of this class needs, of the number of parties.
    pub fn threshold<C: Class>(self) -> Threshold {
        self.threshold_of(C::AGREEMENT)
    }

    pub(crate) fn threshold_of(self, agreement: Agreement) -> Threshold {
        let (parties, faulty) = (u32::from(self.parties), u32::from(self.faulty));
        let needed = match agreement {
            Agreement::Agreed => faulty + 1,
            Agreement::Unagreed => (parties + faulty) / 2 + 1,
        };
        Threshold::trusted(needed as u16, self.parties)
    }
}

/// Whether the parties agree in advance on the message to sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Agreement {
    /// No two honest parties ever sign different messages under the tag, because the message is fixed by the tag, was
    /// ordered, or was delivered by a reliable broadcast. Then f + 1 shares suffice: one of them is honest.
    Agreed,
    /// Another process chooses the message and may send each party a different one. Then ⌊(N + f)/2⌋ + 1 shares are
    /// needed: any two such sets share an honest party, which signs one message only, so at most one message is ever
    /// signed. With f + 1 shares, an equivocating leader would get two signatures from one presignature, and from
    /// them the key.
    Unagreed,
}

/// [`Agreement`] as a type, so that a presignature of one threshold cannot be used where the other is needed.
pub trait Class: Sealed + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The agreement of this class.
    const AGREEMENT: Agreement;
}

/// The class of [`Agreement::Agreed`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Agreed {}

/// The class of [`Agreement::Unagreed`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unagreed {}

impl Sealed for Agreed {}
impl Sealed for Unagreed {}

impl Class for Agreed {
    const AGREEMENT: Agreement = Agreement::Agreed;
}

impl Class for Unagreed {
    const AGREEMENT: Agreement = Agreement::Unagreed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unagreed_quorums_share_an_honest_party() {
        for parties in 1..200u16 {
            for faulty in 0..=(parties - 1) / 3 {
                let tolerance = Tolerance::new(parties, faulty).unwrap();
                let needed = tolerance.threshold::<Unagreed>().needed();
                assert!(2 * u32::from(needed) - u32::from(parties) > u32::from(faulty));
                assert!(needed <= parties - faulty);
                assert_eq!(tolerance.threshold::<Agreed>().needed(), faulty + 1);
            }
            assert!(Tolerance::new(parties, parties.div_ceil(3)).is_err());
        }
        assert!(Tolerance::new(0, 0).is_err() && Tolerance::new(1_025, 1).is_err());
    }
}
