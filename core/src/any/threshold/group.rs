use core::fmt;
use core::str::FromStr;

use crate::any::dispatch::Choice;
use crate::{Error, Result, threshold};

#[cfg(doc)]
use crate::threshold::{Ristretto255, Secp256k1};

/// A group, by name or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Group {
    /// Suite 1, [`Ristretto255`]: the paper's group, and the faster one. Its signatures are not standard ECDSA.
    Ristretto255,
    /// Suite 2, [`Secp256k1`]: any ECDSA library verifies its signatures.
    Secp256k1,
}

impl Group {
    /// All groups, by number.
    pub const ALL: &'static [Group] = &[Group::Ristretto255, Group::Secp256k1];

    /// Returns the suite byte of encodings.
    pub fn number(self) -> u8 {
        self.number_and_name().0
    }

    /// Returns the name for display and configuration files.
    pub fn name(self) -> &'static str {
        self.number_and_name().1
    }

    /// Returns the group with this number.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the known names if no group has this number.
    pub fn from_number(number: u8) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|group| group.number() == number);
        found.ok_or_else(|| Error::unknown_name("group", number, NAMES))
    }

    /// Returns the group with this name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the known names if no group has this name.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|group| group.name() == name);
        found.ok_or_else(|| Error::unknown_name("group", name, NAMES))
    }

    fn number_and_name(self) -> (u8, &'static str) {
        fn of<G: threshold::Group>() -> (u8, &'static str) {
            (G::SUITE, G::NAME)
        }
        match self {
            Group::Ristretto255 => of::<threshold::Ristretto255>(),
            Group::Secp256k1 => of::<threshold::Secp256k1>(),
        }
    }
}

/// Names of [`Group::ALL`].
const NAMES: &[&str] =
    &[<threshold::Ristretto255 as threshold::Group>::NAME, <threshold::Secp256k1 as threshold::Group>::NAME];

impl Choice for Group {}

impl FromStr for Group {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::from_name(name)
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the error for a value over another group.
pub(in crate::any) fn wrong_group() -> Error {
    Error::WrongContext { what: "group" }
}

#[cfg(test)]
mod tests {
    use super::{Group, NAMES};
    use alloc::string::ToString;

    #[test]
    fn names_and_numbers_identify_the_group() {
        for group in Group::ALL {
            assert_eq!(Group::from_number(group.number()), Ok(*group));
            assert_eq!(alloc::format!("{group}").parse(), Ok(*group));
        }
        assert!(Group::ALL.iter().map(|group| group.name()).eq(NAMES.iter().copied()));
        assert_eq!(Group::from_number(0).unwrap_err().code(), "WRONG_CONTEXT");
        let unknown = Group::from_name("secp256r1").unwrap_err();
        assert_eq!(unknown.code(), "WRONG_CONTEXT");
        assert_eq!(unknown.to_string(), "unknown group secp256r1: expected one of ristretto255, secp256k1");
    }
}
