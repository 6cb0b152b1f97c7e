use core::fmt;
use core::str::FromStr;

use crate::dsig::signature::Signature;
use crate::dsig::suite::{self, DsigSuite};
use crate::{Error, Result};

macro_rules! suites {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A suite of this crate.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum SuiteId {
            $($(#[$doc])* $name,)*
        }

        impl SuiteId {
            /// All suites, by number.
            pub const ALL: &'static [SuiteId] = &[$(Self::$name,)*];

            /// Names of [`ALL`](Self::ALL).
            const NAMES: &'static [&'static str] = &[$(suite::$name::NAME,)*];

            /// Returns the suite number.
            pub fn number(self) -> u8 {
                match self {
                    $(Self::$name => suite::$name::NUMBER,)*
                }
            }

            /// Returns the name used in configuration files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => suite::$name::NAME,)*
                }
            }

            /// Returns the length of a signature in bytes.
            pub fn signature_len(self) -> usize {
                match self {
                    $(Self::$name => Signature::<suite::$name>::LEN,)*
                }
            }
        }

        /// Calls a generic function with the suite's type.
        macro_rules! with_suite {
            ($id:expr, $S:ident => $body:expr) => {
                match $id {
                    $(SuiteId::$name => { type $S = suite::$name; $body })*
                }
            };
        }
    };
}

suites! {
    /// Suite 1: W-OTS⁺ over Haraka-512, as in the paper.
    WotsHaraka512,
    /// Suite 2: W-OTS⁺ over Haraka-256, the fastest on processors with AES instructions.
    WotsHaraka256,
    /// Suite 3: W-OTS⁺ over BLAKE3, the default.
    WotsBlake3,
    /// Suite 4: W-OTS⁺ over BLAKE3 with 256-bit digests, the conservative choice.
    WotsBlake3Wide,
    /// Suite 5: HORS with factorised keys over BLAKE3.
    HorsFBlake3,
    /// Suite 6: HORS with merklified keys over BLAKE3.
    HorsMBlake3,
    /// Suite 7: HORS with factorised keys over Haraka-256.
    HorsFHaraka256,
    /// Suite 8: HORS with merklified keys over Haraka-256.
    HorsMHaraka256,
    /// Suite 9: W-OTS⁺ over SHA-256, for comparison.
    WotsSha256,
    /// Suite 10: HORS with factorised keys over SHA-256, for comparison.
    HorsFSha256,
    /// Suite 11: HORS with merklified keys over SHA-256, for comparison.
    HorsMSha256,
}

impl SuiteId {
    /// Returns the suite with this number.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the known names if no suite has this number.
    pub fn from_number(number: u8) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.number() == number);
        found.ok_or_else(|| Error::unknown_name("suite", number, Self::NAMES))
    }

    /// Returns the suite of an encoded signature or announcement.
    pub(super) fn from_encoded(bytes: &[u8]) -> Result<Self> {
        Self::from_number(*bytes.first().ok_or(Error::Malformed { what: "DSig: no bytes" })?)
    }
}

impl fmt::Display for SuiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SuiteId {
    type Err = Error;

    /// Parses a name used in configuration files.
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.name() == name);
        found.ok_or_else(|| Error::unknown_name("suite", name, Self::NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::SuiteId;
    use alloc::string::ToString;

    #[test]
    fn unknown_names_and_numbers_list_the_suites() {
        assert!(SuiteId::ALL.iter().map(|suite| suite.name()).eq(SuiteId::NAMES.iter().copied()));
        let known = SuiteId::NAMES.join(", ");
        let name = "wots".parse::<SuiteId>().unwrap_err();
        assert_eq!(name.to_string(), alloc::format!("unknown suite wots: expected one of {known}"));
        assert_eq!(name.code(), "WRONG_CONTEXT");
        let number = SuiteId::from_number(12).unwrap_err();
        assert_eq!(number.to_string(), alloc::format!("unknown suite 12: expected one of {known}"));
    }
}
