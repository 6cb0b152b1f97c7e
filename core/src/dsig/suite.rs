use super::hash_chain::{Blake3, Haraka256, Haraka512, Sha256};
use super::hors::{HorsF, HorsM};
use super::one_time::OneTimeScheme;
use super::wots::Wots;

/// A DSig suite: a one-time scheme and its chain hash, identified by the suite number in signatures and announcements.
///
/// Any [`Wots`], [`HorsF`] or [`HorsM`] over any [`ChainHash`](super::ChainHash) forms a suite; insecure parameters
/// do not compile. Suite numbers from 128 on are for your own suites; the numbers below are reserved for this crate.
pub trait DsigSuite: Copy + Eq + Send + Sync + 'static {
    /// The suite number.
    const NUMBER: u8;
    /// A short name for display and configuration files.
    const NAME: &'static str;
    /// The one-time scheme of the keys in a batch.
    type OneTime: OneTimeScheme;
}

macro_rules! suites {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal, $one_time:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {}

        impl DsigSuite for $name {
            const NUMBER: u8 = $number;
            const NAME: &'static str = $text;
            type OneTime = $one_time;
        }
    )*};
}

suites! {
    /// Suite 1: W-OTS⁺ over Haraka-512, as in the paper. 128-bit digests, 1,584 bytes.
    WotsHaraka512 = 1, "wots-haraka-512", Wots<Haraka512, 18, 68>;
    /// Suite 2: W-OTS⁺ over Haraka-256, the fastest suite on processors with AES instructions. 1,584 bytes.
    WotsHaraka256 = 2, "wots-haraka-256", Wots<Haraka256, 18, 68>;
    /// Suite 3: W-OTS⁺ over BLAKE3, the default. 1,584 bytes.
    WotsBlake3 = 3, "wots-blake3", Wots<Blake3, 18, 68>;
    /// Suite 4: W-OTS⁺ over BLAKE3 with 192-bit values and 256-bit digests, the conservative choice. 3,552 bytes.
    WotsBlake3Wide = 4, "wots-blake3-256", Wots<Blake3, 24, 133>;
    /// Suite 5: HORS with factorised keys over BLAKE3, k = 64 and t = 256. 4,456 bytes.
    HorsFBlake3 = 5, "hors-f-blake3", HorsF<Blake3, 64, 256>;
    /// Suite 6: HORS with merklified keys over BLAKE3, k = 16 and t = 4,096. 4,968 bytes; 256 kB per unused key.
    HorsMBlake3 = 6, "hors-m-blake3", HorsM<Blake3, 16, 4096>;
    /// Suite 7: HORS with factorised keys over Haraka-256. 4,456 bytes.
    HorsFHaraka256 = 7, "hors-f-haraka-256", HorsF<Haraka256, 64, 256>;
    /// Suite 8: HORS with merklified keys over Haraka-256. 4,968 bytes; 256 kB per unused key.
    HorsMHaraka256 = 8, "hors-m-haraka-256", HorsM<Haraka256, 16, 4096>;
    /// Suite 9: W-OTS⁺ over SHA-256, for comparison. 1,584 bytes.
    WotsSha256 = 9, "wots-sha-256", Wots<Sha256, 18, 68>;
    /// Suite 10: HORS with factorised keys over SHA-256, for comparison. 4,456 bytes.
    HorsFSha256 = 10, "hors-f-sha-256", HorsF<Sha256, 64, 256>;
    /// Suite 11: HORS with merklified keys over SHA-256, for comparison. 4,968 bytes; 256 kB per unused key.
    HorsMSha256 = 11, "hors-m-sha-256", HorsM<Sha256, 16, 4096>;
}
