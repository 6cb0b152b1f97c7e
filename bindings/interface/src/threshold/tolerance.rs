//! Groups, classes of messages, and thresholds.

use quorate::Result;
use quorate::any::threshold as any;
use quorate::threshold::combiner;
use quorate::threshold::{self, Agreement as CoreAgreement};

/// Group in which threshold ECDSA computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The faster group. Signatures over it are not standard ECDSA.
    Ristretto255,
    /// Signatures over it are standard ECDSA.
    Secp256k1,
}

functions! {
    Group:
    /// Returns the group with this name.
    /// [`Error::WrongContext`](quorate::Error) if no group has this name.
    fn from_name(name: &str) -> Result<Self> { any::Group::from_name(name).map(Self::from) }
    /// Returns the group with this number.
    /// [`Error::WrongContext`](quorate::Error) if no group has this number.
    quick fn from_number(number: u8) -> Result<Self> { any::Group::from_number(number).map(Self::from) }
    /// Byte that identifies the suite in encodings.
    getter fn number(&self) -> u8 { any::Group::from(*self).number() }
}

impl From<Group> for any::Group {
    fn from(group: Group) -> Self {
        match group {
            Group::Ristretto255 => any::Group::Ristretto255,
            Group::Secp256k1 => any::Group::Secp256k1,
        }
    }
}

impl From<any::Group> for Group {
    fn from(group: any::Group) -> Self {
        match group {
            any::Group::Secp256k1 => Group::Secp256k1,
            _ => Group::Ristretto255,
        }
    }
}

const _: () = assert!(any::Group::ALL.len() == 2, "each group of the core is declared");

/// Class of a message: whether the parties agree on it before they sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agreement {
    /// No two honest parties ever sign different messages: the threshold is one share more than the number of faulty
    /// parties.
    Agreed,
    /// An outside party chooses the message and may give different ones to different parties. Any two signing sets must
    /// share an honest party, so more shares are needed: ⌊(n + f)/2⌋ + 1 of n, with f faulty parties.
    Unagreed,
}

named! { Agreement, "agreement": Agreed "agreed", Unagreed "unagreed" }
same_variants! { Agreement, CoreAgreement: Agreed Unagreed }

class! {
    /// Number of parties, and the maximum number of Byzantine ones: fewer than a third.
    value struct Tolerance(pub(crate) threshold::Tolerance):
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| write!(f, "Tolerance(parties={}, faulty={})", self.parties(), self.faulty());
    /// Creates a tolerance.
    /// [`Error::BadCommittee`](quorate::Error) unless 3·faulty < parties ≤ 1,024.
    quick fn new(parties: u16, faulty: u16) -> Result<Self> {
        threshold::Tolerance::new(parties, faulty).map(Self)
    }
    /// Number of parties.
    getter fn parties(&self) -> u16 { self.0.parties() }
    /// Maximum number of faulty parties.
    getter fn faulty(&self) -> u16 { self.0.faulty() }
    /// Returns the number of shares that a signature of this class needs.
    quick fn threshold(&self, agreement: &Agreement) -> Threshold {
        Threshold(match agreement {
            Agreement::Agreed => self.0.threshold::<threshold::Agreed>(),
            Agreement::Unagreed => self.0.threshold::<threshold::Unagreed>(),
        })
    }
}

class! {
    /// Number of shares needed, and number of parties: any `needed` of `parties` shares suffice, and fewer reveal
    /// nothing.
    value struct Threshold(pub(crate) threshold::Threshold):
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| write!(f, "Threshold(needed={}, parties={})", self.needed(), self.parties());
    module const MAX_PARTIES: u16 = 1_024 == threshold::MAX_PARTIES,
        "Maximum number of parties that share a key.";
    /// Creates a threshold.
    /// [`Error::BadCommittee`](quorate::Error) unless 1 ≤ needed ≤ parties ≤ 1,024.
    quick fn new(needed: u16, parties: u16) -> Result<Self> {
        threshold::Threshold::new(needed, parties).map(Self)
    }
    /// Number of shares needed.
    getter fn needed(&self) -> u16 { self.0.needed() }
    /// Number of parties.
    getter fn parties(&self) -> u16 { self.0.parties() }
}

/// Work done by a combiner so far.
pub struct Counts {
    /// Combinations, each with one verification: at most one more than failed.
    pub combinations: usize,
    /// Checks of single shares: at most the threshold plus the number of faulty parties.
    pub share_checks: usize,
    /// Attempts to identify wrong shares by error correction.
    pub decodings: usize,
}

impl From<combiner::Counts> for Counts {
    fn from(counts: combiner::Counts) -> Self {
        let combiner::Counts { combinations, share_checks, decodings } = counts;
        Self { combinations, share_checks, decodings }
    }
}

shown! {
    Group: |self, f| f.write_str(any::Group::from(*self).name());
}
