use super::chain::{Blake3, Haraka256, Haraka512};
use super::wots::{OneTime, Wots};

/// A one-time scheme with its chain hash, under the number that signatures and announcements carry.
pub trait Suite: Copy + Eq + Send + Sync + 'static {
    /// The suite byte.
    const NUMBER: u8;
    /// A short name for people and configuration files.
    const NAME: &'static str;
    /// What the keys of a batch are.
    type OneTime: OneTime;
}

macro_rules! suites {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal, $one_time:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {}

        impl Suite for $name {
            const NUMBER: u8 = $number;
            const NAME: &'static str = $text;
            type OneTime = $one_time;
        }
    )*};
}

suites! {
    /// Suite 1: W-OTS⁺ over Haraka-512, the paper's. 128-bit digests, 1,584 bytes.
    WotsHaraka512 = 1, "wots-haraka-512", Wots<Haraka512, 18, 68>;
    /// Suite 2: W-OTS⁺ over Haraka-256, the fastest where the processor has AES. 1,584 bytes.
    WotsHaraka256 = 2, "wots-haraka-256", Wots<Haraka256, 18, 68>;
    /// Suite 3: W-OTS⁺ over BLAKE3, the default everywhere. 1,584 bytes.
    WotsBlake3 = 3, "wots-blake3", Wots<Blake3, 18, 68>;
    /// Suite 4: W-OTS⁺ over BLAKE3 with 192-bit values and 256-bit digests, the conservative one. 3,552 bytes.
    WotsBlake3Wide = 4, "wots-blake3-256", Wots<Blake3, 24, 133>;
}
