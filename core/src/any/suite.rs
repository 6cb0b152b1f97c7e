use core::fmt;
use core::str::FromStr;

use super::dispatch::Choice;
use crate::scheme::Scheme;
use crate::{Error, Result};

/// A signature scheme chosen at run time by name or number. Each compiled-in scheme has a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Suite {
    /// Suite 1, [`bls::MinSig`](crate::bls::MinSig): signatures of 48 bytes, keys of 96.
    #[cfg(feature = "bls")]
    MinSig,
    /// Suite 2, [`bls::MinPk`](crate::bls::MinPk): keys of 48 bytes, signatures of 96; the variant of Ethereum.
    #[cfg(feature = "bls")]
    MinPk,
    /// Suite 3, [`ed25519::Ed25519`](crate::ed25519::Ed25519): keys of 32 bytes, signatures of 64.
    #[cfg(feature = "ed25519")]
    Ed25519,
    /// Suite 4, [`bls::Counted`](crate::bls::Counted) over suite 1: its aggregates can be summed in any order.
    #[cfg(feature = "gossip")]
    MinSigCounted,
    /// Suite 5, [`bls::Counted`](crate::bls::Counted) over suite 2.
    #[cfg(feature = "gossip")]
    MinPkCounted,
}

impl Suite {
    /// All compiled-in suites in ascending order of their numbers.
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

    /// Returns the suite byte of encodings.
    pub fn number(self) -> u8 {
        self.number_and_name().0
    }

    /// Returns the name, for people and configuration files.
    pub fn name(self) -> &'static str {
        self.number_and_name().1
    }

    /// Returns the suite with a number.
    ///
    /// # Errors
    /// [`Error::UnknownName`] if no compiled-in suite has this number.
    pub fn from_number(number: u8) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.number() == number);
        found.ok_or_else(|| Error::unknown_name("suite", number, NAMES))
    }

    /// Returns the suite with a name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the known names if no compiled-in suite has this name.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.name() == name);
        found.ok_or_else(|| Error::unknown_name("suite", name, NAMES))
    }

    fn number_and_name(self) -> (u8, &'static str) {
        fn of<S: Scheme>() -> (u8, &'static str) {
            (S::SUITE, S::NAME)
        }
        match self {
            #[cfg(feature = "bls")]
            Suite::MinSig => of::<crate::bls::MinSig>(),
            #[cfg(feature = "bls")]
            Suite::MinPk => of::<crate::bls::MinPk>(),
            #[cfg(feature = "ed25519")]
            Suite::Ed25519 => of::<crate::ed25519::Ed25519>(),
            #[cfg(feature = "gossip")]
            Suite::MinSigCounted => of::<crate::bls::Counted<crate::bls::MinSig>>(),
            #[cfg(feature = "gossip")]
            Suite::MinPkCounted => of::<crate::bls::Counted<crate::bls::MinPk>>(),
        }
    }
}

/// Names of [`Suite::ALL`].
const NAMES: &[&str] = &[
    #[cfg(feature = "bls")]
    crate::bls::MinSig::NAME,
    #[cfg(feature = "bls")]
    crate::bls::MinPk::NAME,
    #[cfg(feature = "ed25519")]
    crate::ed25519::Ed25519::NAME,
    #[cfg(feature = "gossip")]
    crate::bls::Counted::<crate::bls::MinSig>::NAME,
    #[cfg(feature = "gossip")]
    crate::bls::Counted::<crate::bls::MinPk>::NAME,
];

impl Choice for Suite {
    fn mismatch(self, actual: Self, what: &'static str) -> Error {
        Error::Mismatch { what, expected: self.number().into(), actual: actual.number().into() }
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
    use super::{NAMES, Suite};
    use alloc::string::ToString;

    #[test]
    fn names_and_numbers_identify_the_suite() {
        for suite in Suite::ALL {
            assert_eq!(Suite::from_number(suite.number()), Ok(*suite));
            assert_eq!(alloc::format!("{suite}").parse(), Ok(*suite));
        }
        assert!(Suite::ALL.iter().map(|suite| suite.name()).eq(NAMES.iter().copied()));
        assert_eq!(Suite::from_number(0).unwrap_err().code(), "WRONG_CONTEXT");
        let unknown = Suite::from_name("BLS").unwrap_err();
        assert_eq!(unknown.code(), "WRONG_CONTEXT");
        let text = alloc::format!("unknown suite BLS: expected one of {}", NAMES.join(", "));
        assert_eq!(unknown.to_string(), text);
    }
}
