use core::fmt;
use core::str::FromStr;

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
        with_group!(self, G => <G as threshold::Group>::SUITE)
    }

    /// Returns the name for display and configuration files.
    pub fn name(self) -> &'static str {
        with_group!(self, G => <G as threshold::Group>::NAME)
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
}

/// Names of [`Group::ALL`].
const NAMES: &[&str] =
    &[<threshold::Ristretto255 as threshold::Group>::NAME, <threshold::Secp256k1 as threshold::Group>::NAME];

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

/// Evaluates `$body` with the group type named `$group`.
macro_rules! with_group {
    ($any:expr, $group:ident => $body:expr) => {
        match $any {
            $crate::any::threshold::group::Group::Ristretto255 => {
                type $group = $crate::threshold::Ristretto255;
                $body
            }
            $crate::any::threshold::group::Group::Secp256k1 => {
                type $group = $crate::threshold::Secp256k1;
                $body
            }
        }
    };
}

/// Defines an enum with one variant per group, with conversions.
macro_rules! per_group {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        pub enum $name {
            /// Over ristretto255.
            Ristretto255($of<$crate::threshold::Ristretto255>),
            /// Over secp256k1.
            Secp256k1($of<$crate::threshold::Secp256k1>),
        }

        $crate::any::conversions!(
            $name, Ristretto255, $of<$crate::threshold::Ristretto255>, $crate::any::threshold::group::wrong_group()
        );
        $crate::any::conversions!(
            $name, Secp256k1, $of<$crate::threshold::Secp256k1>, $crate::any::threshold::group::wrong_group()
        );

        impl $name {
            /// Returns the group.
            pub fn group(&self) -> $crate::any::threshold::group::Group {
                match self {
                    $name::Ristretto255(_) => $crate::any::threshold::group::Group::Ristretto255,
                    $name::Secp256k1(_) => $crate::any::threshold::group::Group::Secp256k1,
                }
            }
        }
    };
}

/// Evaluates `$body` with the typed value of any group; `$group` names the group in it.
macro_rules! each_group {
    ($any:expr, $name:ident, $group:ident, $typed:pat => $body:expr) => {
        match $any {
            $name::Ristretto255($typed) => {
                #[allow(dead_code, reason = "not every body names the group")]
                type $group = $crate::threshold::Ristretto255;
                $body
            }
            $name::Secp256k1($typed) => {
                #[allow(dead_code, reason = "not every body names the group")]
                type $group = $crate::threshold::Secp256k1;
                $body
            }
        }
    };
}

/// Defines an enum with one variant per group and class.
macro_rules! per_class {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        pub enum $name {
            /// Over ristretto255, for messages that the parties agree on.
            Ristretto255Agreed($of<$crate::threshold::Ristretto255, $crate::threshold::Agreed>),
            /// Over ristretto255, for messages chosen by one process.
            Ristretto255Unagreed($of<$crate::threshold::Ristretto255, $crate::threshold::Unagreed>),
            /// Over secp256k1, for messages that the parties agree on.
            Secp256k1Agreed($of<$crate::threshold::Secp256k1, $crate::threshold::Agreed>),
            /// Over secp256k1, for messages chosen by one process.
            Secp256k1Unagreed($of<$crate::threshold::Secp256k1, $crate::threshold::Unagreed>),
        }

        $crate::any::threshold::group::conversions_of_class!($name, $of, Ristretto255Agreed, Ristretto255, Agreed);
        $crate::any::threshold::group::conversions_of_class!($name, $of, Ristretto255Unagreed, Ristretto255, Unagreed);
        $crate::any::threshold::group::conversions_of_class!($name, $of, Secp256k1Agreed, Secp256k1, Agreed);
        $crate::any::threshold::group::conversions_of_class!($name, $of, Secp256k1Unagreed, Secp256k1, Unagreed);

        impl $name {
            /// Returns the group.
            pub fn group(&self) -> $crate::any::threshold::group::Group {
                match self {
                    $name::Ristretto255Agreed(_) | $name::Ristretto255Unagreed(_) => {
                        $crate::any::threshold::group::Group::Ristretto255
                    }
                    $name::Secp256k1Agreed(_) | $name::Secp256k1Unagreed(_) => {
                        $crate::any::threshold::group::Group::Secp256k1
                    }
                }
            }

            /// Returns the class of the tag.
            pub fn agreement(&self) -> $crate::threshold::Agreement {
                match self {
                    $name::Ristretto255Agreed(_) | $name::Secp256k1Agreed(_) => $crate::threshold::Agreement::Agreed,
                    $name::Ristretto255Unagreed(_) | $name::Secp256k1Unagreed(_) => {
                        $crate::threshold::Agreement::Unagreed
                    }
                }
            }
        }
    };
}

macro_rules! conversions_of_class {
    ($name:ident, $of:ident, $variant:ident, $group:ident, $class:ident) => {
        $crate::any::conversions!(
            $name,
            $variant,
            $of<$crate::threshold::$group, $crate::threshold::$class>,
            $crate::Error::WrongContext { what: "group or class" }
        );
    };
}

/// Evaluates `$body` with the typed value of any group and class.
macro_rules! each_class {
    ($any:expr, $name:ident, $typed:pat => $body:expr) => {
        match $any {
            $name::Ristretto255Agreed($typed) => $body,
            $name::Ristretto255Unagreed($typed) => $body,
            $name::Secp256k1Agreed($typed) => $body,
            $name::Secp256k1Unagreed($typed) => $body,
        }
    };
}

pub(super) use {conversions_of_class, each_class, each_group, per_class, per_group, with_group};

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
