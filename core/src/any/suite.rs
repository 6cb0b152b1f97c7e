use core::fmt;
use core::str::FromStr;

use super::{with_scheme, wrong_suite};
use crate::scheme::Scheme;
use crate::{Error, Result};

/// A signature scheme, by name or number. There is a variant for each scheme that is compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Suite {
    /// Suite 1, [`bls::MinSig`](crate::bls::MinSig): signatures of 48 bytes, keys of 96.
    #[cfg(feature = "bls")]
    MinSig,
    /// Suite 2, [`bls::MinPk`](crate::bls::MinPk): keys of 48 bytes, signatures of 96; the one of Ethereum.
    #[cfg(feature = "bls")]
    MinPk,
    /// Suite 3, [`ed25519::Ed25519`](crate::ed25519::Ed25519): keys of 32 bytes, signatures of 64.
    #[cfg(feature = "ed25519")]
    Ed25519,
    /// Suite 4, [`bls::Counted`](crate::bls::Counted) of suite 1: its aggregates can be summed in any order.
    #[cfg(feature = "gossip")]
    MinSigCounted,
    /// Suite 5, [`bls::Counted`](crate::bls::Counted) of suite 2.
    #[cfg(feature = "gossip")]
    MinPkCounted,
}

impl Suite {
    /// All that are compiled in, by number.
    pub const ALL: &'static [Suite] = &[
        #[cfg(feature = "bls")]
        Suite::MinSig,
        #[cfg(feature = "bls")]
        Suite::MinPk,
        #[cfg(feature = "ed25519")]
        Suite::Ed25519,
        #[cfg(feature = "gossip")]
        Suite::MinSigCounted,
        #[cfg(feature = "gossip")]
        Suite::MinPkCounted,
    ];

    /// The byte that stands for it in encodings.
    pub fn number(self) -> u8 {
        with_scheme!(self, S => S::SUITE)
    }

    /// The name for people and configuration files.
    pub fn name(self) -> &'static str {
        with_scheme!(self, S => S::NAME)
    }

    /// The suite of a number.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if there is none.
    pub fn from_number(number: u8) -> Result<Self> {
        Self::find(|suite| suite.number() == number)
    }

    /// The suite of a name.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if there is none.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::find(|suite| suite.name() == name)
    }

    fn find(is_it: impl Fn(&Suite) -> bool) -> Result<Self> {
        Self::ALL.iter().copied().find(is_it).ok_or_else(wrong_suite)
    }
}

impl FromStr for Suite {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::from_name(name)
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Suite;

    #[test]
    fn names_and_numbers_lead_back_to_the_suite() {
        for suite in Suite::ALL {
            assert_eq!(Suite::from_number(suite.number()), Ok(*suite));
            assert_eq!(alloc::format!("{suite}").parse(), Ok(*suite));
        }
        assert_eq!(Suite::from_number(0).unwrap_err().code(), "WRONG_CONTEXT");
        assert_eq!(Suite::from_name("BLS").unwrap_err().code(), "WRONG_CONTEXT");
    }
}
