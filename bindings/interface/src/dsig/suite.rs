//! The one-time signature schemes.

use quorate::Result;
use quorate::dsig::dynamic::SuiteId;

/// A one-time signature scheme with its hash function. `wots-blake3` is the default; `spec/dsig.md` compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(binding, within = "Dsig")]
pub enum Suite {
    /// W-OTS⁺ over Haraka-512, as in the paper.
    #[cfg_attr(binding, text = "wots-haraka-512")]
    WotsHaraka512,
    /// W-OTS⁺ over Haraka-256, the fastest on processors with AES instructions.
    #[cfg_attr(binding, text = "wots-haraka-256")]
    WotsHaraka256,
    /// W-OTS⁺ over BLAKE3, the default.
    WotsBlake3,
    /// W-OTS⁺ over BLAKE3 with longer values, the conservative choice.
    #[cfg_attr(binding, text = "wots-blake3-256")]
    WotsBlake3Wide,
    /// HORS with factorised keys over BLAKE3.
    HorsFBlake3,
    /// HORS with merklified keys over BLAKE3; 256 kB per unused key.
    HorsMBlake3,
    /// HORS with factorised keys over Haraka-256.
    #[cfg_attr(binding, text = "hors-f-haraka-256")]
    HorsFHaraka256,
    /// HORS with merklified keys over Haraka-256; 256 kB per unused key.
    #[cfg_attr(binding, text = "hors-m-haraka-256")]
    HorsMHaraka256,
    /// W-OTS⁺ over SHA-256, for comparison.
    #[cfg_attr(binding, text = "wots-sha-256")]
    WotsSha256,
    /// HORS with factorised keys over SHA-256, for comparison.
    #[cfg_attr(binding, text = "hors-f-sha-256")]
    HorsFSha256,
    /// HORS with merklified keys over SHA-256, for comparison.
    #[cfg_attr(binding, text = "hors-m-sha-256")]
    HorsMSha256,
}

same_variants! {
    Suite, SuiteId:
    WotsHaraka512 WotsHaraka256 WotsBlake3 WotsBlake3Wide HorsFBlake3 HorsMBlake3 HorsFHaraka256 HorsMHaraka256
    WotsSha256 HorsFSha256 HorsMSha256
}

functions! {
    Suite:
    /// Returns the suite with this name.
    /// [`Error::WrongContext`](quorate::Error) if no suite has this name.
    fn from_name(name: &str) -> Result<Self> { name.parse::<SuiteId>().map(Self::from) }
    /// Number of the suite in encodings.
    getter fn number(&self) -> u8 { SuiteId::from(*self).number() }
}

impl Suite {
    /// The given suite, or the default one.
    pub(super) fn chosen(suite: Option<&Self>) -> SuiteId {
        suite.map_or(SuiteId::WotsBlake3, |suite| (*suite).into())
    }
}

/// All suites, ordered by their numbers, which start at 1. Use `wots-blake3` unless there is a reason for another suite.
#[cfg_attr(binding, variant, quick)]
pub fn suites() -> Vec<Suite> {
    SuiteId::ALL.iter().copied().map(Suite::from).collect()
}

/// Returns the size of a signature in bytes.
#[cfg_attr(binding, quick)]
pub fn signature_len(suite: &Suite) -> usize {
    SuiteId::from(*suite).signature_len()
}

shown! {
    Suite: |self, f| f.write_str(SuiteId::from(*self).name());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_has_the_name_and_number_of_the_core() {
        let numbers: Vec<u8> = suites().iter().map(Suite::number).collect();
        assert_eq!(numbers, (1..=11).collect::<Vec<u8>>());
        for suite in suites() {
            assert_eq!(Suite::from_name(&suite.to_string()), Ok(suite));
        }
    }
}
